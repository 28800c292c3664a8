"""Runs the boxes *In PyTorch* of the pages `gradient` and `loss`, as the pages show them: writes slopes.json."""

import json
import re
from pathlib import Path

import torch

HERE = Path(__file__).parent
torch.set_default_dtype(torch.float64)


def box(page):
    """A page's box, and what its names mean when it has run."""
    text = (HERE.parent.parent / "src" / f"{page}.md").read_text()
    (code,) = re.findall(r"^> ```python\n(.*?)^> ```$", text, re.M | re.S)
    code = re.sub(r"^> ?", "", code, flags=re.M)
    names = {}
    exec(code, names)
    return code, names


def numbers(tensor):
    return tensor.detach().flatten().tolist()


taxi, found = box("gradient")
made = {"gradient": {"box": taxi, "w": numbers(found["w"].grad), "b": numbers(found["b"].grad)}}
logits, found = box("loss")
made["loss"] = {"box": logits, "loss": numbers(found["loss"]), "slopes": numbers(found["x"].grad)}
(HERE / "slopes.json").write_text(json.dumps(made, indent=1) + "\n")
