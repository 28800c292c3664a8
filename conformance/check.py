"""Compares the functions of a Python module with the fixtures beside this file.

    python3 conformance/check.py my_transformer.py            # all functions
    python3 conformance/check.py my_transformer.py attention  # only this one

README.md says what the functions are called and what they get. It needs numpy.
"""

import importlib.util
import json
import sys
import traceback
from pathlib import Path

import numpy as np

FIXTURES = Path(__file__).parent / "fixtures"

# The order in which a Transformer is built.
ORDER = """softmax attention multi_head layer_norm add_norm feed_forward positions embed
encoder_layer decoder_layer encoder decoder model cross_entropy loss gradients learning_rate adam
training bpe_learn bpe_encode length_penalty beam_search bleu chrf""".split()

# Results are equal if they are apart by less than this, against their largest number.
TOLERANCE = 1e-5


def load(path):
    """The module in this file."""
    if not Path(path).is_file():
        stop(f"there is no file {path}")
    path = Path(path).resolve()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None:
        stop(f"{path.name} is not a Python file: its name should end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also sys.exit
        stop(f"{path.name} cannot be imported: {told(error, path)}")
    return module


def told(error, path):
    """What went wrong at an import, and in which line of this file or of one beside it."""
    reason, file, line = str(error), path, None
    if isinstance(error, SyntaxError) and error.filename:
        reason, file, line = error.msg, error.filename, error.lineno
    else:
        for one in traceback.extract_tb(error.__traceback__)[1:]:
            if path.parent in Path(one.filename).parents and "site-packages" not in one.filename:
                file, line = one.filename, one.lineno
    where = Path(file).name + (f":{line}" if line else "")
    return " ".join(f"{type(error).__name__}: {reason} ({where})".split())


def given(value):
    """An argument as the function gets it: matrices and masks are arrays, tokens are lists."""
    if isinstance(value, dict):
        return {name: given(part) for name, part in value.items()}
    first = value
    while isinstance(first, list):
        first = first[0]
    if isinstance(value, list) and isinstance(first, (float, bool)):
        return np.array(value)
    return value


def numbers(value):
    """Numbers as an array, in which JSON's null is NaN; None if they are no numbers."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def largest(value):
    if isinstance(value, dict):
        return max(largest(part) for part in value.values())
    return float(np.nan_to_num(np.abs(numbers(value))).max(initial=0.0))


def gap(found, expected):
    if isinstance(expected, dict):
        if not isinstance(found, dict) or found.keys() != expected.keys():
            return np.inf
        return max(gap(found[name], part) for name, part in expected.items())
    found, expected = numbers(found), numbers(expected)
    if found is None or found.shape != expected.shape:
        return np.inf
    # Infinity is compared with NaN as if it were one: JSON has neither.
    found = np.where(np.isfinite(found), found, np.nan)
    if (np.isnan(found) != np.isnan(expected)).any():
        return np.inf
    return float(np.nan_to_num(np.abs(found - expected)).max(initial=0.0))


def apart(found, expected):
    """How far two results are apart, against the largest number of the second one."""
    return gap(found, expected) / max(largest(expected), 1e-3)


def says_something(found):
    """Whether there is a number in it that is finite."""
    if isinstance(found, dict):
        return any(says_something(part) for part in found.values())
    array = numbers(found)
    return array is None or array.size == 0 or bool(np.isfinite(array).any())


def explains(mistake, case, found):
    """How far the result is from what this mistake would give."""
    results = case["wrong"].get(mistake, [case["out"]])
    return min(apart(found, result) for result in results)


def mistakes(cases, found):
    """The known mistakes that explain the results of all these cases, or the only case."""
    # NaN alone can come from anything, so it is no sign of a mistake.
    signs = (
        says_something(result) and not apart(result, case["out"]) <= TOLERANCE
        for case, result in zip(cases, found)
    )
    if not any(signs):
        return []
    names = dict.fromkeys(name for case in cases for name in case["wrong"])
    gaps = {name: max(explains(name, *pair) for pair in zip(cases, found)) for name in names}
    gaps = {name: gap for name, gap in gaps.items() if gap <= TOLERANCE}
    nearest = min(gaps.values(), default=0.0)
    # The fixtures have eight digits of what is wrong.
    return [name for name, gap in gaps.items() if gap <= 10 * nearest + 1e-7]


def difference(found, expected):
    """One line that says where a result differs."""
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return f"a dict is expected, not {type(found).__name__}"
        if found.keys() != expected.keys():
            names = sorted(found.keys() ^ expected.keys())
            more = f" and {len(names) - 2} more" if len(names) > 2 else ""
            return f"missing, or too many: {', '.join(names[:2])}{more}"
        name = max(expected, key=lambda name: gap(found[name], expected[name]))
        return f"{name}: {difference(found[name], expected[name])}"
    array, wanted = numbers(found), numbers(expected)
    if array is None or found is None:
        return f"numbers are expected, not {str(found)[:60]!r}"
    if array.shape != wanted.shape:
        return f"the shape is {array.shape}, not {wanted.shape}"
    gaps = np.where(np.isfinite(array), np.abs(array - wanted), np.inf)
    place = np.unravel_index(gaps.argmax(), gaps.shape)
    at = f" at {tuple(int(i) for i in place)}" if place else ""
    what = "" if np.isfinite(array[place]) else ", which is not a number"
    return f"found {array[place]:.6g}{at}{what}, where {wanted[place]:.6g} is expected"


def examine(module, name):
    """Whether a function agrees, "agrees", "differs", "fails" or "missing", and what there is to say."""
    part = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
    cases = part["cases"]
    if not hasattr(module, name):
        return "missing", []
    found = []
    for case in cases:
        try:
            found.append(getattr(module, name)(**given(case["in"])))
        except NotImplementedError as reason:
            return "missing", [str(reason)]
        except Exception as error:
            line = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(line.filename).name}:{line.lineno}"
            return "fails", [f"{type(error).__name__}: {error} ({where})"]
    wrong = [
        (case, result)
        for case, result in zip(cases, found)
        if not apart(result, case["out"]) <= TOLERANCE
    ]
    if not wrong:
        return "agrees", []
    names = mistakes(cases, found)
    if names:
        return "differs", names
    said = []
    for case, result in wrong:
        names = " or ".join(mistakes([case], [result]))
        said.append(f"{case['name']}: {names or difference(result, case['out'])}")
    return "differs", said


def stop(reason):
    print(reason, file=sys.stderr)
    sys.exit(2)


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        stop(__doc__)
    unknown = [name for name in arguments[1:] if name not in ORDER]
    if unknown:
        stop(f"there is no function {unknown[0]}; there are {', '.join(ORDER)}")
    module = load(arguments[0])
    counts = dict.fromkeys(["agrees", "differs", "fails", "missing"], 0)
    for name in arguments[1:] or ORDER:
        state, said = examine(module, name)
        counts[state] += 1
        print(f"{name:16}{state:9}{said[0] if said else ''}".rstrip())
        for line in said[1:]:
            print(f"{'':16}{'':9}{line}")
    print(", ".join(f"{count} {state}" for state, count in counts.items() if count))
    if sum(counts.values()) == counts["missing"]:
        stop(f"there is nothing to compare: {arguments[0]} has none of these functions")
    return 1 if counts["differs"] + counts["fails"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
