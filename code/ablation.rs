//! A Transformer of which a part is taken away or exchanged, and what it
//! learns of a small task.
//!
//! ```
//! use all_you_need::ablation::{Experiment, Switch};
//! use all_you_need::tasks::Task;
//!
//! let switches = [Switch::Positions].into_iter().collect();
//! let mut learning = Experiment::new(Task::Reverse, 1, switches);
//! let first = learning.step()?;
//! for _ in 0..30 {
//!     learning.step()?;
//! }
//! assert!(learning.step()? < first);
//! println!("{}", learning.write("planet"));
//! # Ok::<(), all_you_need::training::Diverged>(())
//! ```

use crate::attention::{Mask, weights};
use crate::decoder::DecoderLayer;
use crate::embedding::Embedding;
use crate::encoder::{Config, EncoderLayer};
use crate::gradient::Variable;
use crate::heads::{KeysValues, MultiHead};
use crate::layers::{FeedForward, LayerNorm, LayerOps};
use crate::loss::{TiedCrossEntropy, shift_right};
use crate::optimizer::{Adam, learning_rate};
use crate::parameters::Trainable;
use crate::position::sinusoidal;
use crate::tasks::Task;
use crate::tensor::{Float, Init, Matrix, Tensor};
use crate::tokens::{Token, Tokenizer};
use crate::training::{Diverged, Example, Recipe, Stream, generator};
use crate::transformer::{Packed, Transformer};
use rand::rngs::ChaCha8Rng;
use std::str::FromStr;
use thiserror::Error;

/// One change of the paper's model, or of how it is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// The scores are not divided by √d_k.
    KeyScale,
    /// The embeddings are not multiplied by √d_model.
    EmbeddingScale,
    /// No positions are added to the embeddings.
    Positions,
    /// The positions are multiplied by √d_model, as the embeddings are.
    LongPositions,
    /// The positions are a table that is learned, in place of sines.
    LearnedPositions,
    /// A sublayer's input is not added to its output.
    Residual,
    /// Nothing is normalized.
    Norm,
    /// The norm comes before each sublayer, and once more at the end.
    NormFirst,
    /// A single head, as wide as all together.
    OneHead,
    /// What the heads find is not mixed by W^O.
    OutputProjection,
    /// The layers have no feed-forward network.
    FeedForward,
    /// The output has a table of its own, which is not tied to the embedding.
    Tying,
    /// The decoder sees the whole target.
    Mask,
    /// The decoder reads the very tokens that it is asked for.
    Shift,
    /// The learning rate is highest from the first step.
    WarmUp,
    /// The learning rate is ten times as high.
    Rate,
    /// The targets are not smoothed.
    Smoothing,
    /// Other random numbers, and nothing else.
    Seed,
}

impl Switch {
    /// All switches: first those of the rows, then of the layers, of the
    /// decoder's task and of the training.
    pub const ALL: [Self; 18] = [
        Self::EmbeddingScale,
        Self::Positions,
        Self::LongPositions,
        Self::LearnedPositions,
        Self::Tying,
        Self::KeyScale,
        Self::OneHead,
        Self::OutputProjection,
        Self::Residual,
        Self::Norm,
        Self::NormFirst,
        Self::FeedForward,
        Self::Mask,
        Self::Shift,
        Self::WarmUp,
        Self::Rate,
        Self::Smoothing,
        Self::Seed,
    ];

    /// The name of this switch in files and addresses, and what it does in
    /// few words.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::KeyScale => ("key-scale", "no √d_k"),
            Self::EmbeddingScale => ("embedding-scale", "no √d_model"),
            Self::Positions => ("positions", "no positions"),
            Self::LongPositions => ("long-positions", "long positions"),
            Self::LearnedPositions => ("learned", "learned positions"),
            Self::Residual => ("residual", "no residual connection"),
            Self::Norm => ("norm", "no norm"),
            Self::NormFirst => ("norm-first", "norm before"),
            Self::OneHead => ("one-head", "one head"),
            Self::OutputProjection => ("output-projection", "no W^O"),
            Self::FeedForward => ("feed-forward", "no feed-forward"),
            Self::Tying => ("tying", "untied"),
            Self::Mask => ("mask", "no mask"),
            Self::Shift => ("shift", "no shift"),
            Self::WarmUp => ("warm-up", "no warm-up"),
            Self::Rate => ("rate", "ten times the rate"),
            Self::Smoothing => ("smoothing", "no smoothing"),
            Self::Seed => ("seed", "another seed"),
        }
    }

    /// Whether it changes only what the model computes, and with no other
    /// parameters, so that it can be thrown after training, too.
    pub fn can_be_thrown_later(self) -> bool {
        !matches!(
            self,
            Self::Tying
                | Self::LearnedPositions
                | Self::NormFirst
                | Self::Shift
                | Self::WarmUp
                | Self::Rate
                | Self::Smoothing
                | Self::Seed
        )
    }
}

