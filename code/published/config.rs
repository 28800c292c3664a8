//! What `config.json` says of a published model.

use super::bytes::json;
use crate::checkpoint::Error;
use crate::tokens::Token;
use serde::Deserialize;
use std::path::Path;

/// The sizes of a published model, by its family.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Config {
    /// GPT-2.
    Gpt2(Gpt2),
    /// Llama, and models of its shape.
    Llama(Llama),
}

/// What every such file says.
#[derive(Deserialize)]
struct Family {
    model_type: String,
}

/// The sizes of a GPT-2. The names are those of the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Gpt2 {
    pub(super) vocab_size: usize,
    pub(super) n_positions: usize,
    pub(super) n_embd: usize,
    pub(super) n_layer: usize,
    pub(super) n_head: usize,
    pub(super) n_inner: Option<usize>,
    #[serde(default = "epsilon")]
    pub(super) layer_norm_epsilon: f64,
    #[serde(default = "yes")]
    pub(super) tie_word_embeddings: bool,
    #[serde(default)]
    activation_function: Option<String>,
    #[serde(default = "yes")]
    scale_attn_weights: bool,
    #[serde(default)]
    scale_attn_by_inverse_layer_idx: bool,
    #[serde(default)]
    add_cross_attention: bool,
    #[serde(default)]
    bos_token_id: Option<Token>,
    #[serde(default)]
    eos_token_id: Tokens,
}

/// The sizes of a Llama. The names are those of the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Llama {
    pub(super) vocab_size: usize,
    pub(super) max_position_embeddings: usize,
    pub(super) hidden_size: usize,
    pub(super) intermediate_size: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) num_attention_heads: usize,
    num_key_value_heads: Option<usize>,
    head_dim: Option<usize>,
    #[serde(default = "llama_epsilon")]
    pub(super) rms_norm_eps: f64,
    #[serde(default)]
    pub(super) tie_word_embeddings: bool,
    #[serde(default)]
    pub(super) attention_bias: bool,
    #[serde(default)]
    mlp_bias: bool,
    hidden_act: Option<String>,
    rope_theta: Option<f64>,
    rope_scaling: Option<Rope>,
    rope_parameters: Option<Rope>,
    #[serde(default)]
    bos_token_id: Option<Token>,
    #[serde(default)]
    eos_token_id: Tokens,
}

/// How positions are turned.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Rope {
    rope_theta: Option<f64>,
    #[serde(alias = "type")]
    rope_type: Option<String>,
}

/// None, one, or a list.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(untagged)]
enum Tokens {
    #[default]
    None,
    One(Token),
    Some(Vec<Token>),
}

fn yes() -> bool {
    true
}

fn epsilon() -> f64 {
    1e-5
}

fn llama_epsilon() -> f64 {
    1e-6
}

/// The largest size, of which two can be multiplied.
const MOST: usize = 1 << 28;

impl Config {
    /// Reads `config.json`.
    ///
    /// # Errors
    /// If it is missing or damaged, of a family that we do not know, or asks
    /// for something that we do not compute; the error names it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let config = match json::<Family>(path)?.model_type.as_str() {
            "gpt2" => Self::Gpt2(json(path)?),
            "llama" => Self::Llama(json(path)?),
            other => {
                let reason = format!("a model of type {other} is not known");
                return Err(Error::invalid(path)(reason));
            }
        };
        config.check().map_err(Error::invalid(path))?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Self::Gpt2(gpt2) => gpt2.check(),
            Self::Llama(llama) => llama.check(),
        }
    }

    /// The number of tokens that the model knows: V.
    pub fn vocabulary(&self) -> usize {
        match self {
            Self::Gpt2(gpt2) => gpt2.vocab_size,
            Self::Llama(llama) => llama.vocab_size,
        }
    }

    /// Begin of sequence, if the model has it.
    pub fn bos(&self) -> Option<Token> {
        match self {
            Self::Gpt2(gpt2) => gpt2.bos_token_id,
            Self::Llama(llama) => llama.bos_token_id,
        }
    }

    /// The tokens that end a text.
    pub fn ends(&self) -> Vec<Token> {
        let (Self::Gpt2(Gpt2 { eos_token_id: ends, .. })
        | Self::Llama(Llama { eos_token_id: ends, .. })) = self;
        match ends {
            Tokens::None => Vec::new(),
            Tokens::One(end) => vec![*end],
            Tokens::Some(ends) => ends.clone(),
        }
    }
}

