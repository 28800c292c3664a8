//! What has changed since the paper, one part at a time: a decoder alone with
//! the norm first, whose heads, norms, networks and positions can be
//! exchanged, and other ways to its updates.
//!
//! ```
//! use all_you_need::encoder::Config;
//! use all_you_need::published::{GroupedHeads, RmsNorm, SwiGlu};
//! use all_you_need::tensor::Matrix;
//! use all_you_need::today::{Modern, Places};
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let rng = &mut ChaCha8Rng::seed_from_u64(1);
//! let config = Config { vocabulary: 300, ..Config::toy() };
//! let Config { d_model: d, .. } = config;
//! let model: Modern<Matrix, GroupedHeads<_>, RmsNorm<_>, SwiGlu<_>> =
//!     Modern::new(
//!         &config,
//!         Places::None,
//!         rng,
//!         |rng| GroupedHeads::new([4, 2], d, d / 4, rng),
//!         |rng| RmsNorm::new(d, rng),
//!         |rng| SwiGlu::new(d, 2 * d, rng),
//!     );
//! let rows = model.forward(&[[7, 8, 9]]);
//! assert_eq!(rows.shape(), (3, d));
//! ```

mod experts;
mod heads;
mod updates;

pub use experts::{Experts, Route};
pub use heads::{Attend, DistantHeads, LatentHeads};
pub use updates::{Learner, Schedule, Steps, muon};

use crate::attention::Mask;
use crate::embedding::Embedding;
use crate::encoder::Config;
use crate::layers::{Layer, LayerOps};
use crate::loss::{TiedCrossEntropy, forced, shift_right};
use crate::position::sinusoidal;
use crate::tensor::Init;
use crate::tokens::Token;
use crate::writer::{Text, TrainingExample};

/// How the rows of the tokens learn where they are, before the first layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// The sines of the paper are added.
    Sines,
    /// A table of so many rows is learned, and added.
    Learned(usize),
    /// Nothing is added. The heads may know it by themselves.
    None,
}

/// A decoder alone: heads A and networks M in turn, each reading rows that
/// have been normed by an N, and adding to rows that have not.
#[derive(Clone, Debug)]
pub struct Modern<T, A, N, M> {
    /// One table for the tokens that are read and those that are predicted.
    pub embedding: Embedding<T>,
    /// The table of the places, if they are learned.
    pub table: Vec<Embedding<T>>,
    /// The heads of each layer.
    pub heads: Vec<A>,
    /// The network of each layer.
    pub networks: Vec<M>,
    /// The norms in the order of their use: two for each layer, and the last.
    pub norms: Vec<N>,
    /// What is added to the rows of the tokens.
    pub places: Places,
}

parameters!(
    Modern<A, N, M>,
    [],
    [embedding table heads networks norms],
    [places]
);

