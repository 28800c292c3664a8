//! The Transformer of *Attention Is All You Need* (Vaswani et al., 2017), in
//! reading order. The book's chapter of the same name reads each module aloud.

#![forbid(unsafe_code)]
#![deny(missing_docs, missing_debug_implementations)]

pub mod recurrence;

pub mod dictionary;
pub mod tensor;

pub mod tokens;

pub mod embedding;
pub mod position;

pub mod attention;
pub mod heads;
pub mod mask;

pub mod layers;

pub mod encoder;

pub mod decoder;

pub mod transformer;

pub mod costs;

pub mod gradient;
pub mod loss;

pub mod parameters;

pub mod optimizer;
pub mod tasks;
pub mod training;

pub mod checkpoint;

pub mod search;

pub mod bleu;
pub mod translation;

pub mod speed;
