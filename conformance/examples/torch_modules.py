"""PyTorch's own modules behind the names of the kit.

    python3 conformance/check.py conformance/examples/torch_modules.py

What PyTorch has no module for is left to others, and says so. It needs torch.
"""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

PAD = 0
torch.set_default_dtype(torch.float64)


def tensor(x):
    return torch.as_tensor(x)


def hidden(visible):
    """MultiheadAttention wants True where a key is hidden."""
    return ~tensor(visible)


def lacks(what):
    raise NotImplementedError(f"PyTorch has no {what}")


def softmax(scores, visible):
    # PyTorch's softmax makes NaN of a row that may see nothing. The kit asks for zeros.
    scores = tensor(scores).masked_fill(hidden(visible), -torch.inf)
    return scores.softmax(-1).nan_to_num(0.0)


def attention(q, k, v, visible):
    q, k, v = tensor(q)[None], tensor(k)[None], tensor(v)[None]
    return F.scaled_dot_product_attention(q, k, v, tensor(visible))[0]


def put(module, weights):
    """Loads weights by PyTorch's names; a bias that the paper has not is 0 already."""
    own = module.state_dict()
    assert not weights.keys() - own.keys()
    module.load_state_dict({**{n: torch.zeros_like(p) for n, p in own.items()}, **weights})
    return module


def of_attention(w, ours, name):
    qkv = [tensor(w[f"{ours}w_{letter}"]).T for letter in "qkv"]
    return {
        f"{name}in_proj_weight": torch.cat(qkv),
        f"{name}out_proj.weight": tensor(w[f"{ours}w_o"]).T,
    }


def of_norm(w, ours, name):
    leaves = {"weight": "gain", "bias": "bias"}
    return {f"{name}.{a}": tensor(w[f"{ours}.{b}"]) for a, b in leaves.items()}


def of_feed_forward(w, ours=""):
    leaves = {"linear1": "inner", "linear2": "outer"}
    found = {}
    for name, layer in leaves.items():
        found[f"{name}.weight"] = tensor(w[f"{ours}{layer}.weight"]).T
        found[f"{name}.bias"] = tensor(w[f"{ours}{layer}.bias"])
    return found


def multi_head(x, y, visible, heads, w):
    x, y = tensor(x)[None], tensor(y)[None]
    module = nn.MultiheadAttention(x.shape[-1], heads, batch_first=True)
    put(module, of_attention(w, "", ""))
    return module(x, y, y, attn_mask=hidden(visible))[0][0].detach()


def layer_norm(x, gain, bias):
    return F.layer_norm(tensor(x), gain.shape, tensor(gain), tensor(bias))


def add_norm(x, sublayer, gain, bias):
    return layer_norm(tensor(x) + tensor(sublayer), gain, bias)


def feed_forward(x, w):
    found = of_feed_forward(w)
    inner = F.linear(tensor(x), found["linear1.weight"], found["linear1.bias"])
    return F.linear(F.relu(inner), found["linear2.weight"], found["linear2.bias"])


def positions(n, d_model):
    lacks("sinusoidal positions")


def embed(tokens, table):
    lacks("scaled embeddings with positions")


def of_encoder_layer(w):
    return {
        **of_attention(w, "attention.", "self_attn."),
        **of_feed_forward(w, "feed_forward."),
        **of_norm(w, "attention_norm", "norm1"),
        **of_norm(w, "feed_forward_norm", "norm2"),
    }


def of_decoder_layer(w):
    return {
        **of_attention(w, "self_attention.", "self_attn."),
        **of_attention(w, "cross_attention.", "multihead_attn."),
        **of_feed_forward(w, "feed_forward."),
        **of_norm(w, "self_norm", "norm1"),
        **of_norm(w, "cross_norm", "norm2"),
        **of_norm(w, "feed_forward_norm", "norm3"),
    }


