"""GPT-2's sizes with random numbers, to be timed.

    python speed.py make DIR       writes a folder of 124 million numbers
    python speed.py run DIR N M    reads N tokens and writes M more, with transformers

`run` prints the seconds to read and write one token, the tokens a second after that, and the most memory in MB.
"""

import resource
import sys
import time
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from published import files, tokenizer


def make(folder):
    torch.manual_seed(1)
    # No token ends a text, so that as much is written as is asked for.
    model = GPT2LMHeadModel(GPT2Config(bos_token_id=None, eos_token_id=None))
    model.save_pretrained(folder)
    files(Path(folder), tokenizer("gpt2", 1000))


@torch.no_grad()
def run(folder, read, written):
    model = GPT2LMHeadModel.from_pretrained(folder).eval()
    tokens = torch.tensor([[i % 1000 for i in range(read)]])
    torch.manual_seed(1)

    def draw(tokens, past):
        out = model(tokens, past_key_values=past, use_cache=True, logits_to_keep=1)
        shares = torch.softmax(out.logits[:, -1], -1)
        return torch.multinomial(shares, 1), out.past_key_values

    start = time.perf_counter()
    tokens, past = draw(tokens, None)
    first = time.perf_counter()
    for _ in range(written - 1):
        tokens, past = draw(tokens, past)
    last = time.perf_counter()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{first - start:.2f}\t{(written - 1) / (last - first):.1f}\t{most:.0f}")


match sys.argv[1:]:
    case ["make", folder]:
        make(folder)
    case ["run", folder, read, written]:
        run(folder, int(read), int(written))
    case _:
        sys.exit(__doc__)
