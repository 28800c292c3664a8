//! The encoder: what each word means in its sentence (§3.1).

use crate::attention::Mask;
use crate::heads::MultiHead;
use crate::layers::{FeedForward, LayerNorm, Network};
use crate::tensor::Init;
use serde::{Deserialize, Serialize};

/// The sizes of a model, by the paper's names (Table 3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// Different tokens: V.
    pub vocabulary: usize,
    /// Layers in the encoder, and in the decoder: N.
    pub layers: usize,
    /// The width of every row between the layers.
    pub d_model: usize,
    /// The width inside the feed-forward networks.
    pub d_ff: usize,
    /// Heads of every attention: h.
    pub heads: usize,
    /// The width of a head's queries and keys.
    pub d_k: usize,
    /// The width of a head's values.
    pub d_v: usize,
}

impl Config {
    /// The paper's base model, English–German.
    pub fn base() -> Self {
        Self {
            vocabulary: 37_000,
            layers: 6,
            d_model: 512,
            d_ff: 2048,
            heads: 8,
            d_k: 64,
            d_v: 64,
        }
    }

    /// The paper's big model: twice as wide, twice the heads.
    pub fn big() -> Self {
        Self { d_model: 1024, d_ff: 4096, heads: 16, ..Self::base() }
    }

    /// A small translator, for captions: 2.6 million parameters.
    pub fn tiny() -> Self {
        Self {
            vocabulary: 10_000,
            layers: 4,
            d_model: 128,
            d_ff: 256,
            heads: 4,
            d_k: 32,
            d_v: 32,
        }
    }

    /// One of the model's attentions.
    pub(crate) fn attention<T: Network>(
        &self,
        init: &mut impl Init<T>,
    ) -> MultiHead<T> {
        MultiHead::new(self.heads, self.d_model, (self.d_k, self.d_v), init)
    }
}

/// Attention, add & norm, feed-forward, add & norm.
#[derive(Clone, Debug)]
pub struct EncoderLayer<T> {
    /// The sentence looks at itself.
    pub attention: MultiHead<T>,
    /// The norm after it.
    pub attention_norm: LayerNorm<T>,
    /// Each position thinks for itself.
    pub feed_forward: FeedForward<T>,
    /// The norm after it.
    pub feed_forward_norm: LayerNorm<T>,
}

impl<T: Network> EncoderLayer<T> {
    /// A random layer of these sizes.
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        Self {
            attention: config.attention(init),
            attention_norm: LayerNorm::new(config.d_model, init),
            feed_forward: FeedForward::new(config.d_model, config.d_ff, init),
            feed_forward_norm: LayerNorm::new(config.d_model, init),
        }
    }

    /// From n × d_model to n × d_model, so that layers stack.
    pub fn forward(&self, x: &T, mask: &Mask) -> T {
        let seen = self.attention.forward(x, x, mask);
        let x = self.attention_norm.add_norm(x, &seen);
        let thought = self.feed_forward.forward(&x);
        self.feed_forward_norm.add_norm(&x, &thought)
    }
}

/// N layers, each with weights of its own.
#[derive(Clone, Debug)]
pub struct Encoder<T> {
    /// The layers, from the bottom up.
    pub layers: Vec<EncoderLayer<T>>,
}

impl<T: Network> Encoder<T> {
    /// A random stack of these sizes.
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        let layers = 0..config.layers;
        Self {
            layers: layers.map(|_| EncoderLayer::new(config, init)).collect(),
        }
    }

    /// One row for each word, and now each knows the others: n × d_model.
    pub fn forward(&self, x: &T, mask: &Mask) -> T {
        let up = |x: T, layer: &EncoderLayer<T>| layer.forward(&x, mask);
        self.layers.iter().fold(x.clone(), up)
    }
}