def below(w, name):
    return {key[len(name) :]: value for key, value in w.items() if key.startswith(name)}


def stack(w, of_layer):
    count = 1 + max(int(name.split(".")[1]) for name in w)
    found = {}
    for i in range(count):
        layer = of_layer(below(w, f"layers.{i}."))
        found.update({f"layers.{i}.{name}": value for name, value in layer.items()})
    return count, found


def sizes(w, before=""):
    """d_model and d_ff."""
    return w[f"{before}feed_forward.inner.weight"].shape


def layer_of(kind, heads, w, before=""):
    d_model, d_ff = sizes(w, before)
    return kind(d_model, heads, d_ff, dropout=0.0, batch_first=True)


def encoder_layer(x, visible, heads, w):
    module = put(layer_of(nn.TransformerEncoderLayer, heads, w), of_encoder_layer(w))
    return module(tensor(x)[None], src_mask=hidden(visible))[0].detach()


def decoder_layer(y, memory, visible_y, visible_memory, heads, w):
    module = put(layer_of(nn.TransformerDecoderLayer, heads, w), of_decoder_layer(w))
    masks = dict(tgt_mask=hidden(visible_y), memory_mask=hidden(visible_memory))
    return module(tensor(y)[None], tensor(memory)[None], **masks)[0].detach()


def encoder(x, visible, heads, w):
    count, found = stack(w, of_encoder_layer)
    layer = layer_of(nn.TransformerEncoderLayer, heads, w, "layers.0.")
    module = put(nn.TransformerEncoder(layer, count), found)
    return module(tensor(x)[None], mask=hidden(visible))[0].detach()


def decoder(y, memory, visible_y, visible_memory, heads, w):
    count, found = stack(w, of_decoder_layer)
    layer = layer_of(nn.TransformerDecoderLayer, heads, w, "layers.0.")
    module = put(nn.TransformerDecoder(layer, count), found)
    masks = dict(tgt_mask=hidden(visible_y), memory_mask=hidden(visible_memory))
    return module(tensor(y)[None], tensor(memory)[None], **masks)[0].detach()


class Model(nn.Module):
    """nn.Transformer between two ends that PyTorch has not: embeddings with positions, and the same
    table once more as output layer."""

    def __init__(self, heads, w):
        super().__init__()
        d_model, d_ff = sizes(w, "encoder.layers.0.")
        count, encoder = stack(below(w, "encoder."), of_encoder_layer)
        _, decoder = stack(below(w, "decoder."), of_decoder_layer)
        self.table = nn.Parameter(tensor(w["embedding.table"]).clone())
        self.inner = nn.Transformer(
            d_model, heads, count, count, d_ff, dropout=0.0, batch_first=True
        )
        # The paper has no norm on top of a stack, and no bias in an attention.
        self.inner.encoder.norm = self.inner.decoder.norm = None
        put(
            self.inner,
            {f"encoder.{name}": value for name, value in encoder.items()}
            | {f"decoder.{name}": value for name, value in decoder.items()},
        )
        for name, parameter in self.inner.named_parameters():
            if name.endswith(("in_proj_bias", "out_proj.bias")):
                parameter.requires_grad_(False)

    def embed(self, ids):
        d = self.table.shape[1]
        angles = torch.arange(ids.shape[1])[:, None] * 10000 ** (-torch.arange(0, d, 2) / d)
        places = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        return F.embedding(ids, self.table) * d**0.5 + places

    def forward(self, sources, inputs):
        """Logits of a padded batch."""
        rows = self.inner(
            self.embed(sources),
            self.embed(inputs),
            tgt_mask=torch.ones(2 * inputs.shape[1:], dtype=torch.bool).triu(1),
            src_key_padding_mask=sources == PAD,
            tgt_key_padding_mask=inputs == PAD,
            memory_key_padding_mask=sources == PAD,
        )
        return rows @ self.table.T

    def loss(self, sources, targets, smoothing):
        sources, targets = padded(sources), padded(targets)
        inputs = targets[:, :-1].masked_fill(targets[:, 1:] == PAD, PAD)
        logits, answers = self(sources, inputs).flatten(0, 1), targets[:, 1:].flatten()
        return F.cross_entropy(logits, answers, ignore_index=PAD, label_smoothing=smoothing)


