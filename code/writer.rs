//! A decoder without an encoder: a model that writes.
//!
//! ```
//! use all_you_need::writer::{Half, Trainer, Text, config, recipe};
//! use all_you_need::tensor::Matrix;
//! use all_you_need::tokens::Tokenizer;
//!
//! let tokenizer = Tokenizer::default();
//! let text = Text(tokenizer.encode("to write"));
//! let small = config(tokenizer.vocabulary());
//! let mut learning: Trainer<Half<Matrix<f32>>> =
//!     Trainer::new(recipe(1), |init| Half::new(&small, init));
//! let before = learning.update(&[text.clone()])?;
//! let after = learning.update(&[text])?;
//! assert!(after < before);
//! # Ok::<(), all_you_need::training::Diverged>(())
//! ```

use crate::attention::Mask;
use crate::checkpoint::{Digest, Error, MERGES, MODEL, MOMENTS};
use crate::checkpoint::{MOST_BYTES, Reader, SETTINGS, WRITER, from_toml};
use crate::checkpoint::{merges_to_text, pack, save_files, stored, to_toml};
use crate::costs::{Bill, Shape};
use crate::embedding::Embedding;
use crate::encoder::{Config, Encoder};
use crate::gradient::Variable;
use crate::heads::KeysValues;
use crate::layers::LayerOps;
use crate::loss::{TiedCrossEntropy, forced, shift_right};
use crate::optimizer::{Adam, learning_rate};
use crate::parameters::{Parameters, Trainable, add_into};
use crate::position::sinusoidal;
use crate::search::{CacheOps, LanguageModel, Sampling};
use crate::search::{attend, keys_values, sample};
use crate::tensor::{Float, Init, Matrix};
use crate::tokens::{Token, Tokenizer};
use crate::training::{Diverged, Recipe, Stream, Update, generator};
use crate::transformer::{NotFinite, Packed};
use rand::Rng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::iter;
use std::mem;
use std::ops::ControlFlow;
use std::path::Path;

/// One half of a Transformer: the embedding of tokens and a stack of layers.
#[derive(Clone, Debug)]
pub struct Half<T> {
    /// One table for the tokens that are read and those that are predicted.
    pub embedding: Embedding<T>,
    /// The layers.
    pub stack: Encoder<T>,
}

parameters!(Half, [], [embedding stack], []);

impl<T: LayerOps> Half<T> {
    /// A random model of these sizes.
    ///
    /// # Panics
    /// If [no model can have them](Config::check).
    pub fn new(config: &Config, init: &mut impl Init<T>) -> Self {
        let Config { vocabulary, d_model, .. } = *config.checked();
        Self {
            embedding: Embedding::new(vocabulary, d_model, init),
            stack: Encoder::new(config, init),
        }
    }

    /// A row for each token, n × d_model, that knows the tokens before it and
    /// its own.
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    #[must_use]
    pub fn causal<S: AsRef<[Token]>>(&self, texts: &[S]) -> T {
        let Packed { rows, lengths } = self.embedding.pack(texts);
        let own = Mask::packed(&lengths, &lengths);
        let past = own.and(&Mask::causal(own.queries()));
        self.stack.forward(&rows, &past)
    }

    /// A row for each token, n × d_model, that knows all tokens of its text.
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    #[must_use]
    pub fn bidirectional<S: AsRef<[Token]>>(&self, texts: &[S]) -> T {
        let Packed { rows, lengths } = self.embedding.pack(texts);
        self.stack.forward(&rows, &Mask::packed(&lengths, &lengths))
    }
}

/// Something that a model `M` of tensors `T` learns from.
pub trait TrainingExample<M, T>: Clone + Sync {
    /// How many answers it asks for.
    fn answers(&self) -> usize;

    /// The mean cross-entropy of the answers of some examples, in nats:
    /// 1 × 1.
    ///
    /// # Panics
    /// If there are no examples.
    #[must_use]
    fn loss(model: &M, examples: &[Self], label_smoothing: f64) -> T;
}

