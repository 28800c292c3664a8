//! `transformer score`

use crate::flags::{Search, misuse};
use crate::output::{say, say_all};
use all_you_need::bleu::{Counts, Tokenize, counts_of_several, signature};
use all_you_need::loss::perplexity;
use all_you_need::training::{Example, validation_loss};
use all_you_need::transformer::NotFinite;
use all_you_need::translation::{TextPair, Translator, examples, read};
use anyhow::{Context, Result, ensure};
use clap::{ArgGroup, Args};
use rayon::prelude::*;
use std::path::PathBuf;
use std::slice;

/// Compute the BLEU of translations, and how probable a model finds them.
///
/// With --source, a model translates. With --hypotheses, translations are
/// read from a file. With both, the model says how probable it finds those of
/// the file.
#[derive(Args)]
#[command(group(ArgGroup::new("what").required(true).multiple(true)))]
pub struct Score {
    #[command(flatten)]
    search: Search,
    /// A file with texts to translate, one on each line.
    #[arg(long, group = "what")]
    source: Option<PathBuf>,
    /// A file with translations, one on each line.
    #[arg(long, group = "what", conflicts_with_all = ["beam", "alpha"])]
    hypotheses: Option<PathBuf>,
    /// A file with the right translations, one on each line. Several such files
    /// have as many right translations of each text.
    #[arg(long)]
    reference: Vec<PathBuf>,
    /// How to cut texts into words before they are compared: 13a, or none if
    /// they are cut already.
    #[arg(long, default_value = "13a")]
    tokenizer: Tokenize,
    /// Print a line for each sentence first, with tabs between the numbers:
    /// how many of its n-grams match, how many there are, for n from 1 to 4,
    /// how many words the reference has; then, if a model is asked, the
    /// logarithm of the probability and the number of tokens.
    #[arg(long)]
    sentences: bool,
}

/// What a model finds of a translation.
struct Known {
    /// The logarithm of its probability.
    log_probability: f64,
    /// How many tokens it has, with the end of sequence.
    tokens: usize,
}

impl Score {
    pub fn run(&self) -> Result<()> {
        self.check_flags();
        let [source, given, references] = self.read()?;
        let (texts, given) = (source.first(), given.first());
        let made = texts.filter(|_| given.is_none());
        let made = made.map(|texts| self.translate(texts)).transpose()?;
        let hypotheses = given.or(made.as_ref()).context("no texts")?;
        let counts = match references.is_empty() {
            true => Vec::new(),
            false => {
                counts_of_several(hypotheses, &references, self.tokenizer)
            }
        };
        let known = match texts.filter(|_| made.is_none()) {
            Some(texts) => self.ask(texts, hypotheses)?,
            None => Vec::new(),
        };
        if self.sentences {
            say_all((0..hypotheses.len()).map(|i| {
                let one = counts.get(i).map(row);
                let other = known.get(i).map(Known::row);
                let cells = one.into_iter().chain(other);
                cells.collect::<Vec<_>>().join("\t")
            }))?;
        }
        if !references.is_empty() {
            say(counts.into_iter().sum::<Counts>().bleu())?;
            say(signature(self.tokenizer, references.len()))?;
        }
        say_sum(&known)
    }

    /// Ends the program, if a flag is missing or has no sense.
    fn check_flags(&self) {
        let (texts, given) =
            (self.source.is_some(), self.hypotheses.is_some());
        if self.reference.is_empty() && !(texts && given) {
            misuse(
                "--reference is missing; only with both --source and \
                 --hypotheses it need not be given",
            );
        }
        if !texts && self.search.model.is_given() {
            misuse(
                "--hypotheses alone are compared without a --model; with \
                 their --source it says how probable they are",
            );
        }
    }

    /// The lines of all files, of each kind; they must be as many in each.
    fn read(&self) -> Result<[Vec<Vec<String>>; 3]> {
        let mut first = None;
        let mut lines = |file: &PathBuf| {
            let (lines, name) = (read(file)?, file.display().to_string());
            ensure!(!lines.is_empty(), "{name} is empty");
            let n = lines.len();
            let (other, m) = first.get_or_insert_with(|| (name.clone(), n));
            ensure!(n == *m, "{other} has {m} lines, and {name} has {n}");
            Ok(lines)
        };
        let mut all = |files: &[PathBuf]| -> Result<Vec<Vec<String>>> {
            files.iter().map(&mut lines).collect()
        };
        Ok([
            all(self.source.as_slice())?,
            all(self.hypotheses.as_slice())?,
            all(&self.reference)?,
        ])
    }

    fn file(&self) -> String {
        let file = self.source.as_ref();
        file.map_or_else(String::new, |file| file.display().to_string())
    }

    /// What the model makes of the texts.
    fn translate(&self, texts: &[String]) -> Result<Vec<String>> {
        let translator = self.search.model.open()?;
        let beam = self.search.beam(&translator, 1);
        let texts: Vec<_> =
            texts.iter().map(|text| self.search.source(text)).collect();
        let found = translator.translate(&texts, &beam);
        found.with_context(|| self.file())
    }

    /// How probable the model finds these translations.
    fn ask(&self, texts: &[String], given: &[String]) -> Result<Vec<Known>> {
        let Translator { model, tokenizer, .. } = self.search.model.open()?;
        let texts = texts.iter().map(|text| self.search.source(text));
        let pairs = texts.zip(given.iter().cloned());
        let pairs: Vec<TextPair> = pairs.collect();
        let all =
            examples(&pairs, &tokenizer).with_context(|| self.file())?;
        let one = |example: &Example| {
            let tokens = example.target_tokens();
            let nats = validation_loss(&model, slice::from_ref(example));
            Known { log_probability: -nats * tokens as f64, tokens }
        };
        let known: Vec<_> = all.par_iter().map(one).collect();
        let is_finite = known.iter().all(|it| it.log_probability.is_finite());
        ensure!(is_finite, "{}: {NotFinite}", self.search.model.name());
        Ok(known)
    }
}

impl Known {
    fn row(&self) -> String {
        format!("{:.4}\t{}", self.log_probability, self.tokens)
    }
}

/// Says what a model finds of all translations together.
fn say_sum(known: &[Known]) -> Result<()> {
    if known.is_empty() {
        return Ok(());
    }
    let sum: f64 = known.iter().map(|it| it.log_probability).sum();
    let tokens: usize = known.iter().map(|it| it.tokens).sum();
    let perplexity = perplexity(-sum / tokens as f64);
    say(format!(
        "log-probability = {sum:.4} of {tokens} tokens, perplexity = \
         {perplexity:.4}"
    ))
}

/// The counts of a sentence, with tabs between them.
fn row(counts: &Counts) -> String {
    let Counts { matches, totals, reference_length } = counts;
    let numbers = matches.iter().chain(totals).chain([reference_length]);
    let numbers: Vec<_> = numbers.map(usize::to_string).collect();
    numbers.join("\t")
}
