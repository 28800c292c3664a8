//! The decoder: what to say next, given the source and what is said (§3.1).

use crate::attention::Mask;
use crate::encoder::Config;
use crate::heads::{Memory, MultiHead};
use crate::layers::{FeedForward, LayerNorm, Network};
use crate::tensor::Init;

/// Masked self-attention, cross-attention, feed-forward, each with its
/// add & norm.
#[derive(Clone, Debug)]
pub struct DecoderLayer<T> {
    /// The target looks at its own past.
    pub self_attention: MultiHead<T>,
    /// The norm after it.
    pub self_norm: LayerNorm<T>,
    /// The target looks at the source.
    pub cross_attention: MultiHead<T>,
    /// The norm after it.
    pub cross_norm: LayerNorm<T>,
    /// Each position thinks for itself.
    pub feed_forward: FeedForward<T>,
    /// The norm after it.
    pub feed_forward_norm: LayerNorm<T>,
}

impl<T: Network> DecoderLayer<T> {
    /// A random layer of these sizes.
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        Self {
            self_attention: config.attention(init),
            self_norm: LayerNorm::new(config.d_model, init),
            cross_attention: config.attention(init),
            cross_norm: LayerNorm::new(config.d_model, init),
            feed_forward: FeedForward::new(config.d_model, config.d_ff, init),
            feed_forward_norm: LayerNorm::new(config.d_model, init),
        }
    }

    /// The target's rows `y`, n × d_model, ask; the source's, m × d_model,
    /// answer. `past` hides the future of `y`, n × n; `source` what `y` may
    /// not see of `x`, n × m.
    pub fn forward(&self, y: &T, x: &T, past: &Mask, source: &Mask) -> T {
        let said = self.self_attention.remember(y);
        let read = self.cross_attention.remember(x);
        self.ask(y, (&said, past), (&read, source))
    }

    /// The same, from the keys and values of what was said and of what was
    /// read.
    pub fn ask(
        &self,
        y: &T,
        (said, past): (&Memory<T>, &Mask),
        (read, source): (&Memory<T>, &Mask),
    ) -> T {
        let said = self.self_attention.ask(y, said, past);
        let y = self.self_norm.add_norm(y, &said);
        let seen = self.cross_attention.ask(&y, read, source);
        let y = self.cross_norm.add_norm(&y, &seen);
        let thought = self.feed_forward.forward(&y);
        self.feed_forward_norm.add_norm(&y, &thought)
    }
}

/// N layers; every one of them reads the top of the encoder.
#[derive(Clone, Debug)]
pub struct Decoder<T> {
    /// The layers, from the bottom up.
    pub layers: Vec<DecoderLayer<T>>,
}

impl<T: Network> Decoder<T> {
    /// A random stack of these sizes.
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        let layers = 0..config.layers;
        Self {
            layers: layers.map(|_| DecoderLayer::new(config, init)).collect(),
        }
    }

    /// One row for each word of the target: n × d_model.
    pub fn forward(&self, y: &T, x: &T, past: &Mask, source: &Mask) -> T {
        let up = |y: T, layer: &DecoderLayer<T>| {
            layer.forward(&y, x, past, source)
        };
        self.layers.iter().fold(y.clone(), up)
    }
}
