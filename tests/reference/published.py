"""Small random models as transformers saves them, and what it computes with them.

    python published.py                   writes the fixtures in published/
    python published.py fresh DIR SEED…   writes folders DIR/SEED, whose kinds and sizes follow from the seeds

Each folder has what a published model has, and beside that `expected.safetensors`: the tokens of some texts, and the
logits of each. The texts for the tokenizers, with their tokens, are in `strings.json`.
"""

import json
import random
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
END = "<|endoftext|>"

# Llama 3's, which tiktoken wrote down first.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def pre_tokenizer(kind):
    byte_level = pre_tokenizers.ByteLevel
    if kind == "gpt2":
        return byte_level(add_prefix_space=False)
    if kind == "spaced":
        return byte_level(add_prefix_space=True)
    if kind == "digits":
        digits = pre_tokenizers.Digits(individual_digits=True)
        return pre_tokenizers.Sequence([digits, byte_level(add_prefix_space=False)])
    from tokenizers import Regex

    split = pre_tokenizers.Split(Regex(SPLIT), behavior="isolated")
    return pre_tokenizers.Sequence([split, byte_level(add_prefix_space=False, use_regex=False)])


def tokenizer(kind, vocabulary, special=(END,)):
    """Byte pairs of the licence and of the book's first pages."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizer(kind)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train([str(ROOT / name) for name in ("LICENSE-APACHE", "README.md")], trainer)
    made.encode_special_tokens = True  # A text has none of them.
    return made


WORDS = "the a cat don't I'll we've it's THE 'S over Straße naïve œuvre Привет κόσμος 你好 世界 日本語 שלום नमस्ते".split()
ODD = [
    *" \t\n\r\v\f\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u3000\u200b\u200d\ufeff\x00\x1c\x1f\x7f",
    *"0129٣५²½Ⅷ①〇𝟙", *"\u0301\u0345\u093e\u20dd\ufe0fⒶªʰ̈́ʼ", *"'’.,;:!?-_()[]{}#$%&*+/<=>@\\^`|~«»…—€",
    "'s", "'re", "'ll", "'t", "'x", "  ", "   ", "\r\n", "\n\n", "🙂", "👩‍👩‍👧", "🏳️‍🌈", "ﬁ", "İ", "ǆ", "𐍈", "\U000e0041", "\uffff", "\ue000", END,
]


def strings(number):
    """Texts that were drawn, from words to anything that Unicode has."""
    draw = random.Random(1)

    def anything():
        while True:
            code = draw.choice([draw.randrange(0x80, 0x3000), draw.randrange(0x10FFFF)])
            if not 0xD800 <= code < 0xE000:
                return chr(code)

    def piece():
        chance = draw.random()
        if chance < 0.4:
            return draw.choice(WORDS)
        if chance < 0.6:
            return " "
        if chance < 0.95:
            return draw.choice(ODD)
        return anything()

    return ["".join(piece() for _ in range(draw.randrange(8))) for _ in range(number)]


def spread(model, seed):
    """Random numbers everywhere, so that no bias is 0 and no gain is 1."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            centre = 1.0 if parameter.dim() == 1 and parameter.mean() > 0.5 else 0.0
            parameter.copy_(centre + 0.2 * noise)


def save(model, folder, texts, dtype=torch.float32):
    """The model, and its logits in double precision."""
    folder.mkdir(parents=True, exist_ok=True)
    model.to(dtype).save_pretrained(folder, safe_serialization=True)
    (folder / "generation_config.json").unlink(missing_ok=True)
    # Read anew, since `to` has also rounded what the file does not have.
    model = type(model).from_pretrained(folder, dtype=torch.float64).eval()
    expected = {}
    with torch.no_grad():
        for i, tokens in enumerate(texts):
            expected[f"tokens.{i}"] = torch.tensor(tokens, dtype=torch.int32)
            expected[f"logits.{i}"] = model(torch.tensor([tokens])).logits[0].float()
    save_file(expected, folder / "expected.safetensors")


def texts(draw, vocabulary, context):
    return [[draw.randrange(vocabulary) for _ in range(n)] for n in (1, 5, 12)]