/// A window of a text. The task is to predict each token but the first from
/// those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub Vec<Token>);

impl<T: LayerOps + TiedCrossEntropy> TrainingExample<Half<T>, T> for Text {
    fn answers(&self) -> usize {
        shift_right(&self.0).1.len()
    }

    fn loss(model: &Half<T>, texts: &[Self], label_smoothing: f64) -> T {
        let targets = texts.iter().map(|Text(text)| &text[..]);
        forced(targets, &model.embedding.table, label_smoothing, |inputs| {
            model.causal(inputs)
        })
    }
}

/// A model that learns.
#[derive(Clone, Debug)]
pub struct Trainer<L> {
    /// The hyperparameters.
    pub recipe: Recipe,
    /// The model as it is now.
    pub model: L,
    /// The moments of its gradients, and the number of updates so far.
    pub adam: Adam<L>,
}

/// A tree of matrices that can be shared by threads and trained.
pub trait Model:
    Trainable<f32, Shared: Sync>
    + Parameters<Matrix<f32>, With<Matrix<f32>> = Self>
    + Send
{
}

impl<L> Model for L where
    L: Trainable<f32, Shared: Sync>
        + Parameters<Matrix<f32>, With<Matrix<f32>> = L>
        + Send
{
}

impl<L: Model> Trainer<L> {
    /// A model that `new` makes with random numbers from the recipe's seed.
    ///
    /// # Panics
    /// If [no model can be trained by the recipe](Recipe::check).
    pub fn new(
        recipe: Recipe,
        new: impl FnOnce(&mut ChaCha8Rng) -> L,
    ) -> Self {
        let recipe = recipe.checked();
        let model = new(&mut generator(recipe.seed, Stream::Weights));
        let adam = Adam::new(&model);
        Self { recipe, model, adam }
    }

