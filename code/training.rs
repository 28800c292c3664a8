//! From sentences to a trained model (§5).

use crate::gradient::Tape;
use crate::loss::Output;
use crate::optimizer::{Adam, descend, gradient_on, rate};
use crate::tensor::{Float, Matrix, Tensor};
use crate::tokens::BytePairs;
use crate::transformer::Transformer;
use nalgebra::convert_unchecked;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The last two tokens of a vocabulary, which no text has: start and end.
pub fn marks(vocabulary: usize) -> (usize, usize) {
    (vocabulary - 2, vocabulary - 1)
}

/// A sentence and what it should become, as tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// What is read, and its end.
    pub source: Vec<usize>,
    /// What is to be said.
    pub target: Vec<usize>,
}

impl Example {
    /// Two texts as tokens.
    pub fn new(source: &str, target: &str, tokens: &BytePairs) -> Self {
        let target = tokens.encode(target);
        Self { source: question(source, tokens), target }
    }

    /// How many tokens are to be said, the end among them.
    fn said(&self) -> usize {
        self.target.len() + 1
    }
}

/// How many tokens all of them have to say.
pub fn said(examples: &[Example]) -> usize {
    examples.iter().map(Example::said).sum()
}

/// A text as the encoder reads it: its tokens, and the end.
pub fn question(text: &str, tokens: &BytePairs) -> Vec<usize> {
    let (_, end) = marks(tokens.len() + 2);
    [tokens.encode(text), vec![end]].concat()
}

/// How to train.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Target tokens in a batch, or a few more.
    pub tokens: usize,
    /// How many updates of the weights there will be.
    pub updates: usize,
    /// In how many of them, from the first, the way back is learned too.
    pub both_ways: usize,
    /// How many of them the rate rises for.
    pub warmup: usize,
    /// The highest rate.
    pub peak: f64,
    /// What part of the numbers is dropped on the way.
    pub dropout: f64,
    /// λ: what part of every weight a step of length 1 would take away.
    pub weight_decay: f64,
    /// What part of the target is spread over the whole vocabulary.
    pub smoothing: f64,
    /// Where all random numbers come from.
    pub seed: u64,
}

/// A generator of its own for every purpose, so that none has to be kept: 0
/// for the weights at the start, odd numbers for the order of the examples,
/// and even ones for dropout.
fn generator(seed: u64, purpose: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose);
    rng
}

/// Cut after every `tokens` target tokens. What is too little for another
/// batch is left out.
fn cut(order: Vec<&Example>, tokens: usize) -> Vec<Vec<Example>> {
    let (mut batches, mut batch, mut said) = (Vec::new(), Vec::new(), 0);
    for example in order {
        batch.push(example.clone());
        said += example.said();
        if said >= tokens {
            batches.push(std::mem::take(&mut batch));
            said = 0;
        }
    }
    batches
}

impl Recipe {
    /// Epoch after epoch the examples in a new order, cut into batches. The
    /// same seed gives the same batches.
    fn epochs(
        &self,
        examples: Vec<Example>,
    ) -> impl Iterator<Item = Vec<Example>> + use<> {
        let Self { tokens, seed, .. } = *self;
        (0..).flat_map(move |epoch| {
            let mut order: Vec<&Example> = examples.iter().collect();
            order.shuffle(&mut generator(seed, 2 * epoch + 1));
            cut(order, tokens)
        })
    }
}

impl Example {
    /// The way back: what was said is read, and what was read is to be said.
    fn back(&self) -> Self {
        let (&end, text) =
            self.source.split_last().expect("a source with an end");
        let source = [&self.target, &[end][..]].concat();
        Self { source, target: text.to_vec() }
    }
}

