"""Proves the runner: the right model passes, and each wrong one is told what is wrong with it.

    python3 conformance/selftest.py

A wrong model is `examples/numpy_model.py` with one text replaced by another. It needs numpy.
"""

import json
import struct
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import numpy as np

import check

HERE = Path(__file__).parent
SOURCE = (HERE / "examples" / "numpy_model.py").read_text(encoding="utf-8")

# What the runner should say, and by which change of the source it becomes true: in which functions
# it should be seen, a text, and another in its place.
SHOWN = "scores = np.where(visible, scores, -np.inf)"
EXPS = "np.where(visible, np.exp(scores - largest), 0.0)"
CUT = "m.reshape(len(m), heads, -1).transpose(1, 0, 2)"
JOIN = "np.stack(found).transpose(1, 0, 2)"
DIVIDED = "/ np.sqrt(k.shape[1])"
ROOT = "np.sqrt(variance + 1e-5)"
SUBLAYER = 'add_norm(x, f(x), norm["gain"], norm["bias"])'
POWER = "(2 * i / d_model)"
STACKED = "np.stack([np.sin(angles), np.cos(angles)], axis=-1)"
WANTED = "smoothing / logits.shape[1]"
INPUTS = "target[:-1] for"
RANKS = "rank = min(found)"
WRONG = [
    (
        "softmax over the queries, not over the keys",
        "softmax attention decoder_layer",
        "axis=-1, keepdims=True)\n    largest",
        "axis=0, keepdims=True)\n    largest",
        "total = exps.sum(axis=-1",
        "total = exps.sum(axis=0",
    ),
    (
        "the mask is inverted",
        "softmax attention encoder_layer",
        SHOWN,
        "visible = ~visible\n    " + SHOWN,
    ),
    ("the mask is ignored", "softmax attention encoder_layer", SHOWN, "visible = visible | True"),
    (
        "weights are masked after softmax and not renormalized",
        "softmax attention",
        SHOWN,
        "",
        EXPS,
        "np.exp(scores - largest)",
        "return exps / ",
        "return visible * exps / ",
    ),
    (
        "a hidden score becomes 0, not −∞",
        "softmax attention",
        SHOWN,
        "scores = scores * visible",
        EXPS,
        "np.exp(scores - largest)",
    ),
    (
        "the largest score is not subtracted",
        "softmax",
        "np.where(np.isfinite(largest), largest, 0.0)",
        "0.0",
        "np.where(total == 0.0, 1.0, total)",
        "np.where(visible.any(axis=-1, keepdims=True), total, 1.0)",
    ),
    ("a row that may see nothing is NaN", "softmax", "np.where(total == 0.0, 1.0, total)", "total"),
    (
        "a row that may see nothing sees all",
        "softmax",
        SHOWN,
        "scores = np.where(visible, scores, -1e9)",
        EXPS,
        "np.exp(scores - largest)",
    ),
    (
        "scores are divided by d_k, not by √d_k",
        "attention multi_head encoder_layer decoder model loss",
        DIVIDED,
        "/ k.shape[1]",
    ),
    ("scores are not divided", "attention multi_head decoder_layer model", DIVIDED, ""),
    (
        "scores are multiplied by √d_k",
        "attention multi_head encoder",
        DIVIDED,
        "* np.sqrt(k.shape[1])",
    ),
    (
        "scores are divided by √d_model, not by √d_k",
        "multi_head encoder_layer model loss",
        DIVIDED,
        "/ np.sqrt(2 * k.shape[1])",
    ),
    (
        "heads are cut by a reshape without a transpose",
        "multi_head encoder_layer model",
        CUT,
        "m.reshape(heads, len(m), -1)",
        JOIN,
        "np.stack(found)",
    ),
    (
        "heads are joined by a reshape without a transpose",
        "multi_head encoder",
        JOIN,
        "np.stack(found)",
    ),
    (
        "a head reads every h-th column, but writes its own block",
        "multi_head encoder_layer decoder model",
        CUT,
        "m.reshape(len(m), -1, heads).transpose(2, 0, 1)",
    ),
    (
        "the output projection W^O is missing",
        "multi_head decoder_layer",
        'joined @ w["w_o"]',
        "joined",
    ),
    (
        "the variance is divided by d − 1, not by d",
        "layer_norm add_norm",
        "variance = (centred**2).mean(axis=-1, keepdims=True)",
        "variance = (centred**2).sum(axis=-1, keepdims=True) / (x.shape[1] - 1)",
    ),
    ("ε is added to σ, outside of the root", "layer_norm", ROOT, "(np.sqrt(variance) + 1e-5)"),
    (
        "the deviation is divided by d − 1, and ε = 10⁻⁶ is added to it",
        "layer_norm",
        ROOT,
        "(x.std(axis=-1, ddof=1, keepdims=True) + 1e-6)",
    ),
    ("ε is missing", "layer_norm", ROOT, "np.sqrt(variance)"),
    (
        "the mean is not subtracted",
        "layer_norm add_norm encoder_layer",
        "x - x.mean(axis=-1, keepdims=True)",
        "x",
    ),
    (
        "normalized over the positions, not over the features",
        "layer_norm encoder_layer",
        "x.mean(axis=-1",
        "x.mean(axis=0",
        "(centred**2).mean(axis=-1",
        "(centred**2).mean(axis=0",
    ),
    (
        "the residual is missing: LayerNorm(Sublayer(x))",
        "add_norm encoder_layer",
        "layer_norm(x + sublayer,",
        "layer_norm(sublayer,",
    ),
    (
        "pre-norm: x + Sublayer(LayerNorm(x))",
        "encoder_layer decoder_layer encoder model loss",
        SUBLAYER,
        'x + f(layer_norm(x, norm["gain"], norm["bias"]))',
    ),
    (
        "the ReLU is missing",
        "feed_forward encoder_layer",
        "np.where(hidden.real > 0.0, hidden, 0.0)",
        "hidden",
    ),
    (
        "the inner bias is missing",
        "feed_forward encoder_layer decoder_layer",
        ' + w["inner.bias"]',
        "",
    ),
    (
        "all sines come first, then all cosines",
        "positions embed model",
        STACKED,
        "np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)",
    ),
    ("the exponent is i/d, not 2i/d", "positions embed model", POWER, "(i / d_model)"),
    ("the exponent is 4i/d, not 2i/d", "positions embed model", POWER, "(4 * i / d_model)"),
    ("positions are counted from 1", "positions embed", "np.arange(n)[", "np.arange(1, n + 1)["),
    (
        "sin(pos) is divided, not pos",
        "positions",
        "np.arange(n)[:, None] / 10000.0",
        "np.arange(n)[:, None] + 0 * i",
        "** (2 * i / d_model)",
        "",
        STACKED,
        f"({STACKED} / (10000.0 ** (2 * i / d_model))[:, None])",
    ),
    (
        "embeddings are not multiplied by √d_model",
        "embed model loss",
        "table[tokens] * np.sqrt(d_model)",
        "table[tokens]",
    ),
    ("positions are missing", "embed model", " + positions(len(tokens), d_model)", ""),
    (
        "all layers have the weights of the first",
        "encoder decoder",
        'below(w, f"layers.{i}.") for',
        'below(w, "layers.0.") for',
    ),
    (
        "the mask of the target is missing",
        "decoder_layer model loss",
        "multi_head(y, y, visible_y,",
        "multi_head(y, y, visible_y | True,",
    ),
    (
        "cross-attention is missing",
        "decoder_layer decoder model loss",
        "    y = sublayer(\n",
        "    sublayer(\n",
    ),
    (
        "cross-attention has the weights of self-attention",
        "decoder_layer decoder model",
        'below(w, "cross_attention.")',
        'below(w, "self_attention.")',
    ),
    (
        "the causal mask hides a position from itself",
        "model",
        "np.tri(n, dtype=bool)",
        "np.tri(n, k=-1, dtype=bool)",
    ),
    (
        "the results are probabilities, not logits",
        "model",
        "logits.append(z @ table.T)",
        "logits.append(softmax(z @ table.T, np.bool_(True)))",
    ),
    (
        "softmax is applied twice",
        "cross_entropy loss",
        "    largest = logits.real.max",
        "    logits = softmax(logits, np.bool_(True))\n    largest = logits.real.max",
    ),
    (
        "there is no smoothing",
        "cross_entropy loss",
        f"np.full(logits.shape, {WANTED})",
        "np.zeros(logits.shape)",
        "+= 1.0 - smoothing",
        "= 1.0",
    ),
    (
        "smoothing is spread over the V − 1 other tokens",
        "cross_entropy loss",
        WANTED,
        "smoothing / (logits.shape[1] - 1)",
        "answers] += 1.0",
        "answers] = 1.0",
    ),
    ("padding is learned like other tokens", "cross_entropy", "answers != PAD", "answers >= 0"),
    (
        "the sum is divided by all rows, with padding",
        "cross_entropy",
        "    logits, answers = ",
        "    rows = len(answers)\n    logits, answers = ",
        ".sum() / len(answers)",
        ".sum() / rows",
    ),
    ("the loss is a sum, not a mean", "cross_entropy loss", ".sum() / len(answers)", ".sum()"),
    ("the target is not shifted: the decoder reads its answer", "loss", INPUTS, "target[1:] for"),
    (
        "the target is shifted left",
        "loss",
        INPUTS,
        "target[1:] for",
        "in target[1:]]",
        "in target[:-1]]",
    ),
    ("gradients of the sum, not of the mean", "gradients", ".sum() / len(answers)", ".sum()"),
    (
        "gradients of the loss without smoothing",
        "gradients",
        "loss(sources, targets, smoothing, heads, moved)",
        "loss(sources, targets, 0.0, heads, moved)",
    ),
    (
        "steps are counted from 0",
        "learning_rate training",
        "min(step**-0.5, step *",
        "min(max(step - 1, 1e-9) ** -0.5, (step - 1) *",
    ),
    ("the larger of the two, not the smaller", "learning_rate", "min(step**-0.5", "max(step**-0.5"),
    (
        "the factor 1/√d_model is missing",
        "learning_rate training",
        "return d_model**-0.5 * ",
        "return ",
    ),
    ("β₁ and β₂ are exchanged", "adam training", "0.98", "§", "0.9", "0.98", "§", "0.9"),
    ("no bias correction", "adam training", "(1 - 0.9**self.t)", "1", "(1 - 0.98**self.t)", "1"),
    ("ε of Adam is inside of the root", "adam", "(np.sqrt(v) + 1e-9)", "np.sqrt(v + 1e-9)"),
    ("ε of Adam is 10⁻⁸, not 10⁻⁹", "adam", "1e-9", "1e-8"),
    (
        "the weights decay by 0.01, as in AdamW",
        "adam training",
        "return w - rate * m",
        "return w - rate * 0.01 * w - rate * m",
    ),
    (
        "gradients are added up from step to step",
        "training",
        "        self.t += 1",
        "        self.t += 1\n        self.g = g = getattr(self, 'g', 0.0) + g",
    ),
    ("of equally frequent pairs the last is merged", "bpe_learn", "min(pair for", "max(pair for"),
    (
        "of equally frequent pairs the one that the text has first is merged",
        "bpe_learn",
        "min(pair for",
        "next(pair for",
    ),
    (
        "words are cut at spaces, and the spaces are lost",
        "bpe_learn bpe_encode",
        '" " + word for',
        "word for",
    ),
    ("the latest merge first", "bpe_encode", RANKS, "rank = max(found)"),
    ("the leftmost pair first, not the earliest merge", "bpe_encode", RANKS, "rank = found[0]"),
    (
        "the penalty is the length",
        "length_penalty beam_search",
        "((5 + length) / 6) ** alpha",
        "length",
    ),
    ("the penalty has the wrong sign", "length_penalty beam_search", "** alpha", "** -alpha"),
    (
        "there is no length penalty",
        "length_penalty beam_search",
        "((5 + length) / 6) ** alpha",
        "1.0",
    ),
    (
        "end of sequence does not count for the length",
        "beam_search",
        "len(tokens) - 1, alpha",
        "len(tokens) - 2, alpha",
    ),
    (
        "logits are summed, not log-probabilities",
        "beam_search",
        "logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))",
        "logs = logits",
    ),
    ("only the best hypothesis is kept: greedy", "beam_search", "longer[:width]", "longer[:1]"),
    (
        "a mean of the scores of the sentences",
        "bleu",
        "def bleu(hypotheses, references):",
        "def bleu(hypotheses, references):\n"
        "    return np.mean([one([h], [r]) for h, r in zip(hypotheses, references)])\n\n\n"
        "def one(hypotheses, references):",
        "        logs += np.log(matches / all_said)",
        "        if all_said:\n            logs, count = logs + np.log(matches / all_said), n",
        "np.exp(logs / 4)",
        "np.exp(logs / count)",
    ),
    ("there is no brevity penalty", "bleu", "min(1.0, np.exp(1 - r / c))", "1.0"),
    (
        "matches are not clipped",
        "bleu chrf",
        "(said & wanted).total()",
        "sum(said[one] for one in said if one in wanted)",
    ),
    ("letters are compared, not words", "bleu", "a.split(), b.split()", "a, b"),
    ("β is 1, not 2", "chrf", "beta = 2", "beta = 1"),
    ("spaces are counted as letters", "chrf", '.replace(" ", "")', ""),
]


