//! Draws the figures of the book: `cargo run --package figures -- attention`
//!
//! Each chapter has a module of its name, whose `draw` saves every figure of
//! the chapter. What a figure shows is computed here or by the chapter's
//! example; nothing is typed.

#![allow(clippy::duplicate_mod)] // Two examples use a third one.

use anyhow::{Result, ensure};
use clap::Parser;
use std::path::PathBuf;
use std::thread;

/// Declares the chapters that have figures: a module for each, and the list
/// of their names with what draws them.
macro_rules! chapters {
    ($($stem:ident)*) => {
        $(mod $stem;)*

        /// Each chapter's name, as Rust writes it, and what draws its figures.
        const CHAPTERS: &[(&str, fn())] =
            &[$((stringify!($stem), $stem::draw)),*];
    };
}

chapters! {
    ablation
    assistant
    attention
    bleu
    cache
    checkpoint
    classifier
    cluster
    corpus
    costs
    decoder
    dictionary
    embedding
    encoder
    further
    gaps
    generic
    gradient
    heads
    index
    labels
    layers
    learner
    learning
    live
    r#loop
    loss
    machine
    mask
    ngram
    notation
    optimizer
    parameters
    plain
    playground
    position
    published
    quantization
    recurrence
    scaling
    search
    speed
    tasks
    tensor
    today
    tokens
    training
    transformer
    translation
    writer
}

/// Draws the figures of the book as SVG.
#[derive(Parser)]
struct Arguments {
    /// The chapters whose figures to draw, such as `attention` [default: all]
    chapters: Vec<String>,
    /// The folder to write them into
    #[arg(
        long,
        value_name = "DIR",
        env = "FIGURES",
        default_value = "src/figures"
    )]
    out: PathBuf,
}

fn main() -> Result<()> {
    let Arguments { chapters, out } = Arguments::parse();
    for name in &chapters {
        let known = CHAPTERS.iter().any(|(stem, _)| is(stem, name));
        ensure!(known, "no chapter `{name}` has figures here");
    }
    plot::save_into(&out)?;
    // Not in threads of the pool: some chapters wait for others that need it,
    // and it may have a single one.
    thread::scope(|scope| {
        for (stem, draw) in CHAPTERS {
            if chapters.is_empty()
                || chapters.iter().any(|name| is(stem, name))
            {
                scope.spawn(draw);
            }
        }
    });
    Ok(())
}

/// Whether a module has a chapter's name, which may be a word of Rust's own.
fn is(stem: &str, name: &str) -> bool {
    stem.trim_start_matches("r#") == name
}
