"""The box In PyTorch of the chapter `transformer`, run: writes transformer.json."""

import json
from pathlib import Path

import torch
from torch import nn

from sines import fill_decoder_layer, fill_encoder_layer, sines

table = sines(0, 10, 4)  # V × d_model
source, target = torch.tensor([[3, 1, 4, 1]]), torch.tensor([[0, 5, 9]])


def positions(n):
    """For rows of four numbers."""
    angles = torch.arange(n)[:, None] * torch.tensor([1.0, 0.01])
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def embed(tokens):
    return table[tokens] * 2 + positions(tokens.shape[1])  # 2 is √d_model


# table: 10 × 4; embed(t): table[t] · √4 + positions, with a batch axis
model = nn.Transformer(4, 2, 1, 1, 16, dropout=0.0, batch_first=True)
model.encoder.norm = model.decoder.norm = None  # the paper has none on top
later = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
with torch.no_grad():
    fill_encoder_layer(model.encoder.layers[0])
    fill_decoder_layer(model.decoder.layers[0])
    y = model(embed(source), embed(target), tgt_mask=later)
    logits = y @ table.T
    made = {"memory": model.encoder(embed(source)), "logits": logits}
    y, x = sines(9, 3, 4)[None], sines(10, 2, 4)[None]
    made["decoder"] = model.decoder.layers[0](y, x, tgt_mask=later)

made = {name: rows[0].tolist() for name, rows in made.items()}
Path(__file__).with_suffix(".json").write_text(json.dumps(made, indent=1) + "\n")
