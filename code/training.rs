//! Training: batches of examples, one update after the other (§5).
//!
//! ```
//! use all_you_need::encoder::Config;
//! use all_you_need::tokens::Tokenizer;
//! use all_you_need::training::{Example, Recipe, Training};
//! use std::ops::ControlFlow;
//!
//! let tokenizer = Tokenizer::default();
//! let example = Example::new("ab", "ba", &tokenizer);
//! let config = Config { layers: 1, d_model: 8, ..Config::toy() };
//! let recipe = Recipe { batch_tokens: 3, updates: 5, ..Recipe::toy() };
//! let mut training: Training = Training::new(&config, recipe);
//! let mut losses = Vec::new();
//! let end = training.run(&[example], |_, update| {
//!     losses.push(update.loss);
//!     ControlFlow::<()>::Continue(())
//! });
//! assert!(end.is_ok() && losses.len() == 5);
//! ```

use crate::encoder::Config;
use crate::gradient::{MAX_DROPOUT, Tape, Variable};
use crate::layers::LayerOps;
use crate::loss::{TiedCrossEntropy, shift_right};
use crate::optimizer::{Adam, learning_rate, paper_peak_lr};
use crate::parameters::{Parameters, Trainable, add_into, gradient_on};
use crate::tensor::{Float, Matrix, Tensor, with_threads};
use crate::tokens::{Token, Tokenizer};
use crate::transformer::Transformer;
use nalgebra::{convert, convert_unchecked};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::{io, iter};
use thiserror::Error;

/// A text and what it should become, as tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// What the encoder reads: the tokens of the text, then end of sequence.
    pub source: Vec<Token>,
    /// What the decoder should write: begin of sequence, the tokens, end of
    /// sequence.
    pub target: Vec<Token>,
}

impl Example {
    /// Two texts as tokens.
    pub fn new(source: &str, target: &str, tokenizer: &Tokenizer) -> Self {
        Self {
            source: tokenizer.encode_source(source),
            target: tokenizer.encode_target(target),
        }
    }

    /// How many tokens the decoder learns to predict: those of the target
    /// and end of sequence.
    ///
    /// # Panics
    /// If the target is not at least `bos` and `eos`.
    pub fn target_tokens(&self) -> usize {
        shift_right(&self.target).1.len()
    }

    /// The example in the other direction: from the target to the source.
    ///
    /// # Panics
    /// If the target is not at least `bos` and `eos`.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let (_, source) = shift_right(&self.target);
        let target = [&self.target[..1], &self.source].concat();
        Self { source: source.to_vec(), target }
    }
}

/// What random numbers are for. Every purpose has a stream of its own, so
/// that the state of no generator has to be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stream {
    /// The parameters of a new model.
    Weights,
    /// The examples of a task.
    Data,
    /// The order of the examples in an epoch.
    Order(u64),
    /// The order in an epoch that has every example in both directions.
    BidirectionalOrder(u64),
    /// Dropout in a part of a batch. No two parts of a training have the same
    /// number.
    Dropout(u64),
}

