//! How the progress of a training is measured, and when it is enough.

use crate::flags;
use all_you_need::bleu::{Tokenize, bleu};
use all_you_need::checkpoint::Snapshot;
use all_you_need::training::{Example, Training, validation_loss};
use all_you_need::translation::{TextPair, Translator};
use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use toml::Table;

/// How the progress is measured, and when it is enough.
#[derive(Args, Clone)]
pub struct Progress {
    /// How many of the validation texts are translated for each line of the
    /// log, by greedy search: their BLEU is noted, and three are shown; by
    /// default 200 of files, and none of a task.
    #[arg(long, value_parser = flags::count_or_none)]
    bleu_texts: Option<usize>,
    /// Which checkpoint is the best and kept besides the last ones, in the
    /// directory `best` of the run.
    #[arg(long, default_value = "loss")]
    best_by: Measure,
    /// End when so many times --every updates have brought nothing better; by
    /// default all updates are made.
    #[arg(long, value_parser = flags::count)]
    pub patience: Option<usize>,
}

/// By what one checkpoint is better than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Measure {
    /// The validation loss is lower.
    Loss,
    /// The BLEU of the validation texts is higher.
    Bleu,
}

/// How good a model was, at one moment.
#[derive(Clone, Copy)]
pub struct Quality {
    /// On the validation texts, in nats per target token.
    pub loss: f64,
    /// If texts were translated.
    pub bleu: Option<f64>,
}

impl Quality {
    /// Whether it is better than another, by this measure. The digits that a
    /// log has are compared, so that a run that is resumed finds the same.
    fn is_better(&self, other: &Self, by: Measure) -> bool {
        let digits = |number: f64| (number * 1e4).round();
        match by {
            Measure::Loss => digits(self.loss) < digits(other.loss),
            Measure::Bleu => self.bleu.map(digits) > other.bleu.map(digits),
        }
    }
}

/// The best of the models that were measured: after how many updates, and
/// how good it is.
#[derive(Clone, Copy, Default)]
pub struct Best(Option<(usize, Quality)>);

impl Best {
    /// Takes in one more.
    pub fn see(&mut self, update: usize, quality: Quality, by: Measure) {
        let Self(best) = self;
        if best.is_none_or(|(_, best)| quality.is_better(&best, by)) {
            *best = Some((update, quality));
        }
    }

    /// Whether it is the model after so many updates.
    pub fn is(&self, update: usize) -> bool {
        self.0.is_some_and(|(best, _)| best == update)
    }

    /// How many updates ago it was found; none if there is none.
    pub fn age(&self, update: usize) -> usize {
        self.0.map_or(0, |(best, _)| update.saturating_sub(best))
    }
}

/// What a model is measured with.
pub struct Validation {
    examples: Vec<Example>,
    /// Those that are translated as well.
    pairs: Vec<TextPair>,
    pub by: Measure,
}

impl Progress {
    /// What these flags mean for the validation texts of files or of a task.
    pub fn validation(
        &self,
        examples: Vec<Example>,
        pairs: &[TextPair],
        files: bool,
    ) -> Result<Validation> {
        let by = self.best_by;
        let pairs = &pairs[..pairs.len().min(self.texts(files))];
        ensure!(
            by == Measure::Loss || !pairs.is_empty(),
            "without --bleu-texts there is no BLEU to choose by"
        );
        Ok(Validation { examples, pairs: pairs.to_vec(), by })
    }

    fn texts(&self, files: bool) -> usize {
        self.bleu_texts.unwrap_or(if files { 200 } else { 0 })
    }

    /// All of these flags, for the file of settings.
    pub fn settings(&self, files: bool) -> Result<Table> {
        let mut table = Table::new();
        let mut add = |name: &str, count| -> Result<()> {
            table.insert(name.to_owned(), i64::try_from(count)?.into());
            Ok(())
        };
        add("bleu_texts", self.texts(files))?;
        if let Some(patience) = self.patience {
            add("patience", patience)?;
        }
        let by = self.best_by.to_possible_value().context("a measure")?;
        table.insert("best_by".to_owned(), by.get_name().into());
        Ok(table)
    }
}

impl Validation {
    /// Measures a model; also returns a few lines with its translations.
    pub fn measure(&self, now: Snapshot) -> Result<(Quality, Vec<String>)> {
        let Training { model, .. } = now.training;
        let loss = validation_loss(model, &self.examples);
        ensure!(
            loss.is_finite(),
            "the validation loss is not a finite number"
        );
        if self.pairs.is_empty() {
            return Ok((Quality { loss, bleu: None }, Vec::new()));
        }
        let (config, model) = (now.config.clone(), model.clone());
        let tokenizer = now.tokenizer.clone();
        let translator = Translator { config, model, tokenizer };
        let (texts, right): (Vec<_>, Vec<_>) =
            self.pairs.iter().cloned().unzip();
        let said =
            translator.translate(&texts, &translator.beam(1, 0.0, 1))?;
        let bleu = bleu(&said, &right, Tokenize::V13a).score;
        let samples = texts.iter().zip(&said).take(3);
        let samples =
            samples.map(|(text, said)| format!("  {text} → {said}"));
        Ok((Quality { loss, bleu: Some(bleu) }, samples.collect()))
    }
}
