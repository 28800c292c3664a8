"""A model that `transformer export` has written, in PyTorch: python load.py FILE TOKEN..."""

import sys
import tomllib

import torch
from safetensors import safe_open
from torch import nn


def load(path, dropout=0.0):
    """The sizes, the table of the embedding, and the two stacks, ready to translate."""
    with safe_open(path, "pt") as file:
        sizes = tomllib.loads(file.metadata()["config"])
        weights = {name: file.get_tensor(name) for name in file.keys()}
    table = weights.pop("embedding.weight")
    layers = sizes["layers"]
    model = nn.Transformer(
        sizes["d_model"], sizes["heads"], layers, layers, sizes["d_ff"], dropout, batch_first=True
    )
    # The paper has no norm on top of a stack.
    model.encoder.norm = model.decoder.norm = None
    model.load_state_dict(weights)
    return sizes, table, model.eval()


def embed(tokens, table):
    """√d_model times the rows of the table, plus sines and cosines in turn."""
    n, d = tokens.shape[-1], table.shape[1]
    angles = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
    return d**0.5 * table[tokens] + torch.stack([angles.sin(), angles.cos()], -1).view(n, d)


def greedy(path, source, most=50):
    """The tokens of a translation: the most probable one at each step."""
    sizes, table, model = load(path)
    start, end = sizes["vocabulary"] - 2, sizes["vocabulary"] - 1
    memory, target = model.encoder(embed(torch.tensor([source]), table)), [start]
    while target[-1] != end and len(target) <= most:
        past = nn.Transformer.generate_square_subsequent_mask(len(target))
        rows = model.decoder(embed(torch.tensor([target]), table), memory, tgt_mask=past)
        target.append(int((rows[0, -1] @ table.T).argmax()))
    return target[1:]


if __name__ == "__main__":
    with torch.no_grad():
        print(*greedy(sys.argv[1], [int(token) for token in sys.argv[2:]]))
