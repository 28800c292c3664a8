"""Runs the boxes *In PyTorch* of some pages on our numbers: see README.md."""

import re
from pathlib import Path

import torch
from safetensors.torch import load_file

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"


def box(page, given=None):
    """What the names of a page's box mean when it has run."""
    text = (SOURCE / f"{page}.md").read_text()
    (code,) = re.findall(r"^> ```python\n(.*?)^> ```$", text, re.M | re.S)
    names = dict(given or {})
    exec(re.sub(r"^> ?", "", code, flags=re.M), names)
    return names


def equal(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def heads():
    """The box against `torch.safetensors`, with which the crate agrees."""
    weights = load_file(HERE / "export.safetensors")
    made = load_file(HERE / "torch.safetensors")
    before = "decoder.layers.0.multihead_attn."
    projections = weights[before + "in_proj_weight"].double().chunk(3)
    w_o = weights[before + "out_proj.weight"].double()
    matrices = [w.T for w in (*projections, w_o)]
    x, y = made["x"][None], made["y"][None]
    found = box("heads")["heads"](4, y, x, *matrices)
    equal(found[0], made["attention"])


def mask():
    """The box against the example's last block, which has two decimals."""
    printed = (SOURCE / "outputs" / "mask.txt").read_text()
    rows = re.search(r"^−∞ before softmax.*\n.*\n.*$", printed, re.M)[0]
    ours = re.findall(r"(\d\.\d\d) +(\d\.\d\d) +(\d\.\d\d) +1\.00$", rows, re.M)
    ours = torch.tensor([[float(cell) for cell in row] for row in ours])
    weights = box("mask")["weights"]
    torch.testing.assert_close(weights[0, 0], ours, rtol=0, atol=0.005)
    assert not weights[1, 0, :, 2].any()
    equal(weights[1, 0, 2, :2], torch.softmax(torch.tensor([0.0, 1.0]), -1))


def main():
    torch.set_default_dtype(torch.float64)
    heads()
    mask()
    print("the boxes agree")


if __name__ == "__main__":
    main()