/// The generator of random numbers for one purpose.
///
/// # Panics
/// If an epoch or a part has a number of more than 56 bits.
pub fn generator(seed: u64, stream: Stream) -> ChaCha8Rng {
    let (purpose, number) = match stream {
        Stream::Weights => (0, 0),
        Stream::Data => (1, 0),
        Stream::Order(epoch) => (2, epoch),
        Stream::BidirectionalOrder(epoch) => (3, epoch),
        Stream::Dropout(part) => (4, part),
    };
    assert!(number < 1 << 56, "no stream has the number {number}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream((purpose << 56) | number);
    rng
}

/// Examples that are asked for by their numbers, so that they need not all be
/// in memory.
pub trait Examples {
    /// How many there are.
    fn count(&self) -> usize;

    /// How many tokens the decoder learns to predict in the i-th example, as
    /// it is and reversed.
    fn target_tokens(&self, i: usize) -> [usize; 2];

    /// The i-th example, counted from 0.
    ///
    /// # Errors
    /// If it cannot be read, as when a disk fails.
    fn example(&self, i: usize) -> io::Result<Example>;
}

/// Examples in memory.
impl<T: AsRef<[Example]> + ?Sized> Examples for T {
    fn count(&self) -> usize {
        self.as_ref().len()
    }

    fn target_tokens(&self, i: usize) -> [usize; 2] {
        let example = &self.as_ref()[i];
        [example.target_tokens(), example.source.len()]
    }

    fn example(&self, i: usize) -> io::Result<Example> {
        Ok(self.as_ref()[i].clone())
    }
}

/// How many tokens the decoder learns to predict in all these examples.
pub fn target_tokens(examples: &(impl Examples + ?Sized)) -> usize {
    let own = |i| examples.target_tokens(i)[0];
    (0..examples.count()).map(own).sum()
}

/// An example in a batch, by a number of four bytes: *i* means the i-th of *n*
/// examples, and *n* + *i* the same one reversed.
type Pick = u32;

/// Cuts an epoch into batches of `size` target tokens, one after the other.
/// What is too little for another batch is left out.
fn cut(
    order: Vec<Pick>,
    examples: &(impl Examples + ?Sized),
    size: usize,
) -> impl Iterator<Item = Vec<Pick>> {
    let (n, mut picks) = (examples.count(), order.into_iter());
    iter::from_fn(move || {
        let (mut batch, mut tokens) = (Vec::new(), 0);
        while tokens < size {
            let pick = picks.next()?;
            batch.push(pick);
            let pick = pick as usize;
            tokens += examples.target_tokens(pick % n)[pick / n];
        }
        Some(batch)
    })
}

/// The mean cross-entropy of some examples: nats per target token.
pub(crate) fn loss<T: LayerOps + TiedCrossEntropy>(
    model: &Transformer<T>,
    examples: &[Example],
    label_smoothing: f64,
) -> T {
    let sources: Vec<_> = examples.iter().map(|e| &e.source).collect();
    let targets: Vec<_> = examples.iter().map(|e| &e.target).collect();
    model.loss(&sources, &targets, label_smoothing)
}

/// The share of a batch's target tokens that one part of it has.
fn fraction(part: &[Example], batch: &[Example]) -> f64 {
    target_tokens(part) as f64 / target_tokens(batch) as f64
}

/// The mean cross-entropy of examples that were not trained on, without
/// dropout and label smoothing: nats per target token.
///
/// # Panics
/// If there are no examples.
#[must_use]
pub fn validation_loss<F: Float>(
    model: &Transformer<Matrix<F>>,
    examples: &[Example],
) -> f64 {
    assert!(!examples.is_empty(), "no examples, no mean");
    let part = |part: &[Example]| {
        let nats: f64 = convert_unchecked(loss(model, part, 0.0)[0]);
        nats * fraction(part, examples)
    };
    let parts: Vec<f64> = examples.par_chunks(50).map(part).collect();
    parts.into_iter().sum()
}

/// The hyperparameters of a training run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The size of a batch in target tokens; the last example may exceed it.
    pub batch_tokens: usize,
    /// Into how many parts a batch is cut, which can be computed at the same
    /// time. The last digits of the result depend on it, and not on the
    /// number of threads.
    pub parts: usize,
    /// The number of updates.
    pub updates: usize,
    /// The number of updates, at the beginning, in which every example is
    /// learned in both directions.
    pub bidirectional_updates: usize,
    /// The number of updates in which the learning rate rises.
    pub warmup: usize,
    /// The highest learning rate.
    pub peak_lr: f64,
    /// The part of the numbers that dropout sets to 0.
    pub dropout: f64,
    /// λ: a step with learning rate η multiplies every parameter with
    /// 1 − ηλ.
    pub weight_decay: f64,
    /// The part of each target distribution that is spread over the whole
    /// vocabulary.
    pub label_smoothing: f64,
    /// Where all random numbers come from.
    pub seed: u64,
}

impl Recipe {
    /// The paper's recipe for its base model.
    pub fn base() -> Self {
        Self {
            batch_tokens: 25_000,
            parts: 4,
            updates: 100_000,
            bidirectional_updates: 0,
            warmup: 4000,
            peak_lr: paper_peak_lr(512, 4000),
            dropout: 0.1,
            weight_decay: 0.0,
            label_smoothing: 0.1,
            seed: 1,
        }
    }

    /// The paper's recipe for its big model.
    pub fn big() -> Self {
        Self {
            updates: 300_000,
            peak_lr: paper_peak_lr(1024, 4000),
            dropout: 0.3,
            ..Self::base()
        }
    }
}

impl Recipe {
    /// For [`Config::tiny`] and some tens of thousands of pairs of captions.
    pub fn tiny() -> Self {
        Self {
            batch_tokens: 5500,
            updates: 7800,
            bidirectional_updates: 4000,
            warmup: 2000,
            peak_lr: 0.005,
            dropout: 0.3,
            weight_decay: 0.1,
            ..Self::base()
        }
    }