def padded(sentences):
    rows = [torch.tensor(sentence) for sentence in sentences]
    return pad_sequence(rows, batch_first=True, padding_value=PAD)


def model(sources, inputs, heads, w):
    inputs = padded(inputs)
    return Model(heads, w)(padded(sources), inputs)[inputs != PAD].detach()


def cross_entropy(logits, answers, smoothing):
    answers = torch.tensor(answers)
    return F.cross_entropy(tensor(logits), answers, ignore_index=PAD, label_smoothing=smoothing)


def loss(sources, targets, smoothing, heads, w):
    return Model(heads, w).loss(sources, targets, smoothing).item()


def gradients(sources, targets, smoothing, heads, w):
    """Gradients with respect to our weights, which PyTorch's are made of."""
    module = Model(heads, w)
    module.loss(sources, targets, smoothing).backward()
    found = {"embedding.table": module.table.grad}
    slopes = {name: p.grad for name, p in module.inner.named_parameters()}
    names = [name for name in w if name != "embedding.table"]
    return found | {name: of_ours(name, slopes) for name in names}


def of_ours(name, slopes):
    """The gradient that belongs to one of our names."""
    side, _, i, part, leaf, *rest = name.split(".")
    before = f"{side}.layers.{i}."
    norms = ["attention_norm", "feed_forward_norm"]
    if side == "decoder":
        norms = ["self_norm", "cross_norm", "feed_forward_norm"]
    if part in norms:
        kind = "weight" if leaf == "gain" else "bias"
        return slopes[f"{before}norm{1 + norms.index(part)}.{kind}"]
    if part == "feed_forward":
        linear = "linear1" if leaf == "inner" else "linear2"
        slope = slopes[f"{before}{linear}.{rest[0]}"]
        return slope.T if slope.dim() == 2 else slope
    before += "multihead_attn." if part == "cross_attention" else "self_attn."
    if leaf == "w_o":
        return slopes[f"{before}out_proj.weight"].T
    return slopes[f"{before}in_proj_weight"].chunk(3)["qkv".index(leaf[-1])].T


def learning_rate(step, warmup, d_model):
    lacks("schedule with this warm-up")


def adam(w, gradients, rates):
    parameter = nn.Parameter(tensor(w).clone())
    optimizer, after = torch.optim.Adam([parameter], betas=(0.9, 0.98), eps=1e-9), []
    for gradient, rate in zip(gradients, rates):
        optimizer.param_groups[0]["lr"] = rate
        parameter.grad = tensor(gradient)
        optimizer.step()
        after.append(parameter.detach().tolist())
    return after


def training(sources, targets, smoothing, heads, w, steps, warmup):
    module = Model(heads, w)
    learned = [p for p in module.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(learned, lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    d_model = module.table.shape[1]

    def rate(done):
        return d_model**-0.5 * min((done + 1) ** -0.5, (done + 1) * warmup**-1.5)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        nats = module.loss(sources, targets, smoothing)
        nats.backward()
        losses.append(nats.item())
        optimizer.step()
        schedule.step()
    return [*losses, module.loss(sources, targets, smoothing).item()]


def bpe_learn(text, merges):
    lacks("byte pairs")


def bpe_encode(text, merges):
    lacks("byte pairs")


def length_penalty(length, alpha):
    lacks("search")


def beam_search(logits, width, alpha, limit, bos, eos):
    lacks("search")


def bleu(hypotheses, references):
    lacks("BLEU")


def chrf(hypotheses, references):
    lacks("chrF")
