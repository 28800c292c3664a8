"""The same model in PyTorch, as one would write it, against a clock.

    rival.py train MODEL SOURCE TARGET UPDATES   target tokens per second
    rival.py translate MODEL SOURCE              lines to standard output

Training is tried both eagerly and compiled, and the faster of the two is
printed. Batches have sentences of like length, Adam is fused, and dropout is
where the crate has it: after the embeddings and after each sublayer.

MODEL is a folder that `transformer train` has made, with torch.safetensors
beside it, as `transformer export` writes it. Loading is not timed.
"""

import random
import sys
import time
import tomllib
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

THREADS, TOGETHER, LONGEST, WARM = 2, 100, 60, 10


class Vocabulary:
    """Byte pairs, then begin and end of sequence, then padding."""

    def __init__(self, path):
        pairs = [line.split()[:2] for line in path.read_text().splitlines()]
        merges = [(int(a), int(b)) for a, b in pairs]
        self.ranks = {pair: i for i, pair in enumerate(merges)}
        self.bytes = [bytes([i]) for i in range(256)]
        for a, b in merges:
            self.bytes.append(self.bytes[a] + self.bytes[b])
        self.start = len(self.bytes)
        self.end, self.pad = self.start + 1, self.start + 2
        self.known = {}

    def word(self, text):
        if text not in self.known:
            ids = list(text.encode())
            while len(ids) > 1:
                pair = min(zip(ids, ids[1:]), key=lambda p: self.ranks.get(p, self.start))
                if pair not in self.ranks:
                    break
                i, merged = 0, []
                while i < len(ids):
                    both = tuple(ids[i : i + 2]) == pair
                    merged.append(256 + self.ranks[pair] if both else ids[i])
                    i += 2 if both else 1
                ids = merged
            self.known[text] = ids
        return self.known[text]

    def encode(self, line):
        """A space belongs to the word after it."""
        first, *others = line.strip().split(" ")
        return self.word(first) + sum((self.word(" " + word) for word in others), [])

    def decode(self, ids):
        return b"".join(self.bytes[i] for i in ids if i < self.start).decode(errors="replace")


class Translator(nn.Module):
    def __init__(self, folder, words):
        super().__init__()
        sizes = tomllib.loads((folder / "config.toml").read_text())
        self.recipe, sizes = sizes["recipe"], sizes["model"]
        self.d, self.pad = sizes["d_model"], words.pad
        weights = load_file(folder / "torch.safetensors")
        # One more row than the crate has, for the padding.
        table = torch.cat([weights.pop("embedding.weight"), torch.zeros(1, self.d)])
        self.embedding = nn.Embedding.from_pretrained(table, freeze=False, padding_idx=self.pad)
        dropout, layers = self.recipe["dropout"], sizes["layers"]
        self.stacks = nn.Transformer(
            self.d, sizes["heads"], layers, layers, sizes["d_ff"], dropout, batch_first=True
        )
        self.stacks.encoder.norm = self.stacks.decoder.norm = None
        self.stacks.load_state_dict(weights, strict=True)
        for layer in [*self.stacks.encoder.layers, *self.stacks.decoder.layers]:
            # PyTorch has two places for dropout that the paper does not name.
            layer.dropout = nn.Identity()
            layer.self_attn.dropout = 0.0
        for layer in self.stacks.decoder.layers:
            layer.multihead_attn.dropout = 0.0
        self.dropout = nn.Dropout(dropout)
        hands = 10000 ** (-torch.arange(0, self.d, 2) / self.d)
        angles = torch.arange(512)[:, None] * hands
        waves = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        self.register_buffer("positions", waves)

    def embed(self, ids):
        return self.dropout(self.embedding(ids) * self.d**0.5 + self.positions[: ids.shape[1]])

    def encode(self, sources):
        padding = sources == self.pad
        return self.stacks.encoder(self.embed(sources), src_key_padding_mask=padding), padding

    def decode(self, inputs, memory, padding):
        future = torch.ones(inputs.shape[1], inputs.shape[1], dtype=torch.bool).triu(1)
        return self.stacks.decoder(
            self.embed(inputs), memory, tgt_mask=future, memory_key_padding_mask=padding
        )

    def scores(self, rows):
        return rows @ self.embedding.weight.T

    def loss(self, sources, inputs, answers):
        scores = self.scores(self.decode(inputs, *self.encode(sources)))
        return F.cross_entropy(
            scores.flatten(0, 1), answers.flatten(),
            ignore_index=self.pad, label_smoothing=self.recipe["label_smoothing"],
        )


