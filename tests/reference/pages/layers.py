"""The box In PyTorch of the chapter `layers`, run: writes layers.json."""

import json
from pathlib import Path

import torch
from torch import nn

from sines import fill_encoder_layer, sines

x = torch.tensor([[[3.0, 9, 11, 17], [1, 2, 3, 4]]])
norm = nn.LayerNorm(4)  # gains 1, biases 0, eps=1e-5
normed = norm(x)  # first row: -1.4, -0.2, 0.2, 1.4
sizes = dict(d_model=4, nhead=2, dim_feedforward=16)
sizes |= dict(dropout=0.0, batch_first=True)
post = nn.TransformerEncoderLayer(**sizes)
pre = nn.TransformerEncoderLayer(**sizes, norm_first=True)
with torch.no_grad():
    fill_encoder_layer(post), fill_encoder_layer(pre)
    made = {"norm": normed, "post": post(x), "pre": pre(x)}
    made["encoder"] = post(sines(9, 3, 4)[None])

made = {name: rows[0].tolist() for name, rows in made.items()}
Path(__file__).with_suffix(".json").write_text(json.dumps(made, indent=1) + "\n")
