"""Runs the boxes *In PyTorch* of some pages on our numbers: see README.md."""

import re
from pathlib import Path

import torch
import transformer as reference
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

PAD = reference.PAD

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"


def box(page, given=None):
    """What the names of a page's box mean when it has run."""
    text = (SOURCE / f"{page}.md").read_text()
    (code,) = re.findall(r"^> ```python\n(.*?)^> ```$", text, re.M | re.S)
    names = dict(given or {})
    exec(re.sub(r"^> ?", "", code, flags=re.M), names)
    return names


def equal(ours, theirs, apart=1e-12):
    torch.testing.assert_close(ours, theirs, rtol=0, atol=apart)


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
    rows = re.search(r"^−∞ before.*\n.*\n.*$", printed, re.M)[0]
    ours = re.findall(r"(\d\.\d\d) +(\d\.\d\d) +(\d\.\d\d) +1\.00$", rows, re.M)
    ours = torch.tensor([[float(cell) for cell in row] for row in ours])
    weights = box("mask")["weights"]
    torch.testing.assert_close(weights[0, 0], ours, rtol=0, atol=0.005)
    assert not weights[1, 0, :, 2].any()
    equal(weights[1, 0, 2, :2], torch.softmax(torch.tensor([0.0, 1.0]), -1))


class Translator(nn.Module):
    """The exported model: a row of logits for each token of a target."""

    def __init__(self):
        super().__init__()
        self.table, self.model = reference.load()

    def forward(self, source, target):
        rows = self.model(
            reference.embed(self.table, source),
            reference.embed(self.table, target),
            tgt_mask=reference.causal(target.shape[1]),
            src_key_padding_mask=source == PAD,
            tgt_key_padding_mask=target == PAD,
            memory_key_padding_mask=source == PAD,
        )
        return rows @ self.table.T


def training():
    """Three updates of the box against those of `torch.safetensors`."""
    made = load_file(HERE / "torch.safetensors")
    model = Translator()
    begin, end = reference.START, reference.END
    targets = [[begin, *target, end] for target in reference.TARGETS]
    batch = reference.padded(reference.SOURCES), reference.padded(targets)
    rates = made["rates"][0].tolist()
    box(
        "training",
        {
            "torch": torch,
            "F": F,
            "PAD": PAD,
            "model": model,
            "batches": [batch] * 3,
            "limit": float("inf"),
            "learning_rate": lambda peak, step, warmup: rates[step - 1],
        },
    )
    after = reference.ours(model.table, dict(model.model.named_parameters()))
    for name, weight in after.items():
        equal(weight.detach(), made[f"after.{name}"], 1e-10)


def optimizer():
    """The steps of the box against those that the chapter prints."""
    printed = (SOURCE / "outputs" / "optimizer.txt").read_text()
    section = printed.split("== Two steps of Adam\n")[1].split("\n\n")[0]
    printed = {line.split()[-1] for line in section.splitlines()[1:]}
    found = {f"{x:.3f}" for row in box("optimizer")["ways"] for x in row}
    assert found == printed, f"{found} and {printed}"


def main():
    torch.set_default_dtype(torch.float64)
    heads()
    mask()
    training()
    optimizer()
    print("the boxes agree")


if __name__ == "__main__":
    main()
