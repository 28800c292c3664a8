//! `transformer learn`

use crate::flags;
use crate::output::say;
use all_you_need::checkpoint::Digest;
use all_you_need::loss::perplexity;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Bpe, Token, Tokenizer};
use all_you_need::training::{Recipe, Update};
use all_you_need::translation::read;
use all_you_need::writer::{Half, Trainer, WINDOW, Writer, config};
use all_you_need::writer::{mean_loss, recipe, running, windows};
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Learn to write from a text, and keep the writer in a directory.
///
/// Says up to twenty times how well it predicts a text that it does not learn from,
/// as a table with tabs.
#[derive(Args)]
pub struct Learn {
    /// A file to learn from, a paragraph on each line.
    #[arg(long)]
    text: PathBuf,
    /// A file with other paragraphs, to measure the progress.
    #[arg(long)]
    held_out: PathBuf,
    /// The directory to make.
    #[arg(long)]
    out: PathBuf,
    /// The number of byte pairs to merge.
    #[arg(long, default_value = "500", value_parser = flags::count_or_none)]
    merges: usize,
    /// The number of updates of the weights.
    #[arg(long, value_parser = flags::count)]
    updates: Option<usize>,
    /// Where all random numbers come from.
    #[arg(long, default_value = "1", value_parser = flags::seed)]
    seed: u64,
}

/// The paragraphs of a file.
fn paragraphs(file: &Path) -> Result<Vec<String>> {
    let mut lines = read(file)?;
    lines.retain(|line| !line.is_empty());
    ensure!(!lines.is_empty(), "{} is empty", file.display());
    Ok(lines)
}

impl Learn {
    pub fn run(&self) -> Result<()> {
        check_new(&self.out)?;
        let (lines, others) =
            (paragraphs(&self.text)?, paragraphs(&self.held_out)?);
        let all = lines.join(" ");
        let tokenizer = Tokenizer::new(Bpe::train(&all, self.merges));
        let (text, other) =
            (running(&lines, &tokenizer), running(&others, &tokenizer));
        ensure!(
            text.len().min(other.len()) > WINDOW,
            "a text has no more than {WINDOW} tokens, and needs one more"
        );
        let config = config(tokenizer.vocabulary());
        let recipe = recipe(self.seed);
        let updates = self.updates.unwrap_or(recipe.updates);
        let recipe = Recipe { updates, ..recipe };
        let learning = Trainer::new(recipe, |rng| Half::new(&config, rng));
        let (model, recipe, said) = learn(learning, &text, &other)?;
        let text = Digest::of(all.as_bytes());
        Writer { config, model, tokenizer, recipe, text }.save(&self.out)?;
        said.context("the writer is saved, but not all could be said")
    }
}

/// Whether the directory can be made, before there is anything to lose.
fn check_new(out: &Path) -> Result<()> {
    ensure!(!out.exists(), "{} is there already", out.display());
    Ok(())
}

/// A model, how it has learned, and whether all of that could be said.
type Learned = (Half<Matrix<f32>>, Recipe, Result<()>);

/// Makes all updates, and says how it goes. If the output is closed, it goes
/// on in silence.
fn learn(
    mut learning: Trainer<Half<Matrix<f32>>>,
    text: &[Token],
    other: &[Token],
) -> Result<Learned> {
    let examples = windows(text, WINDOW, WINDOW / 8);
    let others = windows(other, WINDOW, WINDOW);
    let updates = learning.recipe.updates;
    let (start, every) = (Instant::now(), updates.div_ceil(20));
    say("update\tseconds\ttraining\theld out\tperplexity")?;
    let (mut losses, mut said) = (Vec::new(), Ok(()));
    let _ =
        learning.run(&examples, |learning, Update { step, loss, .. }| {
            losses.push(loss);
            let due = step.is_multiple_of(every) || step == updates;
            if due && said.is_ok() {
                let nats = mean_loss(&learning.model, &others);
                let (seconds, p) =
                    (start.elapsed().as_secs(), perplexity(nats));
                let loss = losses.iter().sum::<f32>() / losses.len() as f32;
                said = say(format!(
                    "{step}\t{seconds}\t{loss:.4}\t{nats:.4}\t{p:.2}"
                ));
                losses.clear();
            }
            ControlFlow::<()>::Continue(())
        })?;
    Ok((learning.model, learning.recipe, said))
}