/// A name that no switch has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "no switch {name}; there are {}",
    Switch::ALL.map(|switch| switch.names().0).join(", ")
)]
#[non_exhaustive]
pub struct UnknownSwitch {
    /// The name.
    pub name: String,
}

impl FromStr for Switch {
    type Err = UnknownSwitch;

    fn from_str(name: &str) -> Result<Self, UnknownSwitch> {
        let switch = Self::ALL.into_iter().find(|one| one.names().0 == name);
        switch.ok_or_else(|| UnknownSwitch { name: name.to_owned() })
    }
}

/// The switches that are thrown; by default none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Switches(u32);

impl FromIterator<Switch> for Switches {
    fn from_iter<I: IntoIterator<Item = Switch>>(switches: I) -> Self {
        let bits = switches.into_iter().map(|switch| 1 << switch as u32);
        Self(bits.fold(0, |all, bit| all | bit))
    }
}

impl Switches {
    /// Whether this switch is thrown.
    pub fn has(self, switch: Switch) -> bool {
        self.0 & (1 << switch as u32) != 0
    }

    /// The recipe with what the switches change in it.
    #[must_use]
    pub fn recipe(self, mut recipe: Recipe) -> Recipe {
        if self.has(Switch::Rate) {
            recipe.peak_lr *= 10.0;
        }
        if self.has(Switch::Smoothing) {
            recipe.label_smoothing = 0.0;
        }
        if self.has(Switch::Seed) {
            recipe.seed += 1000;
        }
        recipe
    }
}

/// The paper's parameters, and what is computed with them when some switches
/// are thrown.
#[derive(Clone, Debug)]
pub struct Ablated<T> {
    /// The model of the paper. A part that is switched off keeps its
    /// parameters, which then have no gradient.
    pub model: Transformer<T>,
    /// A table of positions, if they are learned.
    pub positions: Vec<Embedding<T>>,
    /// The table of the output, if it is not tied.
    pub output: Vec<Embedding<T>>,
    /// The last norms of encoder and decoder, if the norms come first.
    pub last_norms: Vec<LayerNorm<T>>,
    /// What is changed.
    pub switches: Switches,
}

parameters!(
    Ablated,
    [],
    [model positions output last_norms],
    [switches]
);

/// How many positions a model can learn.
pub const POSITIONS: usize = 128;

impl<T: LayerOps> Ablated<T> {
    /// A random model. What the paper's model has gets the numbers that it
    /// would get there, whatever the switches are.
    ///
    /// # Panics
    /// If [no model can have these sizes](Config::check), or there is no W^O
    /// and what the heads find is not d_model wide.
    pub fn new(
        config: &Config,
        switches: Switches,
        init: &mut impl Init<T>,
    ) -> Self {
        let Config { vocabulary, d_model, heads, d_v, .. } = *config;
        assert!(
            !switches.has(Switch::OutputProjection) || heads * d_v == d_model,
            "without W^O {heads} heads of {d_v} columns must be {d_model}"
        );
        let count = |switch, n| 0..if switches.has(switch) { n } else { 0 };
        let table = |rows, init: &mut _| Embedding::new(rows, d_model, init);
        Self {
            model: Transformer::new(config, init),
            positions: count(Switch::LearnedPositions, 1)
                .map(|_| table(POSITIONS, init))
                .collect(),
            output: count(Switch::Tying, 1)
                .map(|_| table(vocabulary, init))
                .collect(),
            last_norms: count(Switch::NormFirst, 2)
                .map(|_| LayerNorm::new(d_model, init))
                .collect(),
            switches,
        }
    }

