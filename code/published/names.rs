//! Which tensor is which: the names in the files of GPT-2 and Llama.

use super::config::{Gpt2, Llama};
use super::weights::Weights;
use super::{Attention, Block, Config, Gelu, GroupedHeads, Model};
use super::{RmsNorm, Rotary, SwiGlu};
use crate::checkpoint::Error;
use crate::layers::{LAYER_NORM_EPSILON, Layer, LayerNorm, Linear};
use crate::tensor::{Matrix, Tensor};

/// The model of a folder.
pub(super) fn model(
    config: &Config,
    weights: &mut Weights,
) -> Result<Model, Error> {
    match config {
        Config::Gpt2(config) => {
            weights.skip(&[".attn.bias", ".attn.masked_bias"]); // masks
            gpt2(config, weights)
        }
        Config::Llama(config) => {
            weights.skip(&[".rotary_emb.inv_freq"]);
            llama(config, weights)
        }
    }
}

/// A layer normalization with an ε of its own. The norm of the paper's layers
/// has a fixed one, but rows that are longer by a factor are the same as an ε
/// that is smaller by its square.
#[derive(Debug)]
struct Stretched {
    norm: LayerNorm<Matrix<f32>>,
    factor: f64,
}

impl Layer<Matrix<f32>> for Stretched {
    fn forward(&self, x: &Matrix<f32>) -> Matrix<f32> {
        self.norm.forward(&Tensor::scale(x, self.factor))
    }
}

/// The matrix of the scores, unless it is that of the tokens. Some files have
/// that one twice.
fn head(
    weights: &mut Weights,
    tied: bool,
    size: (usize, usize),
) -> Result<Option<Matrix<f32>>, Error> {
    if tied {
        weights.skip(&["lm_head.weight"]);
        return Ok(None);
    }
    weights.columns("lm_head.weight", size).map(Some)
}

/// A GPT-2. Its matrices are stored as they multiply: x W.
fn gpt2(config: &Gpt2, from: &mut Weights) -> Result<Model, Error> {
    let (d, v) = (config.n_embd, config.vocab_size);
    let whole = from.has("transformer.wte.weight");
    let prefix = if whole { "transformer." } else { "" };
    let tokens = from.columns(&format!("{prefix}wte.weight"), (d, v))?;
    let context = config.n_positions;
    let places = from.rows(&format!("{prefix}wpe.weight"), (context, d))?;
    let layer = |i| gpt2_layer(config, from, &format!("{prefix}h.{i}."));
    let layers = (0..config.n_layer).map(layer).collect::<Result<_, _>>()?;
    let norm = gpt2_norm(config, from, &format!("{prefix}ln_f"))?;
    let head = head(from, config.tie_word_embeddings, (d, v))?;
    let (places, norm) = (Some(places), Box::new(norm));
    Ok(Model { tokens, places, layers, norm, head, context })
}

fn gpt2_norm(
    config: &Gpt2,
    from: &mut Weights,
    name: &str,
) -> Result<Stretched, Error> {
    let mut row = |part| from.row(&format!("{name}.{part}"), config.n_embd);
    let norm = LayerNorm { gain: row("weight")?, bias: row("bias")? };
    let factor = (LAYER_NORM_EPSILON / config.layer_norm_epsilon).sqrt();
    Ok(Stretched { norm, factor })
}

