"""A Transformer in numpy, function by function, without a batch and without haste.

Gradients are found by a complex step: f(w + ih) = f(w) + ih f'(w) for a small h, so the derivative
is the imaginary part divided by h, to the last digit. It needs one pass for each weight.
"""

from collections import Counter

import numpy as np

PAD = 0


def softmax(scores, visible):
    scores = np.where(visible, scores, -np.inf)
    largest = scores.real.max(axis=-1, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    exps = np.where(visible, np.exp(scores - largest), 0.0)
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total == 0.0, 1.0, total)


def attention(q, k, v, visible):
    scores = q @ k.T / np.sqrt(k.shape[1])
    return softmax(scores, visible) @ v


def multi_head(x, y, visible, heads, w):
    q, k, v = x @ w["w_q"], y @ w["w_k"], y @ w["w_v"]

    def cut(m):
        return m.reshape(len(m), heads, -1).transpose(1, 0, 2)

    found = [attention(*head, visible) for head in zip(cut(q), cut(k), cut(v))]
    joined = np.stack(found).transpose(1, 0, 2).reshape(len(x), -1)
    return joined @ w["w_o"]


def layer_norm(x, gain, bias):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * gain + bias


def add_norm(x, sublayer, gain, bias):
    return layer_norm(x + sublayer, gain, bias)


def feed_forward(x, w):
    hidden = x @ w["inner.weight"] + w["inner.bias"]
    hidden = np.where(hidden.real > 0.0, hidden, 0.0)
    return hidden @ w["outer.weight"] + w["outer.bias"]


