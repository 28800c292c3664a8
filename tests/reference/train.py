"""Teaches an exported model to copy words: python train.py FILE OUT STEPS DROPOUT"""

import random
import sys

import torch
from load import embed, load
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn
from torch.nn.functional import cross_entropy, dropout

path, out, steps, rate = *sys.argv[1:3], int(sys.argv[3]), float(sys.argv[4])
random.seed(1)
torch.manual_seed(1)
sizes, table, model = load(path, rate)
model.train()  # now dropout is applied
table.requires_grad_()
for name, parameter in model.named_parameters():
    if name.endswith(("in_proj_bias", "out_proj.bias")):
        parameter.requires_grad = False  # stays 0
learns = [table, *(p for p in model.parameters() if p.requires_grad)]
adam = torch.optim.Adam(learns, 0.001, betas=(0.9, 0.98), eps=1e-9)

start, end = sizes["vocabulary"] - 2, sizes["vocabulary"] - 1
for step in range(1, steps + 1):
    length = random.randint(3, 10)  # one for the batch, so nothing is padded
    words = torch.randint(97, 123, (64, length))
    source = nn.functional.pad(words, (0, 1), value=end)
    target = nn.functional.pad(words, (1, 0), value=start)
    rows = [dropout(embed(tokens, table), rate) for tokens in (source, target)]
    past = nn.Transformer.generate_square_subsequent_mask(length + 1)
    logits = model(*rows, tgt_mask=past) @ table.T
    loss = cross_entropy(logits.flatten(0, 1), source.flatten())
    adam.zero_grad()
    loss.backward()
    adam.step()
    if step % 500 == 0 or step == steps:
        print(f"step {step}: loss {loss.item():.3f}")

with safe_open(path, "pt") as file:
    header = file.metadata()
weights = {"embedding.weight": table.detach(), **model.state_dict()}
save_file(weights, out, header)