    /// For [`Config::toy`] and one of the small [tasks](crate::tasks).
    pub fn toy() -> Self {
        Self {
            batch_tokens: 1000,
            updates: 2000,
            warmup: 100,
            peak_lr: 0.0015,
            dropout: 0.0,
            ..Self::base()
        }
    }
}

/// More parts than this would be more threads than a machine has.
pub const MAX_PARTS: usize = 1024;

/// A recipe that cannot be followed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum InvalidRecipe {
    /// A number is 0 that must not be.
    #[error("{name} cannot be 0")]
    Zero {
        /// Which number.
        name: &'static str,
    },
    /// A number is out of its range.
    #[error("{name} = {value} is not {range}")]
    Outside {
        /// Which number.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What it should be, such as `from 0 to below 1`.
        range: String,
    },
}

impl Recipe {
    /// Whether a model can be trained by this recipe.
    ///
    /// # Errors
    /// If a number is 0 that must not be, or out of its range.
    pub fn check(&self) -> Result<(), InvalidRecipe> {
        let counts = [
            ("batch_tokens", self.batch_tokens),
            ("parts", self.parts),
            ("updates", self.updates),
            ("warmup", self.warmup),
        ];
        if let Some(&(name, _)) = counts.iter().find(|(_, n)| *n == 0) {
            return Err(InvalidRecipe::Zero { name });
        }
        let (parts, lr) = (self.parts, self.peak_lr);
        let (decay, smoothing) = (self.weight_decay, self.label_smoothing);
        let dropout = (0.0..=MAX_DROPOUT).contains(&self.dropout);
        let is_part = |part| (0.0..1.0).contains(&part);
        let part = || "from 0 to below 1".to_owned();
        let to = |from, most: f64| format!("from {from} to {most}");
        let most = MAX_PARTS as f64;
        let ranges = [
            ("parts", parts as f64, parts <= MAX_PARTS, to(1, most)),
            ("dropout", self.dropout, dropout, to(0, MAX_DROPOUT)),
            ("weight_decay", decay, is_part(decay), part()),
            ("label_smoothing", smoothing, is_part(smoothing), part()),
            (
                "peak_lr",
                lr,
                lr > 0.0 && lr <= 1.0,
                "above 0 and up to 1".to_owned(),
            ),
        ];
        match ranges.into_iter().find(|(_, _, inside, _)| !inside) {
            None => Ok(()),
            Some((name, value, _, range)) => {
                Err(InvalidRecipe::Outside { name, value, range })
            }
        }
    }

    /// This recipe, by which a model is to be trained.
    ///
    /// # Panics
    /// If none can be.
    pub(crate) fn checked(self) -> Self {
        if let Err(invalid) = self.check() {
            panic!("no model can learn by this recipe: {invalid}");
        }
        self
    }
}

impl Recipe {
    /// Epoch after epoch without end, each with `picks` picks in an order of
    /// its own, cut into batches.
    fn epochs(
        &self,
        examples: &(impl Examples + ?Sized),
        picks: Pick,
        stream: fn(u64) -> Stream,
    ) -> impl Iterator<Item = Vec<Pick>> {
        let Self { batch_tokens, seed, .. } = *self;
        (0..).flat_map(move |epoch| {
            let mut order: Vec<Pick> = (0..picks).collect();
            order.shuffle(&mut generator(seed, stream(epoch)));
            cut(order, examples, batch_tokens)
        })
    }
}

impl Recipe {
    /// The batches of a training run, one for each update, without end: at
    /// first with every example in both directions, then as given. The same
    /// seed gives the same batches. Each is made when it is asked for; in
    /// memory is only the order of an epoch, four bytes for each example.
    /// Where an example cannot be read, there is an error in place of the
    /// batch.
    ///
    /// # Panics
    /// If the examples do not fill one batch, or are more than 2³¹.
    pub fn batches(
        &self,
        examples: &(impl Examples + ?Sized),
        skip: usize,
    ) -> impl Iterator<Item = io::Result<Vec<Example>>> {
        let (size, all) = (self.batch_tokens, target_tokens(examples));
        assert!(all >= size, "{all} tokens do not fill a batch of {size}");
        let n = examples.count();
        let picks = Pick::try_from(2 * n).expect("no more than 2³¹ examples");
        let both = self.epochs(examples, picks, Stream::BidirectionalOrder);
        let one = self.epochs(examples, picks / 2, Stream::Order);
        let batches = both.take(self.bidirectional_updates).chain(one);
        let example = move |pick: Pick| match pick as usize {
            i if i < n => examples.example(i),
            i => examples.example(i - n).map(|one| one.reversed()),
        };
        let batch =
            move |picks: Vec<_>| picks.into_iter().map(example).collect();
        batches.skip(skip).map(batch)
    }
}