def module(changes=()):
    """The model with each of these texts replaced by the one after it."""
    source = SOURCE
    for old, new in zip(changes[::2], changes[1::2]):
        if old not in source:
            sys.exit(f"the model has no text {old!r}")
        source = source.replace(old, new)
    made = types.ModuleType("model")
    exec(compile(source, "numpy_model.py", "exec"), made.__dict__)
    return made


def tensors(path):
    """A safetensors file: the length of a header, the header as JSON, and the numbers."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header, data = json.loads(data[8 : 8 + length]), data[8 + length :]
    kinds = {"F64": "<f8", "I64": "<i8", "BOOL": "?"}
    return {
        name: np.frombuffer(data[slice(*one["data_offsets"])], kinds[one["dtype"]]).reshape(
            one["shape"]
        )
        for name, one in header.items()
    }


def same_in_both_forms():
    """Whether every tensor is in the JSON, at the place that its name says."""
    found = tensors(HERE / "fixtures.safetensors")
    for path, tensor in found.items():
        function, case, *keys = path.split("/")
        part = json.loads((check.FIXTURES / f"{function}.json").read_text(encoding="utf-8"))
        value = next(one for one in part["cases"] if one["name"] == case)
        for key in keys:
            value = value[int(key)] if isinstance(value, list) else value[key]
        if not np.array_equal(np.array(value), tensor):
            return f"{path} is not the same in the JSON"
    return None


# What a module may hold that cannot be compared, the exit code, and what is said of it.
RUNS = [
    ("", 2, "nothing to compare"),
    ("def bleu(hypotheses, references):\n    raise NotImplementedError", 2, "nothing to compare"),
    ("x = 1\ny = (", 2, "SyntaxError: '(' was never closed (mine.py:2)"),
    ("x = 1\n\ny = 1 / 0", 2, "ZeroDivisionError: division by zero (mine.py:3)"),
    ("import torch_that_is_not_there", 2, "torch_that_is_not_there' (mine.py:1)"),
    ("\nimport beside", 2, "ZeroDivisionError: division by zero (beside.py:1)"),
    ("import json\njson.loads('')", 2, "(mine.py:2)"),
    ("import sys\nsys.exit(0)", 2, "SystemExit: 0 (mine.py:2)"),
    ("def length_penalty(length, alpha):\n    return ((5 + length) / 6) ** alpha", 0, "1 agrees"),
    ("def length_penalty(length, alpha):\n    return 1.0", 1, "there is no length penalty"),
]


def wrong_ends():
    """What the runner does not say of a module as a whole, or not with this exit code."""
    with tempfile.TemporaryDirectory() as folder:
        mine = Path(folder) / "mine.py"
        (Path(folder) / "beside.py").write_text("1 / 0", encoding="utf-8")
        for source, code, words in RUNS:
            mine.write_text(source, encoding="utf-8")
            command = [sys.executable, "-X", "utf8", str(HERE / "check.py"), str(mine)]
            ran = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
            said = ran.stdout + ran.stderr
            if ran.returncode != code or words not in said or "Traceback" in said:
                yield f"{source!r} ends with {ran.returncode}: {said[-300:]}"


def spoiled(value, nan):
    """The same with each number that is not whole replaced by this one."""
    if isinstance(value, dict):
        return {name: spoiled(part, nan) for name, part in value.items()}
    if isinstance(value, list):
        return [spoiled(part, nan) for part in value]
    return nan if isinstance(value, float) else value


def not_numbers():
    """What is said of functions that return NaN or infinity, if it is anything else."""
    for name in check.ORDER:
        if name.startswith("bpe"):
            continue
        part = json.loads((check.FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
        for nan in [np.nan, np.inf, -np.inf]:
            results = iter([spoiled(case["out"], nan) for case in part["cases"]])
            made = types.ModuleType("nan")
            setattr(made, name, lambda results=results, **_: next(results))
            state, said = check.examine(made, name)
            if state != "differs" or not all("is not a number" in line for line in said):
                yield f"{name} that is {nan}: {state}, {said}"


def main():
    faults = [fault for fault in [same_in_both_forms()] if fault]
    faults += [*wrong_ends(), *not_numbers()]
    right = module()
    for function in check.ORDER:
        state, said = check.examine(right, function)
        if state != "agrees":
            faults.append(f"the right {function} {state}: {said}")
    if f"in {len(WRONG)} ways" not in (HERE / "README.md").read_text(encoding="utf-8"):
        faults.append(f"the README does not say {len(WRONG)} ways")
    seen = 0
    with np.errstate(all="ignore"):
        for mistake, functions, *changes in WRONG:
            wrong = module(changes)
            for place, function in enumerate(functions.split()):
                seen += 1
                state, said = check.examine(wrong, function)
                # Where it is made, it is told from all others. Further up, two may look alike.
                told = said == [mistake] if place == 0 else mistake in said
                if state != "differs" or not told:
                    faults.append(f"{function}, {mistake}: {state}, {said}")
    missing = types.ModuleType("empty")
    if any(check.examine(missing, function)[0] != "missing" for function in check.ORDER):
        faults.append("a function that is not there is not missing")
    print(
        "\n".join(
            faults
            or [
                f"{len(check.ORDER)} functions agree, {len(WRONG)} mistakes are named, {seen} times"
            ]
        )
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
