//! From a writer to an assistant: a decoder that has learned a text learns to
//! answer, from answers that are given and from a check of its own.
//!
//! ```
//! use all_you_need::assistant::{Question, World, config};
//! use all_you_need::tensor::Matrix;
//! use all_you_need::training::{Recipe, Stream, generator};
//! use all_you_need::writer::{Half, Trainer};
//!
//! let (world, rng) = (World::default(), &mut generator(1, Stream::Data));
//! let sizes = config(&world);
//! let mut trainer: Trainer<Half<Matrix<f32>>> =
//!     Trainer::new(Recipe::toy(), |init| Half::new(&sizes, init));
//!
//! let question = Question::Sum(3, 5);
//! assert_eq!(question.asked(), "what is 3 + 5 ?");
//! trainer.update(&[world.right(question)])?;
//!
//! let drawn = world.group(&trainer.model, question, Question::check, rng);
//! assert!(drawn.iter().map(|one| one.worth).sum::<f64>().abs() < 1e-9);
//! trainer.update(&drawn)?;
//! # Ok::<(), all_you_need::training::Diverged>(())
//! ```

mod lora;
mod world;

pub use lora::{Lora, LowRank};
pub use world::{Question, Sets, World};

use crate::encoder::Config;
use crate::layers::LayerOps;
use crate::loss::TiedCrossEntropy;
use crate::plain::assistant::worths;
use crate::search::{Sampling, sample};
use crate::tensor::Matrix;
use crate::tokens::Token;
use crate::training::Recipe;
use crate::writer::{Half, Past, TrainingExample};
use rand::Rng;
use std::iter;

/// A question with an answer, and what the answer is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Both as tokens. Before the question is the end of a paragraph, and
    /// another one after the answer, if it was not cut off.
    pub text: Vec<Token>,
    /// Where the answer begins.
    pub asked: usize,
    /// What the logarithm of its probability is multiplied by: 1 for an
    /// answer to be learned, below 0 for one to be avoided.
    pub worth: f64,
}

impl Answer {
    /// The tokens to predict, and the end.
    fn tokens(&self) -> &[Token] {
        &self.text[self.asked..]
    }

    /// Minus the logarithms of the answers' probabilities, each times its
    /// worth, over the number of their tokens: 1 × 1.
    fn nats<T: LayerOps + TiedCrossEntropy>(
        model: &Half<T>,
        answers: &[Self],
        label_smoothing: f64,
    ) -> T {
        let read = answers.iter().map(|one| &one.text[..one.text.len() - 1]);
        let rows = model.causal(&read.collect::<Vec<_>>());
        let all: usize = answers.iter().map(|one| one.tokens().len()).sum();
        let mut end = 0;
        let each = answers.iter().map(|one| {
            end += one.text.len() - 1;
            let (n, table) = (one.tokens().len(), &model.embedding.table);
            let own = rows.gather(&(end - n..end).collect::<Vec<_>>());
            own.tied_cross_entropy(table, one.tokens(), label_smoothing)
                .scale(one.worth * n as f64 / all as f64)
        });
        each.reduce(|sum, nats| sum.add(&nats)).expect("an answer")
    }
}

impl<T: LayerOps + TiedCrossEntropy> TrainingExample<Half<T>, T> for Answer {
    fn answers(&self) -> usize {
        self.tokens().len()
    }

    fn loss(model: &Half<T>, answers: &[Self], label_smoothing: f64) -> T {
        Self::nats(model, answers, label_smoothing)
    }
}

/// An answer that has no end is cut off when it has so many tokens.
pub const LIMIT: usize = 12;

/// How many answers are drawn to one question.
pub const GROUP: usize = 8;

impl World {
    /// How a model goes on with a text, token by token, until the end of the
    /// paragraph or the limit. The sampling's `bos` is not used.
    ///
    /// # Panics
    /// If a word is not in the vocabulary, if the logits are not finite, and
    /// as [`Sampling::probabilities`].
    pub fn continued(
        &self,
        model: &Half<Matrix<f32>>,
        text: &str,
        limit: usize,
        sampling: &Sampling,
        rng: &mut impl Rng,
    ) -> Vec<Token> {
        let mut past = Past::new(model);
        let mut sampling = Sampling { bos: Self::END, ..sampling.clone() };
        for token in self.tokens(text) {
            let _ = past.feed(sampling.bos);
            sampling.bos = token;
        }
        sample(&mut past, limit, &sampling, rng).expect("finite logits")
    }

    /// The right answer to a question, to learn from.
    pub fn right(&self, question: Question) -> Answer {
        self.answer(question, &self.tokens(&question.answer()), 1.0)
    }

    fn answer(
        &self,
        question: Question,
        said: &[Token],
        worth: f64,
    ) -> Answer {
        let mut text = vec![Self::END];
        text.extend(self.tokens(&question.asked()));
        let asked = text.len();
        text.extend(said);
        text.extend((said.len() < LIMIT).then_some(Self::END));
        Answer { text, asked, worth }
    }
}

impl World {
    /// A group of answers that the model draws, each worth as much as its
    /// reward is above their mean.
    ///
    /// # Panics
    /// As [`continued`](Self::continued).
    pub fn group(
        &self,
        model: &Half<Matrix<f32>>,
        question: Question,
        mut reward: impl FnMut(Question, &str) -> f64,
        rng: &mut impl Rng,
    ) -> Vec<Answer> {
        let (asked, plain) = (question.asked(), Self::sampling());
        let mut draw = || self.continued(model, &asked, LIMIT, &plain, rng);
        let drawn: Vec<_> =
            iter::repeat_with(&mut draw).take(GROUP).collect();
        let check = |said: &Vec<_>| reward(question, &self.text(said));
        let worths = worths(&drawn.iter().map(check).collect::<Vec<_>>());
        let pairs = drawn.iter().zip(worths);
        pairs
            .map(|(said, worth)| self.answer(question, said, worth))
            .collect()
    }
}

/// The sizes of the model.
pub fn config(world: &World) -> Config {
    let vocabulary = world.vocabulary();
    Config { vocabulary, heads: 4, d_k: 16, d_v: 16, ..Config::toy() }
}

/// How it learns the text, in updates of 1,024 tokens.
pub fn reading(seed: u64) -> Recipe {
    Recipe {
        batch_tokens: 1024,
        parts: 1,
        updates: 4000,
        warmup: 100,
        peak_lr: 0.006,
        label_smoothing: 0.0,
        seed,
        ..Recipe::toy()
    }
}

/// How it learns from answers that are given, some thirty an update.
pub fn tuning(seed: u64) -> Recipe {
    Recipe {
        batch_tokens: 96,
        updates: 100,
        warmup: 20,
        peak_lr: 0.0003,
        ..reading(seed)
    }
}

/// The same, for the narrow matrices beside its own.
pub fn adapting(seed: u64) -> Recipe {
    Recipe { peak_lr: 0.003, ..tuning(seed) }
}

/// How narrow they are.
pub const RANK: usize = 4;

/// How it learns from answers of its own, to [`QUESTIONS`] an update.
pub fn trying(seed: u64) -> Recipe {
    Recipe { updates: 200, warmup: 10, peak_lr: 0.0001, ..reading(seed) }
}

/// How many questions an update has when the model tries answers.
pub const QUESTIONS: usize = 16;

/// So few questions are tried for comparison.
pub const FEW: usize = 20;
