//! The plain GPT-2 and Llama from tensors, by the names in their files.

use super::Matrix;
use super::published::{Gpt2, Llama};
use safetensors::tensor::{Dtype, SafeTensors};
use std::fs;
use std::path::Path;

/// Finds a tensor by its name: n × m, and a row of n numbers as 1 × n.
pub type Take<'a> = &'a mut dyn FnMut(&str) -> Matrix;

/// What finds the tensors of a file, which are of F32, BF16 or I32.
///
/// # Panics
/// If there is no such file, or no such tensor in it.
pub fn tensors(file: &Path) -> impl FnMut(&str) -> Matrix + use<> {
    let bytes = fs::read(file).expect("a file of tensors");
    move |name| {
        let file = SafeTensors::deserialize(&bytes).expect("tensors");
        let tensor = file.tensor(name).expect("a tensor of this name");
        let size = tensor.dtype().bitsize() / 8;
        let numbers = tensor.data().chunks_exact(size).map(|bytes| {
            let mut upper = [0; 4]; // BF16 is the upper half of F32
            upper[4 - size..].copy_from_slice(bytes);
            match tensor.dtype() {
                Dtype::I32 => f64::from(i32::from_le_bytes(upper)),
                _ => f64::from(f32::from_le_bytes(upper)),
            }
        });
        let numbers: Vec<f64> = numbers.collect();
        let &columns = tensor.shape().last().expect("a row or a matrix");
        let rows = numbers.len() / columns;
        Matrix::from_row_slice(rows, columns, &numbers)
    }
}

/// A GPT-2 of n layers with h heads each.
pub fn gpt2(h: usize, n: usize, take: Take) -> Gpt2 {
    let mut tensor = |name: &str| take(&format!("transformer.{name}"));
    let tables = ["wte.weight", "wpe.weight"].map(&mut tensor);
    let mut pair = |name: &str| {
        ["weight", "bias"].map(|part| tensor(&format!("{name}.{part}")))
    };
    let mut layers = Vec::new();
    for i in 0..n {
        let mut part = |name| pair(&format!("h.{i}.{name}"));
        let (norm1, qkv) = (part("ln_1"), part("attn.c_attn"));
        let (out, norm2) = (part("attn.c_proj"), part("ln_2"));
        let (inner, outer) = (part("mlp.c_fc"), part("mlp.c_proj"));
        layers.push((norm1, qkv, out, norm2, inner, outer));
    }
    Gpt2(tables, h, layers, pair("ln_f"))
}

/// A Llama of n layers whose heads have d_k columns each, which turn by θ.
/// Its matrices are stored transposed.
pub fn llama(turns: (usize, f64), n: usize, take: Take) -> Llama {
    let mut tensor = |name: &str| take(&format!("{name}.weight"));
    let tables = ["model.embed_tokens", "lm_head"].map(&mut tensor);
    let mut layers = Vec::new();
    for i in 0..n {
        let mut part = |name| tensor(&format!("model.layers.{i}.{name}"));
        let norms = ["input_layernorm", "post_attention_layernorm"];
        let [norm1, norm2] = norms.map(&mut part);
        let mut matrix = |name| part(name).transpose();
        let [q, k] =
            ["self_attn.q_proj", "self_attn.k_proj"].map(&mut matrix);
        let [v, o] =
            ["self_attn.v_proj", "self_attn.o_proj"].map(&mut matrix);
        let think = ["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"];
        layers.push((norm1, [q, k, v, o], norm2, think.map(&mut matrix)));
    }
    Llama(tables, turns, layers, tensor("model.norm"))
}