    /// Sentences of tokens as rows, as [`Embedding::pack`] makes them.
    fn pack<S: AsRef<[Token]>>(&self, sentences: &[S]) -> Packed<T> {
        let sentences = sentences.iter().map(AsRef::as_ref);
        let tokens: Vec<Token> =
            sentences.clone().flatten().copied().collect();
        let lengths: Vec<usize> = sentences.map(<[_]>::len).collect();
        let rows = self.place(self.embed(&tokens), &lengths);
        Packed { rows: rows.dropout(), lengths }
    }

    /// The rows of some tokens, n × d_model.
    fn embed(&self, tokens: &[Token]) -> T {
        let Embedding { table } = &self.model.embedding;
        if self.switches.has(Switch::EmbeddingScale) {
            let rows: Vec<_> = tokens.iter().map(|&id| id as usize).collect();
            return table.gather(&rows);
        }
        self.model.embedding.embed(tokens)
    }

    /// Adds their positions to the rows of sentences of these lengths.
    fn place(&self, rows: T, lengths: &[usize]) -> T {
        if self.switches.has(Switch::Positions) {
            return rows;
        }
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let all: Vec<usize> = (0..longest).collect();
        let d_model = rows.shape().1;
        let mut encodings = match self.positions.first() {
            Some(learned) => learned
                .embed(&all.iter().map(|&i| i as Token).collect::<Vec<_>>()),
            None => rows.constant(&sinusoidal(&all, d_model)),
        };
        if self.switches.has(Switch::LongPositions) {
            encodings = encodings.scale((d_model as f64).sqrt());
        }
        let positions: Vec<usize> =
            lengths.iter().flat_map(|&n| 0..n).collect();
        rows.add(&encodings.gather(&positions))
    }
}

/// The parts of a layer.
impl<T: LayerOps> Ablated<T> {
    /// How many heads attend.
    fn heads(&self, heads: &MultiHead<T>) -> usize {
        if self.switches.has(Switch::OneHead) { 1 } else { heads.heads }
    }

    /// The queries of all heads, so long that their scores are right after
    /// the division by √d_k.
    fn queries(&self, heads: &MultiHead<T>, x: &T) -> T {
        let queries = x.matmul(&heads.w_q);
        if !self.switches.has(Switch::KeyScale) {
            return queries;
        }
        let d_k = queries.shape().1 / self.heads(heads);
        queries.scale((d_k as f64).sqrt())
    }

    /// [`MultiHead::forward`], or what is left of it.
    fn attend(&self, heads: &MultiHead<T>, x: &T, y: &T, mask: &Mask) -> T {
        let KeysValues { keys, values } = heads.keys_values(y);
        let (queries, count) = (self.queries(heads, x), self.heads(heads));
        let found = T::attend_heads(&queries, &keys, &values, count, mask);
        if self.switches.has(Switch::OutputProjection) {
            return found;
        }
        found.matmul(&heads.w_o)
    }

    /// Norm(x + Sublayer(x)), or what is left of it.
    fn sublayer(
        &self,
        norm: &LayerNorm<T>,
        x: &T,
        sublayer: impl FnOnce(&T) -> T,
    ) -> T {
        let first = self.switches.has(Switch::NormFirst);
        let y = if first { sublayer(&norm.forward(x)) } else { sublayer(x) };
        let y = y.dropout();
        let residual = !self.switches.has(Switch::Residual);
        let sum = if residual { x.add(&y) } else { y };
        let last = !first && !self.switches.has(Switch::Norm);
        if last { norm.forward(&sum) } else { sum }
    }

    /// The feed-forward network with its norm, if there is one.
    fn map(&self, ffn: &FeedForward<T>, norm: &LayerNorm<T>, x: T) -> T {
        if self.switches.has(Switch::FeedForward) {
            return x;
        }
        self.sublayer(norm, &x, |x| ffn.forward(x))
    }
}

