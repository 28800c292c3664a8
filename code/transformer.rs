//! The whole Transformer, its parameters, and greedy decoding.

use crate::attention::Mask;
use crate::decoder::{Decoder, DecoderLayer};
use crate::embedding::Embedding;
use crate::encoder::{Config, Encoder, EncoderLayer};
use crate::heads::MultiHead;
use crate::layers::{FeedForward, LayerNorm, Linear, Network};
use crate::position::sinusoidal;
use crate::tensor::{Float, Init, Matrix};

/// Figure 1 of the paper.
#[derive(Clone, Debug)]
pub struct Transformer<T> {
    /// One table for source, target and output (§3.4).
    pub embedding: Embedding<T>,
    /// Reads the source.
    pub encoder: Encoder<T>,
    /// Writes the target.
    pub decoder: Decoder<T>,
}

impl<T: Network> Transformer<T> {
    /// A random model of these sizes.
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        Self {
            embedding: Embedding::new(
                config.vocabulary,
                config.d_model,
                init,
            ),
            encoder: Encoder::new(config, init),
            decoder: Decoder::new(config, init),
        }
    }

    /// The sentences end to end, a row for each token: what it is, and where
    /// in its sentence it stands. For n tokens in all: n × d_model.
    pub fn embed(&self, sentences: &[Vec<usize>]) -> T {
        let positions: Vec<usize> =
            sentences.iter().flat_map(|s| 0..s.len()).collect();
        let tokens = self.embedding.embed(&sentences.concat());
        let (_, d_model) = tokens.shape();
        let positions = tokens.constant(&sinusoidal(&positions, d_model));
        tokens.add(&positions).dropout()
    }
}

/// How many tokens each sentence has.
fn lengths(sentences: &[Vec<usize>]) -> Vec<usize> {
    sentences.iter().map(Vec::len).collect()
}

impl<T: Network> Transformer<T> {
    /// What the source sentences mean: m × d_model.
    pub fn encode(&self, sources: &[Vec<usize>]) -> T {
        let lengths = lengths(sources);
        let own = Mask::packed(&lengths, &lengths);
        self.encoder.forward(&self.embed(sources), &own)
    }

    /// After each token of the targets, a score for every token of the
    /// vocabulary to come next: n × V. The sources are needed for their
    /// lengths only.
    ///
    /// # Panics
    /// If there are more targets than sources, or fewer.
    pub fn decode(
        &self,
        targets: &[Vec<usize>],
        sources: &[Vec<usize>],
        memory: &T,
    ) -> T {
        let (n, m) = (lengths(targets), lengths(sources));
        let past = Mask::packed(&n, &n).and(&Mask::causal(n.iter().sum()));
        let source = Mask::packed(&n, &m);
        let y = self.embed(targets);
        let z = self.decoder.forward(&y, memory, &past, &source);
        z.matmul_t(&self.embedding.table)
    }

    /// From sources and targets to scores: n × V.
    pub fn forward(
        &self,
        sources: &[Vec<usize>],
        targets: &[Vec<usize>],
    ) -> T {
        self.decode(targets, sources, &self.encode(sources))
    }
}

/// A layer as a tree whose leaves are its parameters.
pub trait Parameters<T> {
    /// The same tree with other leaves.
    type With<U>;

    /// Every leaf through `f`, together with its name; `name` is what comes
    /// before it.
    fn map<U>(
        &self,
        name: &str,
        f: &mut impl FnMut(&str, &T) -> U,
    ) -> Self::With<U>;
}

/// One line says what a layer is made of: its parameters, its parts, and its
/// plain sizes.
macro_rules! parameters {
    ($layer:ident, [$($leaf:ident)*], [$($part:ident)*], [$($size:ident)*]) => {
        impl<T> Parameters<T> for $layer<T> {
            type With<U> = $layer<U>;

            fn map<U>(
                &self,
                name: &str,
                f: &mut impl FnMut(&str, &T) -> U,
            ) -> $layer<U> {
                $layer {
                    $($leaf: {
                        let name = format!("{name}{}", stringify!($leaf));
                        f(&name, &self.$leaf)
                    },)*
                    $($part: {
                        let name = format!("{name}{}.", stringify!($part));
                        self.$part.map(&name, f)
                    },)*
                    $($size: self.$size,)*
                }
            }
        }
    };
}

parameters!(Embedding, [table], [], []);
parameters!(MultiHead, [w_q w_k w_v w_o], [], [heads]);
parameters!(Linear, [weight bias], [], []);
parameters!(LayerNorm, [gain bias], [], []);
parameters!(FeedForward, [], [inner outer], []);
parameters!(
    EncoderLayer,
    [],
    [attention attention_norm feed_forward feed_forward_norm],
    []
);
parameters!(Encoder, [], [layers], []);
parameters!(
    DecoderLayer,
    [],
    [self_attention self_norm cross_attention cross_norm
     feed_forward feed_forward_norm],
    []
);
parameters!(Decoder, [], [layers], []);
parameters!(Transformer, [], [embedding encoder decoder], []);

impl<T, L: Parameters<T>> Parameters<T> for Vec<L> {
    type With<U> = Vec<L::With<U>>;

    fn map<U>(
        &self,
        name: &str,
        f: &mut impl FnMut(&str, &T) -> U,
    ) -> Self::With<U> {
        let layers = self.iter().enumerate();
        layers
            .map(|(i, layer)| layer.map(&format!("{name}{i}."), f))
            .collect()
    }
}

/// How many numbers a layer learns.
pub fn count<T: Network>(layer: &impl Parameters<T>) -> usize {
    let mut count = 0;
    layer.map("", &mut |_, parameter| {
        let (rows, cols) = parameter.shape();
        count += rows * cols;
    });
    count
}

impl<F: Float> Transformer<Matrix<F>> {
    /// The token with the highest score, again and again, until it is `end`
    /// or there are 50 more than in the source (§6.1).
    pub fn greedy(
        &self,
        source: &[usize],
        start: usize,
        end: usize,
    ) -> Vec<usize> {
        let sources = [source.to_vec()];
        let memory = self.encode(&sources);
        let mut targets = [vec![start]];
        for _ in 0..source.len() + 50 {
            let logits = self.decode(&targets, &sources, &memory);
            let last = logits.row(logits.nrows() - 1).transpose();
            let (next, _) = last.argmax();
            if next == end {
                break;
            }
            targets[0].push(next);
        }
        targets[0].split_off(1)
    }
}