    /// Makes all updates of the recipe that have not been made yet. After
    /// each, `after` may look at the model, and may end the run early by
    /// breaking. A model that goes on later learns as if it had not stopped.
    ///
    /// # Errors
    /// If an update cannot be made because the training has diverged.
    ///
    /// # Panics
    /// If the examples ask for no answers.
    pub fn run<E, B>(
        &mut self,
        examples: &[E],
        mut after: impl FnMut(&Self, Update<f32>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Diverged>
    where
        E: TrainingExample<L::OnTape, Variable<f32>>,
    {
        assert!(
            answers(examples) > 0,
            "nothing can be learned without examples"
        );
        let (recipe, done) = (self.recipe.clone(), self.adam.steps);
        let batches = batches(&recipe, examples).skip(done);
        for (step, batch) in (done + 1..=recipe.updates).zip(batches) {
            let loss = self.update(&batch)?;
            let target_tokens = answers(&batch);
            let end = after(self, Update { step, loss, target_tokens });
            if end.is_break() {
                return Ok(end);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// One update of the weights. Returns the loss before it: nats per
    /// answer.
    ///
    /// # Errors
    /// If the loss or its gradient is not finite; the model is then as before.
    ///
    /// # Panics
    /// If the batch is empty.
    pub fn update<E>(&mut self, batch: &[E]) -> Result<f32, Diverged>
    where
        E: TrainingExample<L::OnTape, Variable<f32>>,
    {
        let sum = self.gradient(batch);
        let Self { recipe, model, adam } = self;
        let Recipe { updates, peak_lr, warmup, .. } = *recipe;
        let ahead = 1.0 - adam.steps as f64 / updates as f64;
        let lr = learning_rate(peak_lr, adam.steps + 1, warmup);
        recipe.step(model, adam, sum, ahead.max(0.0) * lr)
    }

    /// The loss and the gradient of a batch. Its parts are computed at the
    /// same time, and added in their order.
    fn gradient<E>(&self, batch: &[E]) -> (f32, L)
    where
        E: TrainingExample<L::OnTape, Variable<f32>>,
    {
        let (recipe, steps) = (&self.recipe, self.adam.steps);
        let (model, all) = (self.model.share(), answers(batch));
        assert!(all > 0, "a batch of no examples");
        let part = |(i, part): (usize, &[E])| {
            let share = answers(part) as f64 / all as f64;
            recipe.part(&model, steps, (i, share), |model, smoothing| {
                E::loss(model, part, smoothing)
            })
        };
        let chunks = batch.par_chunks(batch.len().div_ceil(recipe.parts));
        let parts: Vec<_> = chunks.enumerate().map(part).collect();
        let sum = |(a, mut sum): (f32, L), (b, gradient): (f32, L)| {
            add_into(&mut sum, &gradient);
            (a + b, sum)
        };
        parts.into_iter().reduce(sum).expect("a part of a batch")
    }
}

/// The answers of all these examples.
fn answers<M, T>(examples: &[impl TrainingExample<M, T>]) -> usize {
    examples.iter().map(TrainingExample::answers).sum()
}

/// The examples in batches, epoch after epoch, each in an order of its own.
fn batches<M, T, E: TrainingExample<M, T>>(
    recipe: &Recipe,
    examples: &[E],
) -> impl Iterator<Item = Vec<E>> {
    let Recipe { seed, batch_tokens, .. } = *recipe;
    (0..).flat_map(move |epoch| {
        let mut order: Vec<usize> = (0..examples.len()).collect();
        order.shuffle(&mut generator(seed, Stream::Order(epoch)));
        let (mut batches, mut batch, mut size) = (Vec::new(), Vec::new(), 0);
        for (place, example) in (1..).zip(order.iter().map(|&i| &examples[i]))
        {
            size += example.answers();
            batch.push(example.clone());
            if size >= batch_tokens || place == order.len() {
                batches.push(mem::take(&mut batch));
                size = 0;
            }
        }
        batches
    })
}

/// The mean cross-entropy of examples that were not learned, without dropout
/// and label smoothing: nats per answer.
///
/// # Panics
/// If there are no examples.
pub fn mean_loss<M, E>(model: &M, examples: &[E]) -> f64
where
    M: Sync,
    E: TrainingExample<M, Matrix<f32>>,
{
    let all = answers(examples);
    assert!(all > 0, "no examples, no mean");
    let nats = |part: &[E]| {
        f64::from(E::loss(model, part, 0.0)[0]) * answers(part) as f64
    };
    let parts: Vec<f64> = examples.par_chunks(16).map(nats).collect();
    parts.into_iter().sum::<f64>() / all as f64
}

/// The most tokens that a small writer reads at a time.
pub const WINDOW: usize = 128;

/// Paragraphs one after the other: each ends with the end of sequence, and
/// so each begins after one.
pub fn running(
    paragraphs: &[impl AsRef<str>],
    tokenizer: &Tokenizer,
) -> Vec<Token> {
    let each = paragraphs.iter().map(AsRef::as_ref);
    let tokens = each.flat_map(|text| tokenizer.encode_source(text));
    iter::once(tokenizer.eos()).chain(tokens).collect()
}

/// The windows of a text that have `length` tokens to read, and so as many to
/// predict. One begins every `step` tokens. A text that is too short has none.
///
/// # Panics
/// If `step` is 0.
pub fn windows(text: &[Token], length: usize, step: usize) -> Vec<Text> {
    assert!(step > 0, "windows need a step of 1 token or more");
    let windows = text.windows(length.saturating_add(1)).step_by(step);
    windows.map(|window| Text(window.to_vec())).collect()
}

/// The sizes of a small writer.
pub fn config(vocabulary: usize) -> Config {
    Config { vocabulary, layers: 3, d_ff: 512, ..Config::tiny() }
}

/// How a small writer learns from some sixty thousand words.
pub fn recipe(seed: u64) -> Recipe {
    Recipe {
        batch_tokens: 8 * WINDOW,
        updates: 3000,
        warmup: 200,
        peak_lr: 0.004,
        dropout: 0.2,
        weight_decay: 0.1,
        label_smoothing: 0.0,
        seed,
        ..Recipe::base()
    }
}

/// A half that reads a text token by token and keeps its keys and values: a
/// KV cache for one text.
#[derive(Debug)]
pub struct Past<'a, T> {
    model: &'a Half<T>,
    /// For each layer, the keys and values of all tokens read, transposed.
    layers: Vec<KeysValues<T>>,
    /// How many tokens have been read.
    read: usize,
}

impl<'a, T: CacheOps> Past<'a, T> {
    /// Nothing has been read.
    pub fn new(model: &'a Half<T>) -> Self {
        let nothing = model.embedding.embed(&[]); // 0 × d_model
        let layers = model.stack.layers.iter();
        let layers = layers.map(|l| keys_values(&l.attention, &nothing));
        Self { model, layers: layers.collect(), read: 0 }
    }

    /// Reads a token, and returns the logits of the next one: V × 1.
    ///
    /// # Panics
    /// If the token is not in the vocabulary.
    pub fn feed(&mut self, token: Token) -> T {
        let Half { embedding, stack } = self.model;
        let x = embedding.embed(&[token]);
        let position = sinusoidal(&[self.read], x.shape().1);
        let mut x = x.add(&x.constant(&position));
        self.read += 1;
        let columns = [(0..self.read).collect()];
        for (layer, past) in stack.layers.iter().zip(&mut self.layers) {
            let new = keys_values(&layer.attention, &x);
            past.keys.append_columns(&new.keys);
            past.values.append_columns(&new.values);
            x = layer.attend(&x, |heads, x| attend(heads, x, past, &columns));
        }
        embedding.table.matmul_t(&x)
    }
}

impl<F: Float> LanguageModel<F> for Past<'_, Matrix<F>> {
    fn next_logits(
        &mut self,
        parents: &[usize],
        tokens: &[Token],
    ) -> Matrix<F> {
        assert!(*parents == [0], "one text, which only goes on");
        self.feed(tokens[0])
    }
}

/// A model that has learned to write, and what its tokens mean.
#[derive(Clone, Debug)]
pub struct Writer {
    /// The sizes of the model.
    pub config: Config,
    /// The model.
    pub model: Half<Matrix<f32>>,
    /// What its tokens mean.
    pub tokenizer: Tokenizer,
    /// How it has learned.
    pub recipe: Recipe,
    /// The digest of the text that it has learned from.
    pub text: Digest,
}

impl Writer {
    /// The tokens that go on from a beginning, drawn one after the other,
    /// until end of sequence is drawn. The sampling's `bos` is not used.
    ///
    /// # Panics
    /// As [`Sampling::probabilities`].
    pub fn tokens<'a, R: Rng>(
        &'a self,
        beginning: &str,
        sampling: &Sampling,
        rng: &'a mut R,
    ) -> impl Iterator<Item = Result<Token, NotFinite>> + use<'a, R> {
        let mut past = Past::new(&self.model);
        let mut sampling = sampling.clone();
        sampling.bos = self.tokenizer.eos(); // Where a paragraph begins.
        for token in self.tokenizer.encode(beginning) {
            let _ = past.feed(sampling.bos);
            sampling.bos = token;
        }
        iter::from_fn(move || match sample(&mut past, 1, &sampling, rng) {
            Ok(drawn) => {
                sampling.bos = *drawn.first()?;
                Some(Ok(sampling.bos))
            }
            Err(error) => Some(Err(error)),
        })
    }
}

/// The content of a writer's `config.toml`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    format: u32,
    text: Digest,
    model: Config,
    recipe: Recipe,
    /// The number of updates so far, if it is still learning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
}

