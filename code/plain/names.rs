//! The plain GPT-2 and Llama from the tensors of a file, by their names.

use super::Matrix;
use super::published::{Gpt2, Llama};
use safetensors::tensor::{Dtype, SafeTensors};
use std::fs;
use std::path::Path;

/// A file of tensors.
#[derive(Debug)]
pub struct Tensors(Vec<u8>);

impl Tensors {
    /// # Panics
    /// If there is no such file.
    pub fn open(file: &Path) -> Self {
        Self(fs::read(file).expect("a file of tensors"))
    }

    /// A tensor by its name, with or without the word that some files write
    /// before it: n × m, and a row of n numbers as 1 × n.
    ///
    /// # Panics
    /// If it is neither F32 nor BF16, nor I32, as tokens are.
    pub fn find(&self, name: &str) -> Option<Matrix> {
        let file = SafeTensors::deserialize(&self.0).expect("tensors");
        let names = ["", "transformer.", "model."];
        let names = names.map(|before| format!("{before}{name}"));
        let tensor = names.iter().find_map(|name| file.tensor(name).ok())?;
        let size = tensor.dtype().bitsize() / 8;
        let numbers = tensor.data().chunks_exact(size).map(|bytes| {
            let mut upper = [0; 4]; // BF16 is the upper half of F32
            upper[4 - size..].copy_from_slice(bytes);
            match tensor.dtype() {
                Dtype::F32 | Dtype::BF16 => f32::from_le_bytes(upper).into(),
                Dtype::I32 => i32::from_le_bytes(upper).into(),
                other => panic!("{name} is {other:?}"),
            }
        });
        let numbers: Vec<f64> = numbers.collect();
        let &columns = tensor.shape().last()?;
        let rows = numbers.len() / columns;
        Some(Matrix::from_row_slice(rows, columns, &numbers))
    }

    /// A tensor that has to be there.
    fn take(&self, name: &str) -> Matrix {
        self.find(name).unwrap_or_else(|| panic!("no tensor {name}"))
    }
}

/// A GPT-2 of n layers with h heads each.
///
/// # Panics
/// If a tensor is missing.
pub fn gpt2(h: usize, n: usize, file: &Tensors) -> Gpt2 {
    let pair = |name: &str| {
        ["weight", "bias"].map(|part| file.take(&format!("{name}.{part}")))
    };
    let layer = |i| {
        let part = |name| pair(&format!("h.{i}.{name}"));
        let (norm1, qkv) = (part("ln_1"), part("attn.c_attn"));
        let (out, norm2) = (part("attn.c_proj"), part("ln_2"));
        let (inner, outer) = (part("mlp.c_fc"), part("mlp.c_proj"));
        (norm1, qkv, out, norm2, inner, outer)
    };
    let tables = ["wte.weight", "wpe.weight"].map(|name| file.take(name));
    Gpt2(tables, h, (0..n).map(layer).collect(), pair("ln_f"))
}

/// A Llama of n layers whose heads have d_k columns each, which turn by θ.
///
/// # Panics
/// If a tensor is missing.
pub fn llama(turns: (usize, f64), n: usize, file: &Tensors) -> Llama {
    let take = |name: &str| file.take(&format!("{name}.weight"));
    let layer = |i| {
        let part = |name: &str| take(&format!("layers.{i}.{name}"));
        let matrix = |name: &str| part(name).transpose(); // as out × in
        let heads = ["q", "k", "v", "o"];
        let heads = heads.map(|w| matrix(&format!("self_attn.{w}_proj")));
        let think = ["gate", "up", "down"];
        let think = think.map(|w| matrix(&format!("mlp.{w}_proj")));
        let norms = ["input_layernorm", "post_attention_layernorm"];
        let [norm1, norm2] = norms.map(part);
        (norm1, heads, norm2, think)
    };
    let tokens = take("embed_tokens");
    let scores = file.find("lm_head.weight"); // or the tokens' own table
    let tables = [tokens.clone(), scores.unwrap_or(tokens)];
    let layers = (0..n).map(layer).collect();
    Llama(tables, turns, layers, take("norm"))
}