def positions(n, d_model):
    i = np.arange(d_model // 2)
    angles = np.arange(n)[:, None] / 10000.0 ** (2 * i / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)


def embed(tokens, table):
    d_model = table.shape[1]
    return table[tokens] * np.sqrt(d_model) + positions(len(tokens), d_model)


def below(w, name):
    """The weights whose names begin so, without it."""
    return {key[len(name) :]: value for key, value in w.items() if key.startswith(name)}


def sublayer(x, f, norm):
    return add_norm(x, f(x), norm["gain"], norm["bias"])


def encoder_layer(x, visible, heads, w):
    own = below(w, "attention.")
    x = sublayer(x, lambda x: multi_head(x, x, visible, heads, own), below(w, "attention_norm."))
    inner = below(w, "feed_forward.")
    return sublayer(x, lambda x: feed_forward(x, inner), below(w, "feed_forward_norm."))


def decoder_layer(y, memory, visible_y, visible_memory, heads, w):
    own, cross = below(w, "self_attention."), below(w, "cross_attention.")
    y = sublayer(y, lambda y: multi_head(y, y, visible_y, heads, own), below(w, "self_norm."))
    y = sublayer(
        y, lambda y: multi_head(y, memory, visible_memory, heads, cross), below(w, "cross_norm.")
    )
    inner = below(w, "feed_forward.")
    return sublayer(y, lambda y: feed_forward(y, inner), below(w, "feed_forward_norm."))


def layers(w):
    count = 1 + max(int(name.split(".")[1]) for name in w)
    return [below(w, f"layers.{i}.") for i in range(count)]


def encoder(x, visible, heads, w):
    for layer in layers(w):
        x = encoder_layer(x, visible, heads, layer)
    return x


def decoder(y, memory, visible_y, visible_memory, heads, w):
    for layer in layers(w):
        y = decoder_layer(y, memory, visible_y, visible_memory, heads, layer)
    return y


def model(sources, inputs, heads, w):
    table = w["embedding.table"]
    logits = []
    for source, tokens in zip(sources, inputs):
        n, m = len(tokens), len(source)
        x, y = embed(source, table), embed(tokens, table)
        memory = encoder(x, np.ones((m, m), bool), heads, below(w, "encoder."))
        causal = np.tri(n, dtype=bool)
        z = decoder(y, memory, causal, np.ones((n, m), bool), heads, below(w, "decoder."))
        logits.append(z @ table.T)
    return np.concatenate(logits)


def cross_entropy(logits, answers, smoothing):
    answers = np.array(answers)
    logits, answers = logits[answers != PAD], answers[answers != PAD]
    largest = logits.real.max(axis=-1, keepdims=True)
    total = largest + np.log(np.exp(logits - largest).sum(axis=-1, keepdims=True))
    log = logits - total
    wanted = np.full(logits.shape, smoothing / logits.shape[1])
    wanted[np.arange(len(answers)), answers] += 1.0 - smoothing
    return -(wanted * log).sum() / len(answers)


def loss(sources, targets, smoothing, heads, w):
    inputs = [target[:-1] for target in targets]
    answers = [token for target in targets for token in target[1:]]
    return cross_entropy(model(sources, inputs, heads, w), answers, smoothing)


def gradients(sources, targets, smoothing, heads, w):
    step = 1e-30
    moved = {name: weight.astype(complex) for name, weight in w.items()}
    found = {name: np.zeros(weight.shape) for name, weight in w.items()}
    for name, weight in moved.items():
        for place in np.ndindex(weight.shape):
            weight[place] += 1j * step
            found[name][place] = loss(sources, targets, smoothing, heads, moved).imag / step
            weight[place] -= 1j * step
    return found


def learning_rate(step, warmup, d_model):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


class Adam:
    def __init__(self, w):
        self.t, self.m, self.v = 0, np.zeros_like(w), np.zeros_like(w)

    def step(self, w, g, rate):
        self.t += 1
        self.m = 0.9 * self.m + (1 - 0.9) * g
        self.v = 0.98 * self.v + (1 - 0.98) * g**2
        m = self.m / (1 - 0.9**self.t)
        v = self.v / (1 - 0.98**self.t)
        return w - rate * m / (np.sqrt(v) + 1e-9)


def adam(w, gradients, rates):
    optimizer, after = Adam(w), []
    for g, rate in zip(gradients, rates):
        w = optimizer.step(w, g, rate)
        after.append(w)
    return after


def training(sources, targets, smoothing, heads, w, steps, warmup):
    w, d_model = dict(w), w["embedding.table"].shape[1]
    optimizers = {name: Adam(weight) for name, weight in w.items()}
    losses = [loss(sources, targets, smoothing, heads, w)]
    for step in range(1, steps + 1):
        rate = learning_rate(step, warmup, d_model)
        slope = gradients(sources, targets, smoothing, heads, w)
        w = {name: optimizers[name].step(w[name], g, rate) for name, g in slope.items()}
        losses.append(loss(sources, targets, smoothing, heads, w))
    return losses


def pieces(text):
    """Cut in front of each space."""
    words = text.split(" ")
    return [list(word.encode()) for word in [words[0]] + [" " + word for word in words[1:]]]


def merge(tokens, pair, new):
    merged, i = [], 0
    while i < len(tokens):
        hit = tuple(tokens[i : i + 2]) == tuple(pair)
        merged.append(new if hit else tokens[i])
        i += 2 if hit else 1
    return merged


def bpe_learn(text, merges):
    words, learned = pieces(text), []
    for new in range(256, 256 + merges):
        counts = Counter(pair for word in words for pair in zip(word, word[1:]))
        if not counts or max(counts.values()) < 2:
            break
        most = max(counts.values())
        pair = min(pair for pair, count in counts.items() if count == most)
        words = [merge(word, pair, new) for word in words]
        learned.append(list(pair))
    return learned


def bpe_encode(text, merges):
    ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
    tokens = []
    for word in pieces(text):
        while found := [ranks[pair] for pair in zip(word, word[1:]) if pair in ranks]:
            rank = min(found)
            word = merge(word, merges[rank], 256 + rank)
        tokens += word
    return tokens


def length_penalty(length, alpha):
    return ((5 + length) / 6) ** alpha


def beam_search(logits, width, alpha, limit, bos, eos):
    logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    live, best = [([bos], 0.0)], ([], -np.inf)
    while live:
        longer = [
            (tokens + [token], so_far + logs[tokens[-1], token])
            for tokens, so_far in live
            for token in (range(len(logs)) if len(tokens) <= limit else [eos])
        ]
        longer.sort(key=lambda one: -one[1])
        live = [one for one in longer[:width] if one[0][-1] != eos]
        for tokens, log in longer[:width]:
            score = log / length_penalty(len(tokens) - 1, alpha)
            if tokens[-1] == eos and score > best[1]:
                best = (tokens[1:-1], score)
    return {"tokens": best[0], "score": best[1]}


def overlap(said, wanted, n):
    """Matches, and the runs of n on both sides."""
    said, wanted = (
        Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1)) for text in (said, wanted)
    )
    return np.array([(said & wanted).total(), said.total(), wanted.total()], float)


def bleu(hypotheses, references):
    texts = [(a.split(), b.split()) for a, b in zip(hypotheses, references)]
    c, r = (sum(len(pair[i]) for pair in texts) for i in (0, 1))
    logs, part = 0.0, 1.0
    for n in range(1, 5):
        matches, all_said, _ = sum(overlap(*pair, n) for pair in texts)
        if matches == 0:
            part /= 2
            matches = part
        logs += np.log(matches / all_said)
    brevity = min(1.0, np.exp(1 - r / c))
    return 100 * brevity * np.exp(logs / 4)


def chrf(hypotheses, references):
    beta = 2
    texts = [(a.replace(" ", ""), b.replace(" ", "")) for a, b in zip(hypotheses, references)]
    found = [sum(overlap(*pair, n) for pair in texts) for n in range(1, 7)]
    p = np.mean([matches / said for matches, said, _ in found])
    r = np.mean([matches / wanted for matches, _, wanted in found])
    return 100 * (1 + beta**2) * p * r / (beta**2 * p + r)