impl Settings {
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let settings: Self = from_toml(bytes)?;
        let Self { model, recipe, .. } = &settings;
        model.check().map_err(|error| error.to_string())?;
        recipe.check().map_err(|error| error.to_string())?;
        Ok(settings)
    }
}

/// The files of a writer, but for the digests.
const FILES: [&str; 3] = [SETTINGS, MERGES, MODEL];

/// A half of these sizes, without its numbers.
fn shapes(config: &Config) -> Half<Shape> {
    Half::new(config, &mut Bill::default())
}

impl Writer {
    /// Saves to a directory that is not there yet: all of it, or nothing.
    ///
    /// # Errors
    /// If there is something at `dir` already, if a number is not finite, or
    /// if the disk is full.
    pub fn save(&self, dir: &Path) -> Result<(), Error> {
        let names = FILES.into_iter();
        save_files(dir, names.map(|name| (name, self.content(name))))
    }

    /// The bytes of one of its files.
    fn content(&self, name: &str) -> Result<Vec<u8>, String> {
        match name {
            SETTINGS => Ok(to_toml(&self.settings(None))),
            MERGES => Ok(merges_to_text(self.tokenizer.bpe()).into_bytes()),
            _ => pack(&stored(&self.model, "")),
        }
    }

    fn settings(&self, steps: Option<usize>) -> Settings {
        let Self { config, recipe, text, .. } = self;
        let (model, recipe, text) =
            (config.clone(), recipe.clone(), text.clone());
        Settings { format: WRITER, text, model, recipe, steps }
    }