impl<T, A, N, M> Modern<T, A, N, M>
where
    T: LayerOps,
    A: Attend<T>,
    N: Layer<T>,
    M: Layer<T>,
{
    /// A random model with as many layers as the config says.
    ///
    /// # Panics
    /// If [no model can have these sizes](Config::check).
    pub fn new<I: Init<T>>(
        config: &Config,
        places: Places,
        init: &mut I,
        mut heads: impl FnMut(&mut I) -> A,
        mut norm: impl FnMut(&mut I) -> N,
        mut network: impl FnMut(&mut I) -> M,
    ) -> Self {
        let Config { vocabulary, d_model, layers, .. } = *config.checked();
        let table = match places {
            Places::Learned(rows) => {
                vec![Embedding::new(rows, d_model, init)]
            }
            Places::Sines | Places::None => vec![],
        };
        Self {
            embedding: Embedding::new(vocabulary, d_model, init),
            table,
            heads: (0..layers).map(|_| heads(init)).collect(),
            networks: (0..layers).map(|_| network(init)).collect(),
            norms: (0..=2 * layers).map(|_| norm(init)).collect(),
            places,
        }
    }

    /// A row for each token, n × d_model, that knows the tokens before it and
    /// its own. The texts are laid end to end.
    ///
    /// # Panics
    /// If a token is not in the vocabulary, or a text is longer than the
    /// table of the places.
    #[must_use]
    pub fn forward<S: AsRef<[Token]>>(&self, texts: &[S]) -> T {
        let texts = texts.iter().map(AsRef::as_ref);
        let tokens: Vec<Token> = texts.clone().flatten().copied().collect();
        let lengths: Vec<usize> = texts.map(<[_]>::len).collect();
        let places: Vec<usize> =
            lengths.iter().flat_map(|&length| 0..length).collect();
        let past =
            Mask::packed(&lengths, &lengths).and(&Mask::causal(tokens.len()));
        let mut x = self.place(self.embedding.embed(&tokens), &places);
        let (last, norms) = self.norms.split_last().expect("the last norm");
        let layers = self.heads.iter().zip(&self.networks);
        for ((heads, network), norms) in layers.zip(norms.chunks(2)) {
            let found = heads.attend(&norms[0].forward(&x), &places, &past);
            x = x.add(&found.dropout());
            let thought = network.forward(&norms[1].forward(&x));
            x = x.add(&thought.dropout());
        }
        last.forward(&x)
    }

    /// Adds what the rows should know of their places.
    fn place(&self, rows: T, places: &[usize]) -> T {
        let placed = match (self.places, self.table.first()) {
            (Places::Sines, _) => {
                let sines = sinusoidal(places, rows.shape().1);
                rows.add(&rows.constant(&sines))
            }
            (Places::Learned(most), Some(table)) => {
                let longest = places.iter().max().map_or(0, |last| last + 1);
                assert!(
                    longest <= most,
                    "a text of {longest} tokens, and {most} places were \
                     learned"
                );
                let places: Vec<_> =
                    places.iter().map(|&place| place as Token).collect();
                rows.add(&table.embed(&places))
            }
            _ => rows,
        };
        placed.dropout()
    }
}

impl<T, A, N, M> TrainingExample<Modern<T, A, N, M>, T> for Text
where
    T: LayerOps + TiedCrossEntropy,
    A: Attend<T>,
    N: Layer<T>,
    M: Layer<T>,
{
    fn answers(&self) -> usize {
        shift_right(&self.0).1.len()
    }

    fn loss(
        model: &Modern<T, A, N, M>,
        texts: &[Self],
        label_smoothing: f64,
    ) -> T {
        let targets = texts.iter().map(|Text(text)| &text[..]);
        forced(targets, &model.embedding.table, label_smoothing, |inputs| {
            model.forward(inputs)
        })
    }
}

/// A norm that subtracts the mean, divides by the deviation, and has a gain,
/// but no bias.
#[derive(Clone, Debug)]
pub struct Unbiased<T> {
    /// γ: 1 × d_model.
    pub gain: T,
}

parameters!(Unbiased, [gain], [], []);

impl<T: LayerOps> Layer<T> for Unbiased<T> {
    fn forward(&self, x: &T) -> T {
        x.standardize().mul_row(&self.gain)
    }
}

/// max(0, x W₁) W₂: feed-forward without biases.
#[derive(Clone, Debug)]
pub struct Bare<T> {
    /// W₁: d_model × d_ff.
    pub inner: T,
    /// W₂: d_ff × d_model.
    pub outer: T,
}

parameters!(Bare, [inner outer], [], []);

impl<T: LayerOps> Layer<T> for Bare<T> {
    fn forward(&self, x: &T) -> T {
        x.matmul(&self.inner).relu().matmul(&self.outer)
    }
}

/// How many numbers a cache keeps for each token of a text: over all layers,
/// what the heads keep.
pub fn kept<T, A: Attend<T>, N, M>(model: &Modern<T, A, N, M>) -> usize {
    model.heads.iter().map(Attend::kept).sum()
}
