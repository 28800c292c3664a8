"""The box In PyTorch of the chapter `layers`, run: writes layers.json."""

import json
import math
from pathlib import Path

import torch
from torch import nn

torch.set_default_dtype(torch.float64)


def sines(k, rows, columns):
    """Weights that any program can make: sin(k + 3i + 5j + 7ij)."""
    cell = lambda i, j: math.sin(k + 3 * i + 5 * j + 7 * i * j)
    return torch.tensor([[cell(i, j) for j in range(columns)] for i in range(rows)])


def fill(layer):
    """Our matrices number 1 to 8: Q, K, V, O, W₁, b₁, W₂, b₂. PyTorch's are transposed."""
    q, k, v, o = (sines(i, 4, 4) for i in range(1, 5))
    w1, b1, w2, b2 = sines(5, 4, 16), sines(6, 1, 16), sines(7, 16, 4), sines(8, 1, 4)
    attention = layer.self_attn
    attention.in_proj_weight.copy_(torch.cat([q.T, k.T, v.T]))
    attention.out_proj.weight.copy_(o.T)
    attention.in_proj_bias.zero_(), attention.out_proj.bias.zero_()
    layer.linear1.weight.copy_(w1.T), layer.linear1.bias.copy_(b1[0])
    layer.linear2.weight.copy_(w2.T), layer.linear2.bias.copy_(b2[0])


x = torch.tensor([[[3.0, 9, 11, 17], [1, 2, 3, 4]]])  # batch × n × d_model
norm = nn.LayerNorm(4)  # gains of 1, biases of 0, eps=1e-5
normed = norm(x)  # first row: -1.4, -0.2, 0.2, 1.4
sizes = dict(d_model=4, nhead=2, dim_feedforward=16, dropout=0.0)
post = nn.TransformerEncoderLayer(**sizes, batch_first=True)
pre = nn.TransformerEncoderLayer(**sizes, batch_first=True, norm_first=True)
with torch.no_grad():
    fill(post), fill(pre)
    made = {"norm": normed, "post": post(x), "pre": pre(x)}
    made["encoder"] = post(sines(9, 3, 4)[None])

made = {name: rows[0].tolist() for name, rows in made.items()}
Path(__file__).with_suffix(".json").write_text(json.dumps(made, indent=1) + "\n")
