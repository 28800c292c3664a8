//! The exercises of the book, to be solved here.
//!
//! Each chapter has a file. Where it says `todo!()` there is something to
//! write, and where a comment says so there is a mistake to find.
//!
//! ```console
//! $ cargo test -p exercises attention
//! ```
//!
//! checks the chapter on attention, and says what is still missing. Plain
//! `cargo test` leaves this package out. It checks the answers in
//! `tests/exercises` instead, and that what is here has not been solved.

#![allow(unused)] // What is still to do uses nothing.

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;
#[cfg(test)]
mod expect;

/// Makes a test of each check.
macro_rules! checks {
    ($($exercise:ident: $check:ident),*) => {
        $(#[test] fn $exercise() { $check(); })*
    };
}

mod ablation;
mod assistant;
mod attention;
mod bleu;
mod cache;
mod checkpoint;
mod classifier;
mod cluster;
mod corpus;
mod costs;
mod decoder;
mod dictionary;
mod embedding;
mod encoder;
mod gaps;
mod generic;
mod gradient;
mod heads;
mod labels;
mod layers;
mod learner;
mod r#loop;
mod loss;
mod mask;
mod ngram;
mod optimizer;
mod parameters;
mod plain;
mod position;
mod program;
mod published;
mod quantization;
mod recurrence;
mod scaling;
mod search;
mod speed;
mod tasks;
mod tensor;
mod today;
mod tokens;
mod training;
mod transformer;
mod translation;
mod writer;
