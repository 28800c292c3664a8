//! `transformer score`

use crate::flags::Search;
use crate::output::{say, say_all};
use all_you_need::bleu::{Counts, Tokenize, counts, signature};
use all_you_need::translation::read;
use anyhow::{Context, Result, ensure};
use clap::{ArgGroup, Args};
use std::path::{Path, PathBuf};

/// Compute the BLEU of a model's translations, or of a file with
/// translations.
#[derive(Args)]
#[command(group(ArgGroup::new("translations").required(true)))]
pub struct Score {
    #[command(flatten)]
    search: Search,
    /// A file with texts to translate, one on each line.
    #[arg(long, group = "translations")]
    source: Option<PathBuf>,
    /// A file with translations, one on each line, instead of texts and a
    /// model.
    #[arg(long, group = "translations", conflicts_with = "model")]
    hypotheses: Option<PathBuf>,
    /// A file with the right translations, one on each line.
    #[arg(long)]
    reference: PathBuf,
    /// How to cut texts into words before they are compared: 13a, or none if
    /// they are cut already.
    #[arg(long, default_value = "13a")]
    tokenizer: Tokenize,
    /// Print a line for each sentence first: how many of its n-grams match,
    /// how many there are, for n from 1 to 4, and how many words the
    /// reference has.
    #[arg(long)]
    sentences: bool,
}

impl Score {
    pub fn run(&self) -> Result<()> {
        let references = read(&self.reference)?;
        let reference = self.reference.display();
        ensure!(!references.is_empty(), "{reference} is empty");
        let (file, hypotheses) = self.hypotheses()?;
        let (n, m) = (hypotheses.len(), references.len());
        let file = file.display();
        ensure!(n == m, "{file} has {n} lines, and {reference} has {m}");
        let counts = counts(&hypotheses, &references, self.tokenizer);
        if self.sentences {
            say_all(counts.iter().map(row))?;
        }
        say(counts.into_iter().sum::<Counts>().bleu())?;
        say(signature(self.tokenizer))
    }

    /// The translations, and the file that decides how many there are.
    fn hypotheses(&self) -> Result<(&Path, Vec<String>)> {
        if let Some(file) = &self.hypotheses {
            return Ok((file, read(file)?));
        }
        let source = self.source.as_ref();
        let source = source.context("neither source nor hypotheses")?;
        let (texts, translator) = (read(source)?, self.search.model.open()?);
        let beam = self.search.beam(&translator, 1);
        let found = translator.translate(&texts, &beam);
        Ok((source, found.with_context(|| source.display().to_string())?))
    }
}

/// The counts of a sentence, with tabs between them.
fn row(counts: &Counts) -> String {
    let Counts { matches, totals, reference_length } = counts;
    let numbers = matches.iter().chain(totals).chain([reference_length]);
    let numbers: Vec<_> = numbers.map(usize::to_string).collect();
    numbers.join("\t")
}
