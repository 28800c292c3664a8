"""Writes bleu.json: what sacreBLEU 2.6.0 says of a few invented corpora.

    pip install sacrebleu==2.6.0
    python tests/reference/bleu.py > tests/reference/bleu.json
"""

import json
import random

import sacrebleu
from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__

# Each a name, and pairs of hypothesis and reference.
CORPORA = {
    "by hand": [
        ("the cat jumped over a fence", "the cat jumped over the fence"),
        ("I am fine", "I am fine and so are you"),
    ],
    "punctuation": [
        ('"Nobody asked me", she said.', '"Nobody has asked me," she said.'),
        ("Who opened the window?!", "Who has opened the window?"),
        ("It rained; the bridge (the old one) is closed...",
         "It rained: the bridge - the old one - is closed."),
        ("It's the neighbour's dog's.", "It's my neighbours' dog's."),
        ("Write to me@example.org, or don't!", "Write to me@example.org or don't."),
        ("either/or; 50% of $5 & more #1 *note* ~x^2 [a] {b} \\c |d| `e` <f> g=h+i_j",
         "either / or; 50 % of 5$ & more #1 *note* ~x^2 [a] {b} \\c |d| 'e' <f> g=h+i_j"),
    ],
    "numbers": [
        ("The ferry leaves at 7.45, not at 8.", "The ferry departs at 7.45, not at 8."),
        ("It is 1,000.5 km, or 1.000,5 km.", "It is 1,000.5 km or 1.000,5 km."),
        ("In 1984-85 there were 5-year plans, 3-4 of them",
         "In 1984 - 85 there were 5-year plans, 3-4 of them."),
        ("Version 2.0.1. is .5 or 5. or 5.x or x.5 or 5..6 or x..6 or x...6",
         "Version 2.0.1 is 0.5 or 5 or 5.x or x.5 or 5..6 or x..6 or x...6"),
        ("٣٫٥ is ٣.٥, and ½ is 0.5", "٣٫٥ is ٣.٥ and ½ is 0.5."),
    ],
    "entities": [
        ("Tom &amp; Jerry &lt;3 &quot;cheese&quot; &gt; mice",
         'Tom & Jerry <3 "cheese" > mice'),
        ("&amp;lt; and &amp;quot; and &amp;amp; and &apos; and &#39; and &",
         "&lt; and &quot; and &amp; and ' and ' and &amp;"),
        ("a <skipped> word and <skip&gt;", "a word and <skipped>"),
    ],
    "German": [
        ("Mir geht es gut.", "Mir geht es gut!"),
        ("Der große Hund läuft über die grüne Wiese .",
         "Der große Hund rennt über eine grüne Wiese."),
        ("„Wer hat das Fenster geöffnet?“, fragte sie – leise.",
         "„Wer öffnete das Fenster?“ fragte sie — leise."),
        ("Die E-Mail kam am 3. März um 7.30 Uhr.",
         "Die E-Mail kam am 3. März gegen 7:30 Uhr."),
        ("Ein Nord-Süd-Gefälle von 5-6 % (z. B. 5,5 %)",
         "Ein Nord-Süd-Gefälle von 5 bis 6 % (z.B. 5,5 %)"),
        ("STRASSE und Straße", "Straße und STRASSE"),
    ],
    "Unicode": [
        ("naïve café 日本語 。 ok", "naïve café 日本語。 ok"),
        ("no\u00a0break and\u2003wide\u3000wider\u200bzero", "no break and wide wider\u200bzero"),
        ("a\x1cb\x1dc\x1ed\x1fe\x85f g\x0bh\x0ci", "a b c d e f g h i"),
        ("e\u0301 is not \u00e9, 👩‍🚀!", "\u00e9 is not \u00e9, 👩‍🚀!"),
    ],
    "lines within": [
        ("a word cut in the mid-\ndle, and a line\nbreak", "a word cut in the middle, and a line break"),
        ("ends with a hyphen-\n", "ends with a hyphen-"),
        ("  spaces \t and\ttabs  ", "spaces and tabs"),
        ("carriage\r\nreturn-\r\n", "carriage return-"),
    ],
    "empty lines": [
        ("", "there should be something here"),
        ("there should be nothing here", ""),
        ("", ""),
        ("and this line is as it should be", "and this line is as it should be"),
        ("   ", " \t"),
    ],
    "nothing said": [("", "one two three"), ("", "four five")],
    "nothing wanted": [("one two three four", ""), ("five", "")],
    "nothing at all": [("", ""), ("", "")],
    "no match": [("one two three four five", "six seven eight nine ten")],
    "no bigram": [("five four three two one", "one two three four five")],
    "no trigram": [("one two and three four and five", "one two three four five six")],
    "no four-gram": [
        ("one two three and four five six", "one two three four five six"),
        ("seven eight nine", "seven eight nine ten"),
    ],
    "too short for four": [("I am fine", "I am fine")],
    "too short for two": [("fine", "fine"), ("good", "good")],
    "just long enough": [("Mir geht es gut", "Mir geht es gut")],
    "too short": [("over the fence today", "the cat jumped over the fence today and yesterday")],
    "too long": [("well the cat the cat jumped right over the fence and over the fence",
                  "the cat jumped over the fence")],
    "clipped": [("the the the the the the the", "the cat jumped over the fence"),
                ("the cat the cat the cat sat on the", "the cat sat on the cat")],
    "case": [("The Cat jumped over the Fence", "the cat jumped over the fence")],
    "perfect": [("every word of this stands there", "every word of this stands there"),
                ("and of this one as well", "and of this one as well")],
}


