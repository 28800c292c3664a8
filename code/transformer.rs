//! The whole Transformer, and greedy decoding.
//!
//! ```
//! use all_you_need::encoder::Config;
//! use all_you_need::tensor::Matrix;
//! use all_you_need::transformer::Transformer;
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let config = Config { vocabulary: 50, ..Config::toy() };
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let model: Transformer<Matrix> = Transformer::new(&config, &mut rng);
//! let logits = model.forward(&[[5, 6, 7, 49]], &[[48, 8, 9]]);
//! assert_eq!(logits.shape(), (3, 50)); // after each of three tokens
//! ```

use crate::attention::Mask;
use crate::decoder::Decoder;
use crate::embedding::Embedding;
use crate::encoder::{Config, Encoder};
use crate::layers::LayerOps;
use crate::position::sinusoidal;
use crate::tensor::{Float, Init, Matrix};
use crate::tokens::Token;
use thiserror::Error;

/// The model of the paper (Figure 1).
#[derive(Clone, Debug)]
pub struct Transformer<T> {
    /// One table for source, target and output (§3.4).
    pub embedding: Embedding<T>,
    /// Reads the source.
    pub encoder: Encoder<T>,
    /// Writes the target.
    pub decoder: Decoder<T>,
}

/// Several sentences in one matrix, end to end.
#[derive(Clone, Debug)]
pub struct Packed<T> {
    /// One row for each token of all sentences: n × d_model.
    pub rows: T,
    /// The number of tokens in each sentence; they add up to n.
    pub lengths: Vec<usize>,
}

impl<T: LayerOps> Embedding<T> {
    /// Sentences of tokens as rows: the embedding of each token, plus the
    /// encoding of its position in its sentence, through dropout (§5.4).
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    #[must_use]
    pub fn pack<S: AsRef<[Token]>>(&self, sentences: &[S]) -> Packed<T> {
        let sentences = sentences.iter().map(AsRef::as_ref);
        let tokens: Vec<Token> =
            sentences.clone().flatten().copied().collect();
        let lengths: Vec<usize> = sentences.map(<[_]>::len).collect();
        let rows = self.embed(&tokens);
        let (_, d_model) = rows.shape();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let all: Vec<usize> = (0..longest).collect();
        let positions: Vec<usize> =
            lengths.iter().flat_map(|&n| 0..n).collect();
        let encodings = rows.constant(&sinusoidal(&all, d_model));
        let rows = rows.add(&encodings.gather(&positions)).dropout();
        Packed { rows, lengths }
    }
}

impl<T: LayerOps> Transformer<T> {
    /// A random model of these sizes.
    ///
    /// # Panics
    /// If [no model can have them](Config::check).
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        let Config { vocabulary, d_model, .. } = *config.checked();
        Self {
            embedding: Embedding::new(vocabulary, d_model, init),
            encoder: Encoder::new(config, init),
            decoder: Decoder::new(config, init),
        }
    }

    /// Sentences of tokens as rows; see [`Embedding::pack`].
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    #[must_use]
    pub fn embed<S: AsRef<[Token]>>(&self, sentences: &[S]) -> Packed<T> {
        self.embedding.pack(sentences)
    }

    /// The encoder's output for the source sentences: m × d_model for m
    /// tokens in total.
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    #[must_use]
    pub fn encode<S: AsRef<[Token]>>(&self, sources: &[S]) -> Packed<T> {
        let Packed { rows, lengths } = self.embed(sources);
        let own = Mask::packed(&lengths, &lengths);
        Packed { rows: self.encoder.forward(&rows, &own), lengths }
    }

    /// The decoder's output after each token of the targets, n × d_model,
    /// given what [`encode`](Self::encode) made of the sources.
    ///
    /// # Panics
    /// If there are not as many targets as sources, or a token is not in the
    /// vocabulary.
    #[must_use]
    pub fn decode<S: AsRef<[Token]>>(
        &self,
        targets: &[S],
        memory: &Packed<T>,
    ) -> T {
        let Packed { rows, lengths } = self.embed(targets);
        let (n, _) = rows.shape();
        let past = Mask::packed(&lengths, &lengths).and(&Mask::causal(n));
        let source = Mask::packed(&lengths, &memory.lengths);
        self.decoder.forward(&rows, &memory.rows, &past, &source)
    }

    /// The logits: a score for each token of the vocabulary to come next,
    /// n × V, from the decoder's output, n × d_model.
    #[must_use]
    pub fn logits(&self, z: &T) -> T {
        z.matmul_t(&self.embedding.table)
    }

    /// From sources and targets to logits: n × V for n target tokens.
    ///
    /// # Panics
    /// If there are not as many targets as sources, or a token is not in the
    /// vocabulary.
    #[must_use]
    pub fn forward<S, U>(&self, sources: &[S], targets: &[U]) -> T
    where
        S: AsRef<[Token]>,
        U: AsRef<[Token]>,
    {
        self.logits(&self.decode(targets, &self.encode(sources)))
    }
}

/// A model's logits are infinite or not a number, as they are when its
/// weights are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the logits are not finite numbers: the weights are too large")]
pub struct NotFinite;

/// The most tokens that a translation may have: 50 more than its source
/// (§6.1).
pub fn longest_target(source: &[Token]) -> usize {
    source.len() + 50
}

impl<F: Float> Transformer<Matrix<F>> {
    /// Greedy decoding: takes the token with the highest logit, again and
    /// again, until that is `eos` or the target has the
    /// [most tokens](longest_target). Returns it without `bos` and `eos`.
    ///
    /// # Errors
    /// If a logit is infinite or not a number.
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    pub fn greedy(
        &self,
        source: &[Token],
        bos: Token,
        eos: Token,
    ) -> Result<Vec<Token>, NotFinite> {
        let memory = self.encode(&[source]);
        let mut target = vec![bos];
        for _ in 0..longest_target(source) {
            let z = self.decode(&[&target], &memory);
            let logits = self.logits(&z.rows(z.nrows() - 1, 1).into_owned());
            if !logits.iter().all(|logit| logit.is_finite()) {
                return Err(NotFinite);
            }
            let (next, _) = logits.row(0).transpose().argmax();
            if next == eos as usize {
                break;
            }
            target.push(next as Token);
        }
        Ok(target.split_off(1))
    }
}
