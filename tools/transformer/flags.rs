//! What the flags of several commands have in common.

use crate::kind::{TRANSLATOR, check};
use crate::output::{named, note};
use crate::train::best_of;
use all_you_need::checkpoint::newest;
use all_you_need::search::Beam;
use all_you_need::training::MAX_PARTS;
use all_you_need::translation::{Translator, normalize};
use anyhow::{Context, Result, anyhow};
use clap::error::ErrorKind::ValueValidation;
use clap::{Args, CommandFactory};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A number, if it is in this range.
fn within<T: FromStr + PartialOrd + Display>(
    text: &str,
    range: RangeInclusive<T>,
) -> Result<T> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (from, to) = (range.start(), range.end());
    number.with_context(|| format!("not a number from {from} to {to}"))
}

pub fn count(text: &str) -> Result<usize> {
    within(text, 1..=1_000_000)
}

pub fn count_or_none(text: &str) -> Result<usize> {
    within(text, 0..=1_000_000)
}

pub fn layers(text: &str) -> Result<usize> {
    within(text, 1..=1000)
}

pub fn threads(text: &str) -> Result<usize> {
    within(text, 1..=1024)
}

pub fn parts(text: &str) -> Result<usize> {
    within(text, 1..=MAX_PARTS)
}

/// With more hypotheses a long sentence would take many gigabytes.
pub fn hypotheses(text: &str) -> Result<usize> {
    within(text, 1..=200)
}

pub fn length(text: &str) -> Result<usize> {
    within(text, 1..=10_000)
}

pub fn seed(text: &str) -> Result<u64> {
    within(text, 0..=u64::from(u32::MAX))
}

pub fn part(text: &str) -> Result<f64> {
    within(text, 0.0..=0.99)
}

pub fn learning_rate(text: &str) -> Result<f64> {
    within(text, 1e-9..=1.0)
}

/// From 1 on; `inf` is a number, too.
pub fn patience(text: &str) -> Result<f64> {
    within(text, 1.0..=f64::INFINITY)
}

pub fn exponent(text: &str) -> Result<f64> {
    within(text, 0.0..=10.0)
}

pub fn temperature(text: &str) -> Result<f64> {
    let most_probable = "; --top-k 1 always takes the most probable token";
    within(text, 0.01..=100.0).map_err(|e| anyhow!("{e}{most_probable}"))
}

pub fn probability(text: &str) -> Result<f64> {
    within(text, 0.001..=1.0)
}

/// Ends the program, since each flag makes sense, but not all together.
pub fn misuse(sentence: impl Display) -> ! {
    crate::Arguments::command().error(ValueValidation, sentence).exit()
}

/// Which model to use.
#[derive(Args)]
pub struct Model {
    /// A checkpoint, the directory of a run, which means its newest
    /// checkpoint, or a quantized model. Without it the model of the book is
    /// used, which translates captions from English into German.
    #[arg(long)]
    model: Option<PathBuf>,
    /// Take the best checkpoint of the run, and not the newest.
    #[arg(long, requires = "model")]
    best: bool,
}

impl Model {
    /// Whether it is not the model of the book.
    pub fn is_given(&self) -> bool {
        self.model.is_some()
    }

    pub fn open(&self) -> Result<Translator> {
        let Some(path) = &self.model else {
            return Ok(Translator::captions());
        };
        check(path, TRANSLATOR)?;
        let best = best_of(path);
        let best = if best.is_dir() { newest(&best)? } else { None };
        if !self.best {
            note_choice(path, best.as_deref())?;
            return Ok(Translator::open(path)?);
        }
        let name = path.display();
        let best = best.with_context(|| {
            format!("{name} is not a run with a best checkpoint")
        })?;
        Ok(Translator::open(&best)?)
    }

    /// The exponent of the length penalty that suits it: the one that was
    /// chosen together with the model of the book, or else the paper's.
    fn alpha(&self) -> f64 {
        match self.model {
            Some(_) => 0.6,
            None => Translator::CAPTIONS_ALPHA,
        }
    }

    /// What an error calls it.
    pub fn name(&self) -> String {
        let path = self.model.as_ref().map(|path| path.display().to_string());
        path.unwrap_or_else(|| "the model of the book".to_owned())
    }
}

/// Says which of a run's checkpoints is taken, if it is not the best.
fn note_choice(run: &Path, best: Option<&Path>) -> Result<()> {
    let Some(best) = best else { return Ok(()) };
    let newest = newest(run)?;
    let newest = newest.filter(|it| it.file_name() != best.file_name());
    if let Some(newest) = newest {
        let (newest, best) = (named(&newest), named(best));
        note(format!("{newest} is the newest; --best takes {best}"));
    }
    Ok(())
}

/// With which model to translate, and how to search.
#[derive(Args)]
pub struct Search {
    #[command(flatten)]
    pub model: Model,
    /// The number of hypotheses that are continued at a time; 1 is greedy.
    #[arg(long, default_value = "5", value_parser = hypotheses)]
    pub beam: usize,
    /// The exponent of the length penalty: the higher, the longer are the
    /// translations. By default it is 1.8 for the model of the book, for which
    /// this number was chosen, and the paper's 0.6 for every other.
    #[arg(long, value_parser = exponent)]
    alpha: Option<f64>,
    /// When to stop: as soon as this times `beam` translations of a text are
    /// complete; with `inf`, when no other can win any more.
    #[arg(long, default_value_t = Translator::PATIENCE, value_parser = patience)]
    patience: f64,
    /// Give the texts to the model as they are. Otherwise the model of the book
    /// gets them as it was trained: in small letters and with a space before
    /// each punctuation mark. Other models always get them as they are.
    #[arg(long, conflicts_with = "model")]
    as_is: bool,
}

impl Search {
    /// Whether texts are changed for the model of the book.
    pub fn normalizes(&self) -> bool {
        !self.model.is_given() && !self.as_is
    }

    /// A text as the model is to read it.
    pub fn source(&self, text: &str) -> String {
        match self.normalizes() {
            true => normalize(text),
            false => text.to_owned(),
        }
    }

    /// The search for this many translations of each text.
    pub fn beam(&self, translator: &Translator, n_best: usize) -> Beam {
        let alpha = self.alpha.unwrap_or_else(|| self.model.alpha());
        let patience = self.patience;
        Beam { patience, ..translator.beam(self.beam, alpha, n_best) }
    }
}