fn gpt2_layer(
    config: &Gpt2,
    from: &mut Weights,
    layer: &str,
) -> Result<Block, Error> {
    let (d, d_ff) = (config.n_embd, config.d_ff());
    let attention_norm = gpt2_norm(config, from, &format!("{layer}ln_1"))?;
    let network_norm = gpt2_norm(config, from, &format!("{layer}ln_2"))?;
    let mut linear = |name, n, m| -> Result<_, Error> {
        let weight = from.rows(&format!("{layer}{name}.weight"), (n, m))?;
        let bias = from.row(&format!("{layer}{name}.bias"), m)?;
        Ok(Linear { weight, bias })
    };
    let [[w_q, b_q], [w_k, b_k], [w_v, b_v]] = {
        let all = linear("attn.c_attn", d, 3 * d)?;
        [0, 1, 2].map(|part| {
            let both = [&all.weight, &all.bias];
            both.map(|m| m.columns(part * d, d).into_owned())
        })
    };
    let Linear { weight: w_o, bias: b_o } = linear("attn.c_proj", d, d)?;
    let inner = linear("mlp.c_fc", d, d_ff)?;
    let outer = linear("mlp.c_proj", d_ff, d)?;
    let (heads, rotary) = (config.n_head, None);
    let heads =
        GroupedHeads { heads, groups: heads, rotary, w_q, w_k, w_v, w_o };
    Ok(Block {
        attention_norm: Box::new(attention_norm),
        attention: Attention { heads, biases: Some([b_q, b_k, b_v, b_o]) },
        network_norm: Box::new(network_norm),
        network: Box::new(Gelu { inner, outer }),
    })
}

/// A Llama. Its matrices are stored transposed, as PyTorch keeps them.
fn llama(config: &Llama, from: &mut Weights) -> Result<Model, Error> {
    let (d, v) = (config.hidden_size, config.vocab_size);
    let whole = from.has("model.embed_tokens.weight");
    let prefix = if whole { "model." } else { "" };
    let tokens =
        from.columns(&format!("{prefix}embed_tokens.weight"), (d, v))?;
    let layer =
        |i| llama_layer(config, from, &format!("{prefix}layers.{i}."));
    let layers = (0..config.num_hidden_layers).map(layer);
    let layers = layers.collect::<Result<_, _>>()?;
    let norm = llama_norm(config, from, &format!("{prefix}norm.weight"))?;
    let head = head(from, config.tie_word_embeddings, (d, v))?;
    let (context, norm) = (config.max_position_embeddings, Box::new(norm));
    Ok(Model { tokens, places: None, layers, norm, head, context })
}

fn llama_norm(
    config: &Llama,
    from: &mut Weights,
    name: &str,
) -> Result<RmsNorm<Matrix<f32>>, Error> {
    let gain = from.row(name, config.hidden_size)?;
    Ok(RmsNorm { gain, epsilon: config.rms_norm_eps })
}

fn llama_layer(
    config: &Llama,
    from: &mut Weights,
    layer: &str,
) -> Result<Block, Error> {
    let Llama { hidden_size: d, intermediate_size: d_ff, .. } = *config;
    let (heads, groups) = (config.num_attention_heads, config.groups());
    let d_k = config.d_k();
    let (q, k) = (heads * d_k, groups * d_k);
    let mut norm =
        |name| llama_norm(config, from, &format!("{layer}{name}.weight"));
    let attention_norm = norm("input_layernorm")?;
    let network_norm = norm("post_attention_layernorm")?;
    let biases = config.attention_bias.then(|| {
        let mut bias = |name, width| {
            from.row(&format!("{layer}self_attn.{name}_proj.bias"), width)
        };
        Ok([bias("q", q)?, bias("k", k)?, bias("v", k)?, bias("o", d)?])
    });
    let biases = biases.transpose()?;
    let mut matrix = |name, n, m| {
        from.columns(&format!("{layer}{name}_proj.weight"), (n, m))
    };
    let heads = GroupedHeads {
        heads,
        groups,
        rotary: Some(Rotary { d_k, base: config.theta() }),
        w_q: matrix("self_attn.q", d, q)?,
        w_k: matrix("self_attn.k", d, k)?,
        w_v: matrix("self_attn.v", d, k)?,
        w_o: matrix("self_attn.o", q, d)?,
    };
    let network = SwiGlu {
        gate: matrix("mlp.gate", d, d_ff)?,
        value: matrix("mlp.up", d, d_ff)?,
        output: matrix("mlp.down", d_ff, d)?,
    };
    Ok(Block {
        attention_norm: Box::new(attention_norm),
        attention: Attention { heads, biases },
        network_norm: Box::new(network_norm),
        network: Box::new(network),
    })
}
