//! What is learned, and what the model is tested with on the way.

use all_you_need::tasks::Task;
use all_you_need::training::{Stream, generator};
use all_you_need::translation::{TextPair, corpus};
use anyhow::Result;
use clap::Args;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Texts to learn from, and others to test with.
pub struct Data {
    /// The name of the task.
    pub task: String,
    pub training: Vec<TextPair>,
    pub validation: Vec<TextPair>,
}

impl Data {
    /// Examples of a task: many to learn from, and others to test with.
    pub fn of(task: Task, seed: u64) -> Self {
        let mut rng = generator(seed, Stream::Data);
        let validation: Vec<TextPair> =
            (0..500).map(|_| task.example(&mut rng)).collect();
        let hidden: HashSet<&String> =
            validation.iter().map(|(text, _)| text).collect();
        let examples = std::iter::repeat_with(|| task.example(&mut rng));
        let examples = examples.filter(|(text, _)| !hidden.contains(text));
        let training = examples.take(100_000).collect();
        Self { task: task.name().to_owned(), training, validation }
    }
}

/// Files to learn from, and others to test with.
#[derive(Args)]
pub struct Files {
    /// A file with texts to translate from, one on each line.
    #[arg(long, requires = "target")]
    source: Option<PathBuf>,
    /// A file with their translations, one on each line.
    #[arg(long, requires_all = ["source", "valid_source", "out"])]
    target: Option<PathBuf>,
    /// A file with other texts, to measure the progress.
    #[arg(long, requires_all = ["source", "valid_target"])]
    valid_source: Option<PathBuf>,
    /// A file with the translations of those.
    #[arg(long, requires = "valid_source")]
    valid_target: Option<PathBuf>,
}

impl Files {
    /// The file to learn from, if files are given.
    pub fn source(&self) -> Option<&Path> {
        self.source.as_deref()
    }

    /// What is in the files, if they are given.
    pub fn read(&self) -> Result<Option<Data>> {
        let Self { source, target, valid_source, valid_target } = self;
        let training = source.as_ref().zip(target.as_ref());
        let validation = valid_source.as_ref().zip(valid_target.as_ref());
        let Some((training, validation)) = training.zip(validation) else {
            return Ok(None);
        };
        Ok(Some(Data {
            task: "translation".to_owned(),
            training: corpus(training.0, training.1)?,
            validation: corpus(validation.0, validation.1)?,
        }))
    }
}
