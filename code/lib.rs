//! The Transformer of *Attention Is All You Need* (Vaswani et al., 2017):
//! attention, the whole model, its gradients, training, and translation.
//!
//! Every line is explained in the book *All You Need*, in which each chapter
//! has the name of its module. The modules are listed about in reading order.
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
//! let answer = training.model.greedy(&source, bos, eos)?;
//! println!("hello → {}", tokenizer.decode(&answer));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Build with `--release`: the functions are generic, so they are compiled
//! and optimized with your own crate, and in a debug build they are slow.
//! On most PCs they are faster with
//! `RUSTFLAGS="-C target-cpu=x86-64-v3"`.
//!
//! To translate with a model that has been trained, see
//! [`Translator`]; [`Translator::captions`] comes with the crate. Misuse,
//! such as matrices whose sizes do not fit, panics with a sentence that says
//! what was wrong; files and texts return errors.
//!
//! # Layers and models of your own
//!
//! A layer is a struct that is generic in the type of its parameters.
//! [`parameters!`] makes it a tree that can be trained, counted and saved.
//! Its formula is written with the methods of [`tensor::Tensor`] and
//! [`layers::Rowwise`], among them products and functions cell by cell, and
//! works for matrices, for variables with a gradient, and for shapes that
//! only count. With [`layers::Layer`] it can be the norm or the network of an
//! [`encoder::EncoderLayer`] or a [`decoder::DecoderLayer`]. An operation
//! that needs a derivative of its own is registered with
//! [`gradient::Variable::operation`], and [`parameters::check_gradient`]
//! says whether the derivative is right. A [`Trainer`] trains any model; its
//! loss is that of a [`TrainingExample`].
//!
//! # Dependencies
//!
//! A [`Matrix`] is a matrix of [`nalgebra`] 0.35, and random numbers come
//! from [`rand`] 0.10 with its feature `chacha`. Both are exported again, so
//! that a crate that uses this one has the same versions. This crate has no
//! features of its own, and computes on the CPU alone.

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

pub mod plain {
    //! The Transformer in a hundred lines, which need nalgebra and nothing
    //! else, and what fills them with numbers.

    pub use model::*;

    pub mod assistant;
    #[path = "../plain.rs"]
    mod model;
    pub mod names;
    pub mod published;
    pub mod read;
    pub mod today;
    pub mod writer;
}

pub mod costs;

pub mod gradient;
pub mod loss;

#[macro_use]
pub mod parameters;

pub mod optimizer;
pub mod tasks;
pub mod training;

pub mod ablation;

pub mod checkpoint;

pub mod search;

pub mod bleu;
pub mod translation;

pub mod quantization;

pub mod speed;

pub mod corpus;

pub mod cluster;

pub mod ngram;

pub mod writer;

pub mod gaps;

pub mod classifier;

pub mod rival;

pub mod published;

pub mod today;

pub mod assistant;

pub use nalgebra;
pub use rand;

pub use checkpoint::Checkpoint;
pub use encoder::Config;
pub use tasks::Task;
pub use tensor::Matrix;
pub use tokens::{Token, Tokenizer};
pub use training::{Example, Recipe, Training};
pub use transformer::Transformer;
pub use translation::Translator;
pub use writer::{Trainer, TrainingExample};