/// From tokens to rows.
impl<T: LayerOps> Ablated<T> {
    /// [`Transformer::encode`].
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    #[must_use]
    pub fn encode<S: AsRef<[Token]>>(&self, sources: &[S]) -> Packed<T> {
        let Packed { rows, lengths } = self.pack(sources);
        let own = Mask::packed(&lengths, &lengths);
        let up = |x: T, layer: &EncoderLayer<T>| {
            let EncoderLayer { attention, attention_norm, .. } = layer;
            let x = self.sublayer(attention_norm, &x, |x| {
                self.attend(attention, x, x, &own)
            });
            self.map(&layer.feed_forward, &layer.feed_forward_norm, x)
        };
        let rows = self.model.encoder.layers.iter().fold(rows, up);
        Packed { rows: self.finish(0, rows), lengths }
    }

    /// The last norm of the encoder, 0, or the decoder, 1, if there is one.
    fn finish(&self, stack: usize, rows: T) -> T {
        let norm = self.last_norms.get(stack);
        norm.map_or_else(|| rows.clone(), |norm| norm.forward(&rows))
    }

    /// [`Transformer::decode`].
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
        let (rows, masks) = self.target(targets, memory);
        let up = |y: T, layer: &DecoderLayer<T>| {
            self.decode_layer(layer, &y, &memory.rows, &masks)
        };
        let rows = self.model.decoder.layers.iter().fold(rows, up);
        self.finish(1, rows)
    }

    /// The rows of the targets, and which targets and which sources each of
    /// them may see.
    fn target<S: AsRef<[Token]>>(
        &self,
        targets: &[S],
        memory: &Packed<T>,
    ) -> (T, [Mask; 2]) {
        let Packed { rows, lengths } = self.pack(targets);
        let own = Mask::packed(&lengths, &lengths);
        let past = if self.switches.has(Switch::Mask) {
            own
        } else {
            own.and(&Mask::causal(own.queries()))
        };
        (rows, [past, Mask::packed(&lengths, &memory.lengths)])
    }

    /// The first sublayer of the decoder.
    fn ask(&self, layer: &DecoderLayer<T>, y: &T, past: &Mask) -> T {
        self.sublayer(&layer.self_norm, y, |y| {
            self.attend(&layer.self_attention, y, y, past)
        })
    }

    /// One layer of the decoder.
    fn decode_layer(
        &self,
        layer: &DecoderLayer<T>,
        y: &T,
        memory: &T,
        [past, source]: &[Mask; 2],
    ) -> T {
        let y = self.ask(layer, y, past);
        let y = self.sublayer(&layer.cross_norm, &y, |y| {
            self.attend(&layer.cross_attention, y, memory, source)
        });
        self.map(&layer.feed_forward, &layer.feed_forward_norm, y)
    }

    /// The table whose product with a row is its logits.
    fn table(&self) -> &T {
        &self.output.first().unwrap_or(&self.model.embedding).table
    }
}

impl<T: LayerOps + TiedCrossEntropy> Ablated<T> {
    /// [`Transformer::loss`] of some examples.
    ///
    /// # Panics
    /// If there are no examples, or a token is not in the vocabulary.
    #[must_use]
    pub fn loss(&self, examples: &[Example], label_smoothing: f64) -> T {
        let sources: Vec<_> = examples.iter().map(|e| &e.source).collect();
        let shifted = examples.iter().map(|e| shift_right(&e.target));
        let (inputs, answers): (Vec<_>, Vec<_>) = shifted.unzip();
        let unshifted = self.switches.has(Switch::Shift);
        let read = if unshifted { &answers } else { &inputs };
        let z = self.decode(read, &self.encode(&sources));
        let answers = answers.concat();
        z.tied_cross_entropy(self.table(), &answers, label_smoothing)
    }
}

impl<F: Float> Ablated<Matrix<F>> {
    /// Greedy decoding of several sources at once, with at most `most` tokens
    /// each; without `bos` and `eos`.
    ///
    /// # Panics
    /// If there are no sources, or a token is not in the vocabulary.
    pub fn greedy(
        &self,
        sources: &[Vec<Token>],
        most: usize,
        (bos, eos): (Token, Token),
    ) -> Vec<Vec<Token>> {
        let memory = self.encode(sources);
        let mut targets = vec![vec![bos]; sources.len()];
        for length in 1..=most {
            let z = self.decode(&targets, &memory);
            let last = (1..=targets.len()).map(|i| i * length - 1);
            let z = z.gather(&last.collect::<Vec<_>>());
            let logits = self.table().matmul_t(&z);
            for (target, logits) in
                targets.iter_mut().zip(logits.column_iter())
            {
                target.push(logits.argmax().0 as Token);
            }
            if targets.iter().all(|target| target.contains(&eos)) {
                break;
            }
        }
        let answer = |target: Vec<Token>| {
            let answer = target.into_iter().skip(1);
            answer.take_while(|&token| token != eos).collect()
        };
        targets.into_iter().map(answer).collect()
    }

