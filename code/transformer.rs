//! The whole Transformer, its parameters, and greedy decoding.

use crate::attention::Mask;
use crate::decoder::{Decoder, DecoderLayer};
use crate::embedding::Embedding;
use crate::encoder::{Config, Encoder, EncoderLayer};
use crate::heads::MultiHead;
use crate::layers::{FeedForward, LayerNorm, Linear, Network};
use crate::position::sinusoidal;
use crate::tensor::{Float, Init, Matrix, Tensor};

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
        let tokens = self.embedding.embed(&sentences.concat());
        let (_, d_model) = tokens.shape();
        let longest = sentences.iter().map(Vec::len).max().unwrap_or(0);
        let all: Vec<usize> = (0..longest).collect();
        let positions: Vec<usize> =
            sentences.iter().flat_map(|s| 0..s.len()).collect();
        let rows = tokens.constant(&sinusoidal(&all, d_model));
        tokens.add(&rows.gather(&positions)).dropout()
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

    /// After each token of the targets, what the model has in mind to say
    /// next: n × d_model. The sources are needed for their lengths only.
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
        self.decoder.forward(&self.embed(targets), memory, &past, &source)
    }

    /// How well each token of the vocabulary would fit: n × V.
    pub fn logits(&self, z: &T) -> T {
        z.matmul_t(&self.embedding.table)
    }

    /// From sources and targets to scores: n × V.
    pub fn forward(
        &self,
        sources: &[Vec<usize>],
        targets: &[Vec<usize>],
    ) -> T {
        let memory = self.encode(sources);
        self.logits(&self.decode(targets, sources, &memory))
    }
}

/// A layer as a tree whose leaves are its parameters.
pub trait Parameters<T> {
    /// The same tree with other leaves.
    type With<U>;

    /// Every leaf through `f`, together with its name; `name` is what comes
    /// before it.
    fn map<'a, U>(
        &'a self,
        name: &str,
        f: &mut impl FnMut(&str, &'a T) -> U,
    ) -> Self::With<U>
    where
        T: 'a;
}

/// One line says what a layer is made of: its parameters, its parts, and its
/// plain sizes.
macro_rules! parameters {
    ($layer:ident, [$($leaf:ident)*], [$($part:ident)*], [$($size:ident)*]) => {
        impl<T> Parameters<T> for $layer<T> {
            type With<U> = $layer<U>;

            fn map<'a, U>(
                &'a self,
                name: &str,
                f: &mut impl FnMut(&str, &'a T) -> U,
            ) -> $layer<U>
            where
                T: 'a,
            {
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

    fn map<'a, U>(
        &'a self,
        name: &str,
        f: &mut impl FnMut(&str, &'a T) -> U,
    ) -> Self::With<U>
    where
        T: 'a,
    {
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
            let z = self.decode(&targets, &sources, &memory);
            let logits = self.logits(&z.gather(&[z.nrows() - 1]));
            let (next, _) = logits.row(0).transpose().argmax();
            if next == end {
                break;
            }
            targets[0].push(next);
        }
        targets[0].split_off(1)
    }
}
