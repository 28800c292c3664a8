//! The encoder: a stack of layers that gives each word of the source its
//! meaning in the sentence (§3.1).
//!
//! ```
//! use all_you_need::attention::Mask;
//! use all_you_need::encoder::{Config, Encoder};
//! use all_you_need::tensor::Matrix;
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let config = Config::toy();
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let encoder: Encoder<Matrix> = Encoder::new(&config, &mut rng);
//! let x = Matrix::from_element(5, config.d_model, 0.1); // five words
//! let memory = encoder.forward(&x, &Mask::none(5, 5));
//! assert_eq!(memory.shape(), (5, config.d_model));
//! ```

use crate::attention::Mask;
use crate::heads::MultiHead;
use crate::layers::{FeedForward, Layer, LayerNorm, LayerOps};
use crate::tensor::Init;
use serde::{Deserialize, Serialize};

/// The sizes of a model, by the paper's names (Table 3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The number of tokens in the vocabulary: V.
    pub vocabulary: usize,
    /// The number of layers in the encoder, and in the decoder: N.
    pub layers: usize,
    /// The width of every row between the layers.
    pub d_model: usize,
    /// The number of hidden units in each feed-forward network.
    pub d_ff: usize,
    /// The number of heads in every attention: h.
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

    /// The paper's big model: rows twice as wide, twice the heads.
    pub fn big() -> Self {
        Self { d_model: 1024, d_ff: 4096, heads: 16, ..Self::base() }
    }

    /// A small translator, for captions of photographs.
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

    /// For the small [tasks](crate::tasks): bytes and two special tokens.
    pub fn toy() -> Self {
        Self {
            vocabulary: 256 + 2,
            layers: 2,
            d_model: 64,
            d_ff: 128,
            heads: 2,
            ..Self::tiny()
        }
    }

    /// One attention of the model.
    pub(crate) fn attention<T: LayerOps>(
        &self,
        init: &mut impl Init<T>,
    ) -> MultiHead<T> {
        MultiHead::new(self.heads, self.d_model, (self.d_k, self.d_v), init)
    }
}

/// One layer of the encoder: self-attention, add & norm, feed-forward, add &
/// norm (§3.1).
///
/// The norms and the network are those of the paper, or others.
#[derive(Clone, Debug)]
pub struct EncoderLayer<T, N = LayerNorm<T>, M = FeedForward<T>> {
    /// Every position attends to all positions of its sentence.
    pub attention: MultiHead<T>,
    /// The norm after it.
    pub attention_norm: N,
    /// Maps each position by itself.
    pub feed_forward: M,
    /// The norm after it.
    pub feed_forward_norm: N,
}

impl<T: LayerOps> EncoderLayer<T> {
    /// A random layer of these sizes.
    ///
    /// # Panics
    /// If [no model can have them](Config::check).
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        Self {
            attention: config.checked().attention(init),
            attention_norm: LayerNorm::new(config.d_model, init),
            feed_forward: FeedForward::new(config.d_model, config.d_ff, init),
            feed_forward_norm: LayerNorm::new(config.d_model, init),
        }
    }
}

impl<T: LayerOps, N: Layer<T>, M: Layer<T>> EncoderLayer<T, N, M> {
    /// From n × d_model to n × d_model, so that layers can be stacked.
    ///
    /// # Panics
    /// If `x` or the mask has another size.
    #[must_use]
    pub fn forward(&self, x: &T, mask: &Mask) -> T {
        self.attend(x, |heads, x| heads.forward(x, x, mask))
    }

    /// The same as [`forward`](Self::forward), with another way to attend,
    /// which gets the layer's heads and n rows, and returns n rows.
    #[must_use]
    pub fn attend(
        &self,
        x: &T,
        attention: impl FnOnce(&MultiHead<T>, &T) -> T,
    ) -> T {
        let attended = attention(&self.attention, x);
        let x = self.attention_norm.add_norm(x, &attended);
        let mapped = self.feed_forward.forward(&x);
        self.feed_forward_norm.add_norm(&x, &mapped)
    }
}

/// The encoder: N layers, each with parameters of its own.
#[derive(Clone, Debug)]
pub struct Encoder<T, N = LayerNorm<T>, M = FeedForward<T>> {
    /// The layers, from the bottom up.
    pub layers: Vec<EncoderLayer<T, N, M>>,
}

impl<T: LayerOps> Encoder<T> {
    /// A random stack of these sizes.
    ///
    /// # Panics
    /// If [no model can have them](Config::check).
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        let layers = 0..config.checked().layers;
        Self {
            layers: layers.map(|_| EncoderLayer::new(config, init)).collect(),
        }
    }
}

impl<T: LayerOps, N: Layer<T>, M: Layer<T>> Encoder<T, N, M> {
    /// From embedded words, n × d_model, to their meanings in the sentence,
    /// n × d_model. The decoder calls the result its memory.
    #[must_use]
    pub fn forward(&self, x: &T, mask: &Mask) -> T {
        let up =
            |x: T, layer: &EncoderLayer<T, N, M>| layer.forward(&x, mask);
        self.layers.iter().fold(x.clone(), up)
    }
}