def padded(sentences, pad):
    rows = [torch.tensor(sentence) for sentence in sentences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)


def batches(pairs, tokens):
    """Epoch after epoch, pairs of like length together, so as to pad little."""
    while True:
        order = sorted(pairs, key=lambda pair: (len(pair[1]) + random.random(), len(pair[0])))
        made, batch = [], []
        for pair in order:
            batch.append(pair)
            if sum(len(target) + 1 for _, target in batch) >= tokens:
                made.append(batch)
                batch = []
        random.shuffle(made)
        yield from made


def train(model, words, pairs, updates):
    """Target tokens per second, eagerly and compiled: the better of the two."""
    compiled = torch.compile(model.loss, dynamic=True)
    speeds = [speed(model, loss, words, pairs, updates) for loss in (model.loss, compiled)]
    print("eager %.0f, compiled %.0f" % tuple(speeds), file=sys.stderr)
    print(f"{max(speeds):.0f}")


def speed(model, loss, words, pairs, updates):
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)
    model.train()
    tokens = 0
    for update, batch in zip(range(-WARM, updates), batches(pairs, model.recipe["batch_tokens"])):
        if update == 0:
            since = time.perf_counter()
        sources = padded([source + [words.end] for source, _ in batch], words.pad)
        inputs = padded([[words.start] + target for _, target in batch], words.pad)
        answers = padded([target + [words.end] for _, target in batch], words.pad)
        adam.zero_grad()
        loss(sources, inputs, answers).backward()
        adam.step()
        if update >= 0:
            tokens += sum(len(target) + 1 for _, target in batch)
    return tokens / (time.perf_counter() - since)


@torch.no_grad()
def translate(model, words, sources):
    """Greedily, a hundred at a time, those of like length together."""
    model.eval()
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    said = {}
    since = time.perf_counter()
    for start in range(0, len(order), TOGETHER):
        these = order[start : start + TOGETHER]
        ids = padded([sources[i] + [words.end] for i in these], words.pad)
        memory, padding = model.encode(ids)
        found = torch.full((len(these), 1), words.start)
        done = torch.zeros(len(these), dtype=torch.bool)
        while not done.all() and found.shape[1] < LONGEST:
            scores = model.scores(model.decode(found, memory, padding)[:, -1])
            best = scores[:, : words.pad].argmax(-1).masked_fill(done, words.end)
            found = torch.cat([found, best[:, None]], dim=1)
            done |= best == words.end
        said.update(zip(these, found[:, 1:].tolist()))
    print(f"{time.perf_counter() - since:.1f}", file=sys.stderr)
    for i in range(len(sources)):
        ids = said[i]
        print(words.decode(ids[: ids.index(words.end)] if words.end in ids else ids))


def main(task, folder, *files):
    torch.set_num_threads(THREADS)
    torch.manual_seed(1)
    random.seed(1)
    folder = Path(folder)
    words = Vocabulary(folder / "merges.txt")
    model = Translator(folder, words)
    read = lambda path: [words.encode(line) for line in Path(path).read_text().splitlines()]
    if task == "train":
        source, target, updates = files
        train(model, words, list(zip(read(source), read(target))), int(updates))
    else:
        translate(model, words, read(files[0]))


main(*sys.argv[1:])