    /// Loads what [`save`](Self::save) has saved, or the writer of a
    /// [`Draft`].
    ///
    /// # Errors
    /// If it is another kind of model, or if a file is missing, has changed
    /// in a single bit, or does not fit the others; the error names it.
    pub fn load(dir: &Path) -> Result<Self, Error> {
        Ok(Self::read(&Reader::new(dir, WRITER)?)?.0)
    }

    /// Also returns how many updates it has made, if it is still learning.
    fn read(reader: &Reader) -> Result<(Self, Option<usize>), Error> {
        let Settings { text, model: config, recipe, steps, .. } =
            reader.open(SETTINGS, MOST_BYTES, Settings::parse)?;
        let moments = steps.map(|_| MOMENTS);
        let names = FILES.into_iter().chain(moments);
        reader.check_names(&names.collect::<Vec<_>>())?;
        let tokenizer = reader.tokenizer(&config)?;
        let [model] = reader.trees(MODEL, &shapes(&config), [""])?;
        Ok((Self { config, model, tokenizer, recipe, text }, steps))
    }
}

/// A writer that is still learning, with all that it needs to go on as if it
/// had never stopped.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The writer as it is now.
    pub writer: Writer,
    /// The moments of its gradients, and the number of updates so far.
    pub adam: Adam<Half<Matrix<f32>>>,
}

impl Draft {
    /// Saves to a directory that is not there yet: all of it, or nothing.
    ///
    /// # Errors
    /// As [`Writer::save`].
    pub fn save(&self, dir: &Path) -> Result<(), Error> {
        let names = FILES.into_iter().chain([MOMENTS]);
        save_files(dir, names.map(|name| (name, self.content(name))))
    }

    /// The bytes of one of its files.
    fn content(&self, name: &str) -> Result<Vec<u8>, String> {
        let Self { writer, adam } = self;
        match name {
            SETTINGS => Ok(to_toml(&writer.settings(Some(adam.steps)))),
            MOMENTS => {
                let mut moments = stored(&adam.mean, ".mean");
                moments.extend(stored(&adam.square, ".square"));
                pack(&moments)
            }
            _ => writer.content(name),
        }
    }

    /// Loads what [`save`](Self::save) has saved.
    ///
    /// # Errors
    /// As [`Writer::load`], or if it does not learn any more.
    pub fn load(dir: &Path) -> Result<Self, Error> {
        let reader = Reader::new(dir, WRITER)?;
        let (writer, steps) = Writer::read(&reader)?;
        let complete = || "it has learned, and has no moments".to_owned();
        let steps =
            steps.ok_or_else(complete).map_err(Error::invalid(dir))?;
        let shapes = shapes(&writer.config);
        let [mean, square] =
            reader.trees(MOMENTS, &shapes, [".mean", ".square"])?;
        let new = Adam::new(&writer.model);
        let adam = Adam { steps, mean, square, ..new };
        Ok(Self { writer, adam })
    }
}