/// A model in training.
#[derive(Clone, Debug)]
pub struct Training<F: Float = f32> {
    /// The hyperparameters.
    pub recipe: Recipe,
    /// The model as it is now.
    pub model: Transformer<Matrix<F>>,
    /// The moments of its gradients, and the number of updates so far.
    pub adam: Adam<Transformer<Matrix<F>>>,
}

/// The loss is not a finite number, or the square of its gradient is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "update {update}: the loss or its gradient is too large or not a number; \
     a lower peak_lr or a longer warmup may help"
)]
pub struct Diverged {
    /// The update that was not made.
    pub update: usize,
}

/// Why a training has ended before its last update.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// An update cannot be made.
    #[error(transparent)]
    Diverged(#[from] Diverged),
    /// An example cannot be read.
    #[error("update {update}: an example cannot be read: {error}")]
    Unread {
        /// The update that was not made.
        update: usize,
        /// What the system says.
        error: io::Error,
    },
}

/// An update that has been made.
#[derive(Clone, Copy, Debug)]
pub struct Update<F> {
    /// Which one, counted from 1.
    pub step: usize,
    /// The loss of its batch before it, with dropout and label smoothing:
    /// nats per target token.
    pub loss: F,
    /// The number of target tokens in its batch.
    pub target_tokens: usize,
}

impl<F: Float> Training<F> {
    /// A new model of these sizes, with random parameters from the recipe's
    /// seed.
    ///
    /// # Panics
    /// If [no model can have these sizes](Config::check), or
    /// [none can be trained by the recipe](Recipe::check).
    pub fn new(config: &Config, recipe: Recipe) -> Self {
        let mut rng = generator(recipe.seed, Stream::Weights);
        let recipe = recipe.checked();
        assert!(config.layers > 0, "without layers a model learns nothing");
        let model = Transformer::new(config, &mut rng);
        let adam = Adam::new(&model);
        Self { recipe, model, adam }
    }

