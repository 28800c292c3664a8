//! The decoder: a stack of layers that reads the source and what has been
//! written of the target (§3.1).
//!
//! ```
//! use all_you_need::attention::Mask;
//! use all_you_need::decoder::Decoder;
//! use all_you_need::encoder::Config;
//! use all_you_need::tensor::Matrix;
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let config = Config::toy();
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let decoder: Decoder<Matrix> = Decoder::new(&config, &mut rng);
//! let memory = Matrix::from_element(5, config.d_model, 0.1); // five words
//! let target = Matrix::from_element(3, config.d_model, 0.2); // three
//! let (past, source) = (Mask::causal(3), Mask::none(3, 5));
//! let z = decoder.forward(&target, &memory, &past, &source);
//! assert_eq!(z.shape(), (3, config.d_model));
//! ```

use crate::attention::Mask;
use crate::encoder::Config;
use crate::heads::MultiHead;
use crate::layers::{FeedForward, Layer, LayerNorm, LayerOps};
use crate::tensor::Init;

/// One layer of the decoder: masked self-attention, cross-attention and
/// feed-forward, each followed by add & norm (§3.1).
///
/// The norms and the network are those of the paper, or others.
#[derive(Clone, Debug)]
pub struct DecoderLayer<T, N = LayerNorm<T>, M = FeedForward<T>> {
    /// Every target position attends to itself and those before it.
    pub self_attention: MultiHead<T>,
    /// The norm after it.
    pub self_norm: N,
    /// Every target position attends to the source.
    pub cross_attention: MultiHead<T>,
    /// The norm after it.
    pub cross_norm: N,
    /// Maps each position by itself.
    pub feed_forward: M,
    /// The norm after it.
    pub feed_forward_norm: N,
}

impl<T: LayerOps> DecoderLayer<T> {
    /// A random layer of these sizes.
    ///
    /// # Panics
    /// If [no model can have them](Config::check).
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        Self {
            self_attention: config.checked().attention(init),
            self_norm: LayerNorm::new(config.d_model, init),
            cross_attention: config.attention(init),
            cross_norm: LayerNorm::new(config.d_model, init),
            feed_forward: FeedForward::new(config.d_model, config.d_ff, init),
            feed_forward_norm: LayerNorm::new(config.d_model, init),
        }
    }
}

impl<T: LayerOps, N: Layer<T>, M: Layer<T>> DecoderLayer<T, N, M> {
    /// From n target rows, n × d_model, to n × d_model. They attend to
    /// themselves under `target_mask`, n × n, and to the m rows of the
    /// encoder's output, `memory`, under `memory_mask`, n × m.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    pub fn forward(
        &self,
        target: &T,
        memory: &T,
        target_mask: &Mask,
        memory_mask: &Mask,
    ) -> T {
        self.attend(
            target,
            |heads, y| heads.forward(y, y, target_mask),
            |heads, y| heads.forward(y, memory, memory_mask),
        )
    }

    /// The same as [`forward`](Self::forward), with other ways to attend to
    /// the target and to the memory. Each gets the layer's heads and n rows,
    /// and returns n rows; with a cache, for example, it uses keys and values
    /// that were computed before.
    #[must_use]
    pub fn attend(
        &self,
        target: &T,
        to_target: impl FnOnce(&MultiHead<T>, &T) -> T,
        to_memory: impl FnOnce(&MultiHead<T>, &T) -> T,
    ) -> T {
        let written = to_target(&self.self_attention, target);
        let y = self.self_norm.add_norm(target, &written);
        let read = to_memory(&self.cross_attention, &y);
        let y = self.cross_norm.add_norm(&y, &read);
        let mapped = self.feed_forward.forward(&y);
        self.feed_forward_norm.add_norm(&y, &mapped)
    }
}

/// The decoder: N layers, each of which reads the output of the last encoder
/// layer.
#[derive(Clone, Debug)]
pub struct Decoder<T, N = LayerNorm<T>, M = FeedForward<T>> {
    /// The layers, from the bottom up.
    pub layers: Vec<DecoderLayer<T, N, M>>,
}

impl<T: LayerOps> Decoder<T> {
    /// A random stack of these sizes.
    ///
    /// # Panics
    /// If [no model can have them](Config::check).
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        let layers = 0..config.checked().layers;
        Self {
            layers: layers.map(|_| DecoderLayer::new(config, init)).collect(),
        }
    }
}

impl<T: LayerOps, N: Layer<T>, M: Layer<T>> Decoder<T, N, M> {
    /// From embedded target tokens, n × d_model, to n × d_model; arguments
    /// as in [`DecoderLayer::forward`].
    #[must_use]
    pub fn forward(
        &self,
        target: &T,
        memory: &T,
        target_mask: &Mask,
        memory_mask: &Mask,
    ) -> T {
        let up = |y: T, layer: &DecoderLayer<T, N, M>| {
            layer.forward(&y, memory, target_mask, memory_mask)
        };
        self.layers.iter().fold(target.clone(), up)
    }
}
