"""What PyTorch makes of the weights in export.safetensors: see README.md."""

from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional as F

HERE = Path(__file__).parent
VOCABULARY, LAYERS, D_MODEL, D_FF, HEADS = 11, 2, 8, 12, 4
PAD, START, END = 0, 1, 2
SOURCES = [[3, 4, 5, 6], [7, 8], [9, 10, 3, 3, 5]]
TARGETS = [[6, 5, 4], [8, 7, 10, 9, 3], [4]]
WARMUP = 4

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def load():
    """The model, from the file that the crate has written."""
    weights = load_file(HERE / "export.safetensors")
    table = nn.Parameter(weights.pop("embedding.weight").double())
    model = nn.Transformer(
        D_MODEL, HEADS, LAYERS, LAYERS, D_FF, dropout=0.0, batch_first=True
    )
    # The paper has no norm on top of a stack, and no bias in an attention.
    model.encoder.norm = model.decoder.norm = None
    model.load_state_dict(weights, strict=True)
    for name, parameter in model.named_parameters():
        if name.endswith(("in_proj_bias", "out_proj.bias")):
            assert not parameter.any()
            parameter.requires_grad_(False)
    return table, model


def ours(table, state):
    """Weights, or their gradients, by the crate's names and in its shapes."""
    tensors = {"embedding.table": table}
    attention = {"self_attn": "self_attention", "multihead_attn": "cross_attention"}
    norms = {
        "encoder": ["attention_norm", "feed_forward_norm"],
        "decoder": ["self_norm", "cross_norm", "feed_forward_norm"],
    }
    for name, value in state.items():
        stack, _, i, part, *rest = name.split(".")
        before = f"{stack}.layers.{i}."
        if part.startswith("linear"):
            inner = "inner" if part == "linear1" else "outer"
            before += f"feed_forward.{inner}.{rest[0]}"
            tensors[before] = value.T if value.dim() == 2 else value[None]
        elif part.startswith("norm"):
            leaf = "gain" if rest == ["weight"] else "bias"
            before += f"{norms[stack][int(part[4]) - 1]}.{leaf}"
            tensors[before] = value[None]
        elif not name.endswith("bias"):
            before += "attention." if stack == "encoder" else f"{attention[part]}."
            if rest == ["in_proj_weight"]:
                for letter, weight in zip("qkv", value.chunk(3)):
                    tensors[f"{before}w_{letter}"] = weight.T
            else:
                tensors[f"{before}w_o"] = value.T
    return tensors


def padded(sentences):
    rows = [torch.tensor(sentence) for sentence in sentences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)


def positions(n):
    """Sines in the even columns, cosines in the odd ones."""
    hands = 10000 ** (-torch.arange(0, D_MODEL, 2) / D_MODEL)
    angles = torch.arange(n)[:, None] * hands
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def causal(n):
    return torch.ones(n, n, dtype=torch.bool).triu(1)


def embed(table, ids):
    return F.embedding(ids, table) * D_MODEL**0.5 + positions(ids.shape[1])


def forward(table, model):
    """A row of logits for each token that is not padding."""
    sources = padded(SOURCES)
    inputs = padded([[START] + target for target in TARGETS])
    rows = model(
        embed(table, sources),
        embed(table, inputs),
        tgt_mask=causal(inputs.shape[1]),
        src_key_padding_mask=sources == PAD,
        tgt_key_padding_mask=inputs == PAD,
        memory_key_padding_mask=sources == PAD,
    )
    return (rows @ table.T)[inputs != PAD]


def loss(logits):
    answers = torch.tensor(sum((target + [END] for target in TARGETS), []))
    return F.cross_entropy(logits, answers, label_smoothing=0.1)


def single_layers(model, made):
    """Each kind of layer on its own, on random rows: 5 of x and 3 of y."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(1, 5, D_MODEL, generator=generator)
    y = torch.randn(1, 3, D_MODEL, generator=generator)
    encoder, decoder = model.encoder.layers[0], model.decoder.layers[0]
    made["x"], made["y"] = x, y
    made["layer_norm"] = encoder.norm1(x)
    made["feed_forward"] = encoder.linear2(F.relu(encoder.linear1(x)))
    made["attention"], weights = decoder.multihead_attn(
        y, x, x, average_attn_weights=False
    )
    made.update({f"weights.{i}": w for i, w in enumerate(weights[0])})
    made["masked_attention"], _ = decoder.self_attn(y, y, y, attn_mask=causal(3))
    made["encoder_layer"] = encoder(x)
    # The last row of x is padding.
    hidden = torch.tensor([[False, False, False, False, True]])
    made["decoder_layer"] = decoder(
        y, x, tgt_mask=causal(3), memory_key_padding_mask=hidden
    )
    for name, value in made.items():
        made[name] = value[0] if value.dim() == 3 else value


def main():
    table, model = load()
    made = {}
    single_layers(model, made)
    learned = [table] + [p for p in model.parameters() if p.requires_grad]
    adam = torch.optim.Adam(learned, betas=(0.9, 0.98), eps=1e-9)
    rates, losses = [], []
    for step in range(1, 4):
        rate = D_MODEL**-0.5 * min(step**-0.5, step * WARMUP**-1.5)
        for group in adam.param_groups:
            group["lr"] = rate
        adam.zero_grad()
        logits = forward(table, model)
        nats = loss(logits)
        nats.backward()
        if step == 1:
            made["logits"] = logits
            state = {n: p.grad for n, p in model.named_parameters() if p.requires_grad}
            gradients = ours(table.grad, state)
            made.update({f"gradient.{n}": g for n, g in gradients.items()})
        adam.step()
        rates.append(rate)
        losses.append(nats.item())
    after = ours(table, dict(model.named_parameters()))
    made.update({f"after.{name}": weight for name, weight in after.items()})
    made["rates"], made["losses"] = torch.tensor([rates]), torch.tensor([losses])
    made = {name: value.detach().clone().contiguous() for name, value in made.items()}
    save_file(made, HERE / "torch.safetensors", {"torch": torch.__version__})


if __name__ == "__main__":
    main()