    /// Where the last layer of the decoder looks in a source, after each
    /// token of a target: n × m, the mean of its heads.
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    #[must_use]
    pub fn looks(&self, source: &[Token], target: &[Token]) -> Matrix<F> {
        let memory = self.encode(&[source]);
        let (rows, masks) = self.target(&[target], &memory);
        let layers = self.model.decoder.layers.split_last();
        let (last, below) = layers.expect("a decoder has layers");
        let up = |y: Matrix<F>, layer: &DecoderLayer<_>| {
            self.decode_layer(layer, &y, &memory.rows, &masks)
        };
        let y = self.ask(last, &below.iter().fold(rows, up), &masks[0]);
        let first = self.switches.has(Switch::NormFirst);
        let y = if first { last.cross_norm.forward(&y) } else { y };
        let heads = &last.cross_attention;
        let count = self.heads(heads);
        let queries = self.queries(heads, &y).chunk(count);
        let keys = heads.keys_values(&memory.rows).keys.chunk(count);
        let each = queries.iter().zip(&keys);
        let each = each.map(|(q, k)| weights(q, k, &masks[1]));
        let sum = each.reduce(|a, b| a + b).expect("a head");
        Tensor::scale(&sum, 1.0 / count as f64)
    }
}

/// A model that learns, one update at a time.
#[derive(Clone, Debug)]
pub struct Learner {
    /// The hyperparameters, as the switches have made them.
    pub recipe: Recipe,
    /// The model as it is now.
    pub model: Ablated<Matrix<f32>>,
    /// The moments of its gradients, and the number of updates so far.
    pub adam: Adam<Ablated<Matrix<f32>>>,
}

impl Learner {
    /// A new model with random parameters from the recipe's seed.
    ///
    /// # Panics
    /// If [no model can have these sizes](Config::check), or
    /// [none can be trained by the recipe](Recipe::check).
    pub fn new(config: &Config, recipe: Recipe, switches: Switches) -> Self {
        let recipe = switches.recipe(recipe).checked();
        let mut rng = generator(recipe.seed, Stream::Weights);
        let model = Ablated::new(config, switches, &mut rng);
        let adam = Adam::new(&model);
        Self { recipe, model, adam }
    }

    /// One update by a batch, which is computed in one part. Returns the loss
    /// before it: nats per target token.
    ///
    /// # Errors
    /// If the loss or its gradient is not finite; the model is then as before.
    ///
    /// # Panics
    /// If the batch is empty.
    pub fn update(&mut self, batch: &[Example]) -> Result<f32, Diverged> {
        let Self { recipe, model, adam } = self;
        let sum = recipe.part::<f32, Ablated<Matrix<f32>>>(
            &model.share(),
            adam.steps,
            (0, 1.0),
            |model: &Ablated<Variable<f32>>, smoothing| {
                model.loss(batch, smoothing)
            },
        );
        let Recipe { peak_lr, warmup, .. } = *recipe;
        let step = adam.steps + 1;
        let risen = model.switches.has(Switch::WarmUp);
        let step = if risen { step.max(warmup) } else { step };
        recipe.step(model, adam, sum, learning_rate(peak_lr, step, warmup))
    }
}

/// A model that learns one of the small tasks from examples without end, and
/// is tested on others.
#[derive(Debug)]
pub struct Experiment {
    /// What is to be learned.
    pub task: Task,
    /// The model, and how it learns.
    pub learner: Learner,
    /// The texts and answers that it is tested on, and never shown.
    pub held_out: Vec<(String, String)>,
    lessons: ChaCha8Rng,
}

/// How many texts are held out.
pub const HELD_OUT: usize = 500;