impl Recipe {
    /// Batch after batch without end, at first with every example's way back
    /// among the examples.
    ///
    /// # Panics
    /// If the examples do not fill one batch, or a source has no end.
    pub fn batches(
        &self,
        examples: &[Example],
    ) -> impl Iterator<Item = Vec<Example>> + use<> {
        let (tokens, all) = (self.tokens, said(examples));
        assert!(
            all >= tokens,
            "{all} tokens do not fill a batch of {tokens}"
        );
        let back: Vec<_> = examples.iter().map(Example::back).collect();
        let both_ways = self.epochs([examples, &back].concat());
        let one_way = self.epochs(examples.to_vec());
        both_ways.take(self.both_ways).chain(one_way)
    }
}

/// A batch is cut into so many parts, however many threads there are: sums
/// in another order would be other sums.
const PARTS: usize = 4;

/// The loss of some examples, a mean over their target tokens.
fn loss<T: Output>(
    model: &Transformer<T>,
    examples: &[Example],
    smoothing: f64,
) -> T {
    let (start, end) = marks(model.embedding.table.shape().0);
    let sources: Vec<_> = examples.iter().map(|e| e.source.clone()).collect();
    let targets: Vec<_> = examples.iter().map(|e| e.target.clone()).collect();
    model.loss(&sources, &targets, start, end, smoothing)
}

/// What part of what is said in a batch is said in this part of it.
fn share(part: &[Example], batch: &[Example]) -> f64 {
    said(part) as f64 / said(batch) as f64
}

/// What is left to learn: nats a target token.
///
/// # Panics
/// If there are no examples.
pub fn nats<F: Float>(
    model: &Transformer<Matrix<F>>,
    examples: &[Example],
) -> f64 {
    assert!(!examples.is_empty(), "no examples, no mean");
    let part = |part: &[Example]| {
        let nats: f64 = convert_unchecked(loss(model, part, 0.0)[0]);
        nats * share(part, examples)
    };
    let parts: Vec<f64> = examples.par_chunks(50).map(part).collect();
    parts.into_iter().sum()
}

/// A model on its way. As many updates are made as Adam has taken steps.
#[derive(Clone, Debug)]
pub struct Training<F: Float = f32> {
    /// How.
    pub recipe: Recipe,
    /// What it has become.
    pub model: Transformer<Matrix<F>>,
    /// What is remembered of the gradients.
    pub adam: Adam<F>,
}

/// A loss, and its gradient.
type Slope<F> = (F, Transformer<Matrix<F>>);

impl<F: Float> Training<F> {
    /// One update of the weights; returns the loss before it, in nats a
    /// target token.
    ///
    /// # Panics
    /// If the batch is empty.
    pub fn update(&mut self, batch: &[Example]) -> F {
        assert!(!batch.is_empty(), "a batch of no examples");
        let (loss, gradient) = self.gradient(batch);
        let Recipe { peak, warmup, weight_decay, .. } = self.recipe;
        let step = self.adam.steps as usize + 1;
        let rate = rate(peak, step, warmup);
        // A weight that decays has itself for a slope.
        let model = descend(&self.model, &self.model, rate * weight_decay);
        self.model = self.adam.step(&model, &gradient, rate);
        loss
    }

    /// The sum over the parts, from the first to the last.
    fn gradient(&self, batch: &[Example]) -> Slope<F> {
        let parts = batch.par_chunks(batch.len().div_ceil(PARTS));
        let slope = |(i, part): (usize, &[Example])| {
            self.slope(i, part, share(part, batch))
        };
        let slopes: Vec<Slope<F>> = parts.enumerate().map(slope).collect();
        let add = |(a, sum): Slope<F>, (b, slope): Slope<F>| {
            // To descend by −1 is to add.
            (a + b, descend(&sum, &slope, -1.0))
        };
        slopes.into_iter().reduce(add).expect("a part at least")
    }

    /// What the i-th part of a batch has to say to its loss.
    fn slope(&self, i: usize, part: &[Example], share: f64) -> Slope<F> {
        let Recipe { dropout, smoothing, seed, .. } = self.recipe;
        let number = self.adam.steps as usize * PARTS + i + 1;
        let rng = generator(seed, 2 * number as u64);
        let tape = Tape::dropping(dropout, rng);
        gradient_on(&tape, &self.model, |model| {
            loss(model, part, smoothing).scale(share)
        })
    }
}
