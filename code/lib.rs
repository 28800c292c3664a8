//! The Transformer of *Attention Is All You Need* (Vaswani et al., 2017):
//! attention, the whole model, its gradients, training, and translation.
//!
//! Every line is explained in the book *All You Need*, in which each chapter
//! has the name of its module. The modules are listed in reading order.
//!
//! A model that learns to copy words:
//!
//! ```
//! use all_you_need::{Config, Example, Recipe, Task, Tokenizer, Training};
//! use all_you_need::training::{Stream, generator};
//! use std::ops::ControlFlow;
//!
//! let tokenizer = Tokenizer::default(); // every byte is a token
//! let mut rng = generator(1, Stream::Data);
//! let words = (0..1000).map(|_| Task::Copy.example(&mut rng));
//! let examples: Vec<Example> = words
//!     .map(|(text, answer)| Example::new(&text, &answer, &tokenizer))
//!     .collect();
//! // To learn to copy, it needs `Recipe::toy()` as it is: 2000 updates of
//! // 1000 tokens. Here are five small ones.
//! let recipe = Recipe { batch_tokens: 50, updates: 5, ..Recipe::toy() };
//! let mut training: Training = Training::new(&Config::toy(), recipe);
//! let _ = training.run(&examples, |_, update| {
//!     println!("update {}: loss {:.3}", update.step, update.loss);
//!     ControlFlow::<()>::Continue(())
//! })?;
//! let source = tokenizer.encode_source("hello");
//! let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
//! let answer = training.model.greedy(&source, bos, eos);
//! println!("hello → {}", tokenizer.decode(&answer));
//! # Ok::<(), all_you_need::training::Diverged>(())
//! ```
//!
//! Build with `--release`: the functions are generic, so they are compiled
//! and optimized with your own crate, and in a debug build they are slow.
//!
//! To translate with a model that has been trained, see
//! [`Translator`]; [`Translator::captions`] comes with the crate. To write
//! your own layers, see [`tensor::Tensor`] and [`layers::LayerOps`]. Misuse,
//! such as matrices whose sizes do not fit, panics with a sentence that says
//! what was wrong; files and texts return errors.

#![forbid(unsafe_code)]
#![deny(missing_docs, missing_debug_implementations)]

pub mod recurrence;

pub mod dictionary;
pub mod tensor;

pub mod tokens;

pub mod learner;

pub mod embedding;

pub mod attention;
pub mod heads;

pub mod position;

pub mod mask;

pub mod layers;

pub mod encoder;

pub mod decoder;

pub mod transformer;

pub mod plain;

pub mod costs;

pub mod gradient;
pub mod loss;

#[macro_use]
pub mod parameters;

pub mod optimizer;
pub mod tasks;
pub mod training;

pub mod checkpoint;

pub mod search;

pub mod bleu;
pub mod translation;

pub mod quantization;

pub mod speed;

pub mod corpus;

pub mod cluster;

pub mod writer;

pub mod gaps;

pub mod classifier;

pub use checkpoint::Checkpoint;
pub use encoder::Config;
pub use tasks::Task;
pub use tensor::Matrix;
pub use tokens::{Token, Tokenizer};
pub use training::{Example, Recipe, Training};
pub use transformer::Transformer;
pub use translation::Translator;