def a_larger_one():
    """Sentences of invented words, with words changed, moved and lost."""
    rng = random.Random(2002)
    syllables = ["ba", "ko", "li", "mu", "ne", "ro", "si", "tu"]
    words = [a + b for a in syllables for b in syllables]
    ends = [".", "!", "?", ", 3.", "...", ' "x".', " (5-6)"]
    pairs = []
    for _ in range(60):
        wanted = [rng.choice(words) for _ in range(rng.randint(1, 14))]
        said = []
        for word in wanted:
            dice = rng.random()
            if dice < 0.10:
                said.append(rng.choice(words))
            elif dice < 0.16:
                said.insert(max(0, len(said) - 1), word)
            elif dice < 0.90:
                said.append(word)
        wanted_end, other_end = rng.choice(ends), rng.choice(ends)
        said_end = wanted_end if rng.random() < 0.8 else other_end
        pairs.append((" ".join(said) + said_end, " ".join(wanted) + wanted_end))
    return pairs


def texts():
    """Short texts of the signs that the rules of 13a are about."""
    rng = random.Random(2018)
    signs = ["a", "b", "1", "2", ".", ",", "-", ".", ",", "-", "'", " ", '"',
             "&", ";", "&amp;", "quot;", "lt;", "\n", "/", "%", "é", "<skipped>"]
    return ["".join(rng.choice(signs) for _ in range(rng.randint(1, 14)))
            for _ in range(300)]


def score(tokenizer, pairs):
    """The score of a corpus, its parts, and the line that is printed."""
    hypotheses, references = zip(*pairs)
    bleu = BLEU(tokenize=tokenizer).corpus_score(hypotheses, [references])
    return {
        "score": bleu.score,
        "precisions": bleu.precisions,
        "brevity_penalty": bleu.bp,
        "ratio": bleu.ratio,
        "hypothesis_length": bleu.sys_len,
        "reference_length": bleu.ref_len,
        "line": str(bleu),
    }


def signature(tokenizer):
    """The signature that goes with a score."""
    bleu = BLEU(tokenize=tokenizer)
    bleu.corpus_score(["x"], [["x"]])
    return str(bleu.get_signature())


def rows(items):
    """A list in JSON, a line for each item."""
    lines = (json.dumps(item, ensure_ascii=False) for item in items)
    return "[\n" + ",\n".join(lines) + "\n]"


def main():
    """Everything, in JSON."""
    tokenize = Tokenizer13a()
    tokens = ([text, tokenize(text.rstrip()).split()] for text in texts())
    corpora = (
        {"name": name, "pairs": pairs,
         "none": score("none", pairs), "13a": score("13a", pairs)}
        for name, pairs in {**CORPORA, "a larger one": a_larger_one()}.items()
    )
    signatures = {name: signature(name) for name in ("none", "13a")}
    print('{"sacrebleu":', json.dumps(sacrebleu.__version__), end=",\n")
    print('"signatures":', json.dumps(signatures), end=",\n")
    print('"tokens":', rows(tokens), end=",\n")
    print('"corpora":', rows(corpora), end="}\n")


main()