impl Experiment {
    /// The book's experiment, with a task of [`Task`].
    pub fn new(task: Task, seed: u64, switches: Switches) -> Self {
        let recipe = Recipe { seed, ..Self::recipe() };
        Self::with(task, &Self::config(), recipe, switches)
    }

    /// The sizes of its model.
    pub fn config() -> Config {
        Config { d_model: 32, d_ff: 64, d_k: 16, d_v: 16, ..Config::toy() }
    }

    /// How it is trained.
    pub fn recipe() -> Recipe {
        Recipe {
            batch_tokens: 400,
            parts: 1,
            updates: 800,
            peak_lr: 0.004,
            ..Recipe::toy()
        }
    }

    /// An experiment of other sizes.
    ///
    /// # Panics
    /// If [no model can have these sizes](Config::check), or
    /// [none can be trained by the recipe](Recipe::check).
    pub fn with(
        task: Task,
        config: &Config,
        recipe: Recipe,
        switches: Switches,
    ) -> Self {
        let learner = Learner::new(config, recipe, switches);
        let rng = &mut generator(0, Stream::Data);
        let held_out = (0..HELD_OUT).map(|_| task.example(rng)).collect();
        let lessons = generator(learner.recipe.seed, Stream::Data);
        Self { task, learner, held_out, lessons }
    }

    /// The examples of the next update.
    fn batch(&mut self) -> Vec<Example> {
        let tokenizer = Tokenizer::default();
        let (mut batch, mut tokens) = (Vec::new(), 0);
        while tokens < self.learner.recipe.batch_tokens {
            let lesson = self.task.example(&mut self.lessons);
            if !self.held_out.contains(&lesson) {
                let (text, answer) = lesson;
                batch.push(Example::new(&text, &answer, &tokenizer));
                tokens += batch[batch.len() - 1].target_tokens();
            }
        }
        batch
    }

    /// One update with new examples. Returns the loss before it: nats per
    /// token, with label smoothing.
    ///
    /// # Errors
    /// If the loss or its gradient is not finite; the model is then as before.
    pub fn step(&mut self) -> Result<f32, Diverged> {
        let batch = self.batch();
        self.learner.update(&batch)
    }

    /// What the model makes of some texts.
    pub fn write_all(&self, texts: &[&str]) -> Vec<String> {
        let tokenizer = Tokenizer::default();
        let sources = texts.iter().map(|text| tokenizer.encode_source(text));
        let sources: Vec<_> = sources.collect();
        let most = sources.iter().map(Vec::len).max().unwrap_or(0);
        let ends = (tokenizer.bos(), tokenizer.eos());
        let answers = self.learner.model.greedy(&sources, most, ends);
        answers.iter().map(|answer| tokenizer.decode(answer)).collect()
    }

    /// What the model makes of a text.
    pub fn write(&self, text: &str) -> String {
        self.write_all(&[text]).remove(0)
    }

    /// Where the model looks in a text, in the letters and the end, before it
    /// writes each letter of an answer, and the end: [`Ablated::looks`].
    pub fn looks(&self, text: &str, answer: &str) -> Matrix<f32> {
        let tokenizer = Tokenizer::default();
        let Example { source, target } =
            Example::new(text, answer, &tokenizer);
        self.learner.model.looks(&source, shift_right(&target).0)
    }

    /// How many of the texts held out become what they should.
    pub fn right(&self) -> usize {
        let texts: Vec<_> =
            self.held_out.iter().map(|(text, _)| &**text).collect();
        let written = self.write_all(&texts).into_iter();
        let wanted = self.held_out.iter().map(|(_, answer)| answer);
        written
            .zip(wanted)
            .filter(|(written, wanted)| written == *wanted)
            .count()
    }

    /// The mean cross-entropy of the texts held out, without label smoothing:
    /// nats per token.
    pub fn held_out_loss(&self) -> f64 {
        let tokenizer = Tokenizer::default();
        let held_out = self.held_out.iter();
        let examples: Vec<_> = held_out
            .map(|(text, answer)| Example::new(text, answer, &tokenizer))
            .collect();
        f64::from(self.learner.model.loss(&examples, 0.0)[0])
    }
}