def files(folder, made):
    """The tokenizer as GPT-2 has it: two files."""
    folder.mkdir(parents=True, exist_ok=True)
    made.model.save(str(folder))


def fixtures():
    draw = random.Random(2)
    gpt2, llama = HERE / "published" / "gpt2", HERE / "published" / "llama"
    config = GPT2Config(
        vocab_size=400, n_positions=48, n_embd=16, n_layer=2, n_head=4,
        bos_token_id=0, eos_token_id=0,
    )
    model = GPT2LMHeadModel(config)
    spread(model, 1)
    save(model, gpt2, texts(draw, 400, 48))
    plain = tokenizer("gpt2", 400)
    files(gpt2, plain)
    config = LlamaConfig(
        vocab_size=320, hidden_size=24, intermediate_size=40, num_hidden_layers=2, num_attention_heads=6,
        num_key_value_heads=2, head_dim=8, max_position_embeddings=64, rms_norm_eps=1e-5, rope_theta=500.0,
        bos_token_id=0, eos_token_id=[1, 2], tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config)
    spread(model, 2)
    save(model, llama, texts(draw, 320, 64), torch.bfloat16)
    names = ("<s>", "</s>", END)
    split = tokenizer("llama3", 320, names)
    split.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    split.save(str(llama / "tokenizer.json"), pretty=False)
    all_strings = strings(1000)
    ids = lambda made: [made.encode(text, add_special_tokens=False).ids for text in all_strings]
    content = {"strings": all_strings, "gpt2": ids(plain), "llama": ids(split)}
    (HERE / "published" / "strings.json").write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")))


def fresh(folder, seed):
    """A folder of a kind and of sizes that nobody chose."""
    draw = random.Random(seed)
    pick = draw.choice
    heads = pick([1, 2, 3, 4, 6])
    layers, vocabulary, context = draw.randrange(1, 5), draw.randrange(300, 700), draw.randrange(21, 200)
    tied = pick([True, False])
    if pick([True, False]):
        config = GPT2Config(
            vocab_size=vocabulary, n_positions=context, n_embd=heads * pick([4, 5, 8]), n_layer=layers, n_head=heads,
            n_inner=pick([None, 28, 50]), activation_function=pick(["gelu_new", "gelu_pytorch_tanh"]),
            layer_norm_epsilon=pick([1e-5, 1e-6, 1e-3]), tie_word_embeddings=tied, bos_token_id=0, eos_token_id=0,
        )
        model = GPT2LMHeadModel(config)
    else:
        groups = pick([g for g in (1, 2, 3, 6) if heads % g == 0])
        width = 2 * draw.randrange(1, 7)
        config = LlamaConfig(
            vocab_size=vocabulary, hidden_size=heads * width, intermediate_size=draw.randrange(10, 60),
            num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=groups,
            head_dim=pick([width, 2 * width]), max_position_embeddings=context,
            rms_norm_eps=pick([1e-5, 1e-6, 1e-2]), rope_theta=pick([100.0, 10000.0, 500000.0]),
            tie_word_embeddings=tied, attention_bias=pick([True, False]), bos_token_id=0, eos_token_id=1,
        )
        model = LlamaForCausalLM(config)
    spread(model, seed)
    dtype = pick([torch.float32, torch.bfloat16, torch.float16])
    save(model, folder, texts(draw, vocabulary, context), dtype)
    kind = pick(["gpt2", "spaced", "digits", "llama3"])
    made = tokenizer(kind, vocabulary)
    if kind == "gpt2" and pick([True, False]):
        files(folder, made)
    else:
        made.save(str(folder / "tokenizer.json"), pretty=False)
    all_strings = strings(1000)
    ids = [made.encode(text, add_special_tokens=False).ids for text in all_strings]
    (folder / "strings.json").write_text(json.dumps({"strings": all_strings, "ids": ids}))


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            fixtures()
        case ["fresh", folder, *seeds]:
            for seed in seeds:
                fresh(Path(folder) / seed, int(seed))
        case _:
            sys.exit(__doc__)
