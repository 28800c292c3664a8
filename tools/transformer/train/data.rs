//! What is learned, and what the model is tested with on the way.

use all_you_need::checkpoint::Digest;
use all_you_need::corpus::{Corpus, survey};
use all_you_need::learner::WordCounts;
use all_you_need::tasks::Task;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{Examples, Stream, generator};
use all_you_need::translation::{TextPair, corpus, examples, pairs};
use anyhow::{Context, Result, ensure};
use clap::Args;
use indicatif::{
    ProgressBar, ProgressFinish, ProgressIterator, ProgressStyle,
};
use std::collections::HashSet;
use std::path::{Path, PathBuf, absolute};
use toml::Table;

/// Texts to learn from, and others to test with.
pub struct Data {
    /// The name of the task.
    pub task: String,
    pub training: Texts,
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
        let training = Texts::Task(examples.take(100_000).collect());
        Self { task: task.name().to_owned(), training, validation }
    }
}

/// Texts to learn from.
pub enum Texts {
    /// Those of a task, which are in memory.
    Task(Vec<TextPair>),
    /// Those of two files, which are read twice.
    Files(PathBuf, PathBuf),
}

impl Texts {
    /// What has to be known of them before they are encoded.
    pub fn survey(&self) -> Result<(Digest, WordCounts)> {
        Ok(match self {
            Self::Task(pairs) => survey(pairs.iter().cloned().map(Ok))?,
            Self::Files(source, target) => {
                survey(counted(pairs(source, target)?, "counting words"))?
            }
        })
    }

    /// As examples: those of files in a temporary file, which is gone when
    /// the process ends.
    pub fn examples(
        &self,
        digest: &Digest,
        tokenizer: &Tokenizer,
    ) -> Result<Box<dyn Examples>> {
        Ok(match self {
            Self::Task(pairs) => Box::new(examples(pairs, tokenizer)?),
            Self::Files(source, target) => {
                let file = tempfile::tempfile();
                let file = file.context("no temporary file can be made")?;
                let texts = counted(pairs(source, target)?, "encoding");
                Box::new(Corpus::pack(texts, digest, tokenizer, file)?)
            }
        })
    }
}

/// Shows in a terminal how many texts have come, since reading millions takes
/// minutes.
fn counted<T>(
    texts: impl Iterator<Item = T>,
    what: &'static str,
) -> impl Iterator<Item = T> {
    let style = ProgressStyle::with_template("{msg}: {human_pos} pairs");
    let bar = ProgressBar::new_spinner().with_message(what);
    let bar = bar.with_style(style.expect("a template"));
    texts.progress_with(bar.with_finish(ProgressFinish::AndClear))
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

    /// The flags with these files, by names that do not depend on where the
    /// program was started.
    pub fn settings(&self) -> Result<Table> {
        let mut table = Table::new();
        for (name, file) in [
            ("source", &self.source),
            ("target", &self.target),
            ("valid_source", &self.valid_source),
            ("valid_target", &self.valid_target),
        ] {
            let file = file.as_deref().context("files come together")?;
            let path = absolute(file)?.into_os_string().into_string();
            let path = path.ok().context("a name of a file is not UTF-8")?;
            table.insert(name.to_owned(), path.into());
        }
        Ok(table)
    }

    /// What is in the files, if they are given.
    pub fn read(&self) -> Result<Option<Data>> {
        let Self { source, target, valid_source, valid_target } = self;
        let training = source.as_ref().zip(target.as_ref());
        let validation = valid_source.as_ref().zip(valid_target.as_ref());
        let Some((training, validation)) = training.zip(validation) else {
            return Ok(None);
        };
        check_readable_twice(training.0)?;
        check_readable_twice(training.1)?;
        Ok(Some(Data {
            task: "translation".to_owned(),
            training: Texts::Files(training.0.clone(), training.1.clone()),
            validation: corpus(validation.0, validation.1)?,
        }))
    }
}

/// An error, if a file is a pipe or something else that is read only once. If
/// there is no such file, that is said when it is opened.
fn check_readable_twice(file: &Path) -> Result<()> {
    let (is_file, file) = (!file.exists() || file.is_file(), file.display());
    ensure!(is_file, "{file} is not a file, which can be read twice");
    Ok(())
}