    /// Makes all updates of the recipe that have not been made yet. After
    /// each, `after` may look at the model, and may end the run early by
    /// breaking.
    ///
    /// # Errors
    /// If an update cannot be made because the training has diverged or an
    /// example cannot be read.
    ///
    /// # Panics
    /// If the examples do not fill one batch.
    pub fn run<B>(
        &mut self,
        examples: &(impl Examples + ?Sized),
        after: impl FnMut(&Self, Update<F>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, TrainingError> {
        let gradient = |own: &Self, batch: &[_]| Ok(own.gradient(batch));
        self.run_by(examples, gradient, after)
    }

    /// [`run`](Self::run), when the loss and the gradient of a batch are
    /// computed in another way.
    pub(crate) fn run_by<B, E: From<TrainingError>>(
        &mut self,
        examples: &(impl Examples + ?Sized),
        gradient: impl Fn(&Self, &[Example]) -> Result<LossAndGradient<F>, E>,
        mut after: impl FnMut(&Self, Update<F>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, E> {
        let (recipe, done) = (self.recipe.clone(), self.adam.steps);
        let batches = recipe.batches(examples, done);
        for (step, batch) in (done + 1..=recipe.updates).zip(batches) {
            let unread =
                |error| TrainingError::Unread { update: step, error };
            let batch = batch.map_err(unread)?;
            let gradient = gradient(self, &batch)?;
            let loss = self.step(gradient).map_err(TrainingError::from)?;
            let target_tokens = target_tokens(&batch);
            let end = after(self, Update { step, loss, target_tokens });
            if end.is_break() {
                return Ok(end);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl<F: Float> Training<F> {
    /// One update of the parameters. Returns the loss before it: nats per
    /// target token.
    ///
    /// # Errors
    /// If the loss or the square of its gradient is not finite; the model and
    /// Adam are then as before.
    ///
    /// # Panics
    /// If the batch is empty.
    pub fn update(&mut self, batch: &[Example]) -> Result<F, Diverged> {
        assert!(!batch.is_empty(), "a batch of no examples");
        self.step(self.gradient(batch))
    }

    /// An update by the loss and the gradient of its batch.
    fn step(&mut self, sum: LossAndGradient<F>) -> Result<F, Diverged> {
        let Self { recipe, model, adam } = self;
        let Recipe { peak_lr, warmup, .. } = *recipe;
        let lr = learning_rate(peak_lr, adam.steps + 1, warmup);
        recipe.step(model, adam, sum, lr)
    }
}

/// What the training of every model has in common.
impl Recipe {
    /// What the i-th part of a batch, which is this share of it, contributes
    /// to the loss and the gradient of the next update. `loss` computes the
    /// mean loss of the part with this label smoothing. The parts share the
    /// threads that there are.
    pub(crate) fn part<F: Float, L: Trainable<F>>(
        &self,
        model: &L::Shared,
        steps: usize,
        (i, share): (usize, f64),
        loss: impl FnOnce(&L::OnTape, f64) -> Variable<F>,
    ) -> (F, L) {
        let Self { dropout, label_smoothing, seed, parts, .. } = *self;
        let stream = Stream::Dropout((steps * parts + i) as u64);
        let tape = Tape::with_dropout(dropout, generator(seed, stream));
        let threads = (rayon::current_num_threads() / parts).max(1);
        let loss = |model: &_| loss(model, label_smoothing).scale(share);
        with_threads(threads, || gradient_on::<F, L>(&tape, model, loss))
    }

    /// A step of Adam with this learning rate, and before it weight decay
    /// (Loshchilov and Hutter, 2019). Returns the loss.
    pub(crate) fn step<F: Float, L: Parameters<Matrix<F>>>(
        &self,
        model: &mut L,
        adam: &mut Adam<L>,
        (loss, gradient): (F, L),
        lr: f64,
    ) -> Result<F, Diverged> {
        if !is_finite(&loss, &gradient) {
            return Err(Diverged { update: adam.steps + 1 });
        }
        if self.weight_decay > 0.0 {
            let left: F = convert(1.0 - lr * self.weight_decay);
            let leaves = model.leaves_mut().into_iter();
            leaves.for_each(|leaf| *leaf *= left);
        }
        adam.step(model, &gradient, lr);
        Ok(loss)
    }
}

/// A model that several tapes can read.
pub(crate) type Shared<F> = Transformer<Arc<Matrix<F>>>;

/// The loss of a batch, and its gradient.
pub(crate) type LossAndGradient<F> = (F, Transformer<Matrix<F>>);

/// A part of a batch, and its number.
pub(crate) type Part<'a> = (usize, &'a [Example]);

impl<F: Float> Training<F> {
    /// The loss and the gradient of a batch.
    pub(crate) fn gradient(&self, batch: &[Example]) -> LossAndGradient<F> {
        self.sum(&self.model.share(), batch, &self.parts(batch))
    }

    /// The parts of a batch, all of one size but, perhaps, the last.
    pub(crate) fn parts<'a>(&self, batch: &'a [Example]) -> Vec<Part<'a>> {
        let size = batch.len().div_ceil(self.recipe.parts);
        batch.chunks(size).enumerate().collect()
    }

    /// The sum of the losses and gradients of some parts of a batch: one half
    /// of them, and the other. The order never depends on the threads, since
    /// floats added in another order can have another sum.
    pub(crate) fn sum(
        &self,
        model: &Shared<F>,
        batch: &[Example],
        parts: &[Part],
    ) -> LossAndGradient<F> {
        if let [(i, part)] = *parts {
            let share = fraction(part, batch);
            // This moves us onto a thread of the pool. A thread outside of it
            // would wait for the pool at each product.
            return rayon::scope(|_| self.part(model, i, part, share));
        }
        let (one, other) = parts.split_at(parts.len().div_ceil(2));
        let ((a, mut sum), (b, gradient)) = rayon::join(
            || self.sum(model, batch, one),
            || self.sum(model, batch, other),
        );
        add_into(&mut sum, &gradient);
        (a + b, sum)
    }
}

impl<F: Float> Training<F> {
    /// What the i-th part of a batch, which is this share of it, contributes
    /// to the loss and the gradient.
    fn part(
        &self,
        model: &Shared<F>,
        i: usize,
        part: &[Example],
        share: f64,
    ) -> LossAndGradient<F> {
        let Self { recipe, adam, .. } = self;
        recipe.part(model, adam.steps, (i, share), |model, smoothing| {
            loss(model, part, smoothing)
        })
    }
}

/// Whether a loss is finite, and the square of its gradient, which Adam keeps.
pub(crate) fn is_finite<F: Float>(
    loss: &F,
    gradient: &impl Parameters<Matrix<F>>,
) -> bool {
    let mut leaves = gradient.leaves().into_iter();
    let finite = |leaf: &Matrix<F>| leaf.iter().all(|&g| (g * g).is_finite());
    loss.is_finite() && leaves.all(|(_, leaf)| finite(leaf))
}
