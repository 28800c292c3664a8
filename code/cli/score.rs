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
    #[arg(
        long,
        group = "translations",
        conflicts_with_all = ["model", "beam", "alpha"]
    )]
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
        let file = self.source.as_ref().or(self.hypotheses.as_ref());
        let file = file.context("neither source nor hypotheses")?;
        let texts = read(file)?;
        let (name, n, m) = (file.display(), texts.len(), references.len());
        ensure!(n == m, "{name} has {n} lines, and {reference} has {m}");
        let hypotheses = self.hypotheses(file, texts)?;
        let counts = counts(&hypotheses, &references, self.tokenizer);
        if self.sentences {
            say_all(counts.iter().map(row))?;
        }
        say(counts.into_iter().sum::<Counts>().bleu())?;
        say(signature(self.tokenizer))
    }

    /// The translations: what this file has, or what the model makes of it.
    fn hypotheses(
        &self,
        file: &Path,
        texts: Vec<String>,
    ) -> Result<Vec<String>> {
        if self.hypotheses.is_some() {
            return Ok(texts);
        }
        let translator = self.search.model.open()?;
        let beam = self.search.beam(&translator, 1);
        let texts: Vec<_> =
            texts.iter().map(|text| self.search.source(text)).collect();
        let found = translator.translate(&texts, &beam);
        found.with_context(|| file.display().to_string())
    }
}

/// The counts of a sentence, with tabs between them.
fn row(counts: &Counts) -> String {
    let Counts { matches, totals, reference_length } = counts;
    let numbers = matches.iter().chain(totals).chain([reference_length]);
    let numbers: Vec<_> = numbers.map(usize::to_string).collect();
    numbers.join("\t")
}