impl Gpt2 {
    pub(super) fn d_ff(&self) -> usize {
        self.n_inner.unwrap_or(4 * self.n_embd)
    }

    fn check(&self) -> Result<(), String> {
        let Self { vocab_size, n_positions, n_embd, n_layer, n_head, .. } =
            *self;
        sizes(&[
            ("vocab_size", vocab_size),
            ("n_positions", n_positions),
            ("n_embd", n_embd),
            ("n_layer", n_layer),
            ("n_head", n_head),
            ("n_inner", self.n_inner.unwrap_or(1)),
        ])?;
        divides(("n_head", n_head), ("n_embd", n_embd))?;
        positive("layer_norm_epsilon", self.layer_norm_epsilon)?;
        let bend = self.activation_function.as_deref();
        one_of(
            "activation_function",
            bend.unwrap_or("gelu_new"),
            &["gelu_new", "gelu_pytorch_tanh"],
        )?;
        only("scale_attn_weights", self.scale_attn_weights, true)?;
        only(
            "scale_attn_by_inverse_layer_idx",
            self.scale_attn_by_inverse_layer_idx,
            false,
        )?;
        only("add_cross_attention", self.add_cross_attention, false)
    }
}

impl Llama {
    /// How many different keys and values the heads have.
    pub(super) fn groups(&self) -> usize {
        self.num_key_value_heads.unwrap_or(self.num_attention_heads)
    }

    /// The columns of a head.
    pub(super) fn d_k(&self) -> usize {
        let even = self.hidden_size / self.num_attention_heads;
        self.head_dim.unwrap_or(even)
    }

    /// θ of the rotary positions.
    pub(super) fn theta(&self) -> f64 {
        let new = self.rope_parameters.as_ref();
        let new = new.and_then(|rope| rope.rope_theta);
        new.or(self.rope_theta).unwrap_or(10000.0)
    }

    fn check(&self) -> Result<(), String> {
        let heads = ("num_attention_heads", self.num_attention_heads);
        let groups = ("num_key_value_heads", self.groups());
        sizes(&[
            ("vocab_size", self.vocab_size),
            ("max_position_embeddings", self.max_position_embeddings),
            ("hidden_size", self.hidden_size),
            ("intermediate_size", self.intermediate_size),
            ("num_hidden_layers", self.num_hidden_layers),
            heads,
            groups,
            ("head_dim", self.head_dim.unwrap_or(1)),
        ])?;
        divides(groups, heads)?;
        if self.head_dim.is_none() {
            divides(heads, ("hidden_size", self.hidden_size))?;
        }
        divides(("2", 2), ("the width of a head", self.d_k()))?;
        positive("rms_norm_eps", self.rms_norm_eps)?;
        positive("rope_theta", self.theta())?;
        let bend = self.hidden_act.as_deref();
        one_of("hidden_act", bend.unwrap_or("silu"), &["silu", "swish"])?;
        only("mlp_bias", self.mlp_bias, false)?;
        for rope in [&self.rope_parameters, &self.rope_scaling] {
            let kind =
                rope.as_ref().and_then(|rope| rope.rope_type.as_deref());
            one_of("rope_type", kind.unwrap_or("default"), &["default"])?;
        }
        Ok(())
    }
}

fn sizes(sizes: &[(&str, usize)]) -> Result<(), String> {
    let wrong = sizes.iter().find(|(_, size)| !(1..=MOST).contains(size));
    let wrong = wrong.map(|(name, size)| format!("{name} cannot be {size}"));
    wrong.map_or(Ok(()), Err)
}

fn divides(
    (part, parts): (&str, usize),
    (name, size): (&str, usize),
) -> Result<(), String> {
    match size.is_multiple_of(parts) {
        true => Ok(()),
        false => {
            Err(format!("{name} is {size}, which {part} does not divide"))
        }
    }
}

fn positive(name: &str, number: f64) -> Result<(), String> {
    match number > 0.0 && number.is_finite() {
        true => Ok(()),
        false => Err(format!("{name} cannot be {number}")),
    }
}

fn one_of(name: &str, found: &str, known: &[&str]) -> Result<(), String> {
    match known.contains(&found) {
        true => Ok(()),
        false => Err(format!("{name} is {found:?}, which is not known here")),
    }
}

fn only(name: &str, found: bool, known: bool) -> Result<(), String> {
    match found == known {
        true => Ok(()),
        false => Err(format!("{name} is {found}, which is not known here")),
    }
}
