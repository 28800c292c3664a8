//! `transformer translate`

use crate::flags::{self, Search, misuse};
use crate::output::say_all;
use all_you_need::search::Beam;
use all_you_need::translation::{Lines, TooLong, Translation};
use all_you_need::translation::{TranslationError, Translator};
use all_you_need::translation::{decode_entities, lines};
use anyhow::{Error, Result};
use clap::Args;
use std::io::{self, BufRead, IsTerminal};

/// Translate a text, or each line of the standard input.
///
/// The model of the book has read small letters, with a space before each
/// punctuation mark. It gets every text in this form, and translates into it;
/// `transformer detokenize` puts the spaces right. An empty line stays empty.
#[derive(Args)]
pub struct Translate {
    #[command(flatten)]
    search: Search,
    /// Write several translations of each text, best first, each on a line
    /// `number ||| translation ||| score`, where number counts the texts
    /// from 0. A text may have fewer; an empty one has a single, empty
    /// translation.
    #[arg(long, value_parser = flags::hypotheses)]
    nbest: Option<usize>,
    /// The text; without it the standard input is translated.
    text: Option<String>,
}

/// So many lines are read before they are translated: those of one length
/// together. A person who types gets an answer to every line.
const LINES_AT_A_TIME: usize = 2000;

/// What an error calls it.
const STDIN: &str = "standard input";

impl Translate {
    pub fn run(&self) -> Result<()> {
        let (beam, n_best) = (self.search.beam, self.nbest.unwrap_or(1));
        if n_best > beam {
            misuse(format!("a beam of {beam} has no {n_best} translations"));
        }
        let translator = self.search.model.open()?;
        let beam = self.search.beam(&translator, n_best);
        if let Some(text) = &self.text {
            let found = translator.n_best(&[self.search.source(text)], &beam);
            return self.say(0, found.map_err(|e| self.explain(e, 0))?);
        }
        let stdin = io::stdin().lock();
        let most = if stdin.is_terminal() { 1 } else { LINES_AT_A_TIME };
        self.stream(lines(stdin, STDIN), most, &translator, &beam)
    }

    /// Translates some lines at a time, until there are no more.
    fn stream(
        &self,
        mut lines: Lines<impl BufRead>,
        most: usize,
        translator: &Translator,
        beam: &Beam,
    ) -> Result<()> {
        let mut done = 0;
        loop {
            let some = lines.by_ref().take(most);
            let some = some.map(|line| Ok(self.search.source(&line?)));
            let some = some.collect::<Result<Vec<String>>>()?;
            if some.is_empty() {
                return Ok(());
            }
            let found = translator.n_best(&some, beam);
            self.say(done, found.map_err(|e| self.explain(e, done))?)?;
            done += some.len();
        }
    }

    /// Writes the translations of texts before which there were `done`.
    fn say(&self, done: usize, found: Vec<Vec<Translation>>) -> Result<()> {
        let numbered = self.nbest.is_some();
        let decodes = self.search.normalizes();
        let line = |(number, Translation { text, score }): (usize, _)| {
            let text = if decodes { decode_entities(&text) } else { text };
            match numbered {
                true => format!("{number} ||| {text} ||| {score:.4}"),
                false => text,
            }
        };
        let all = (done..).zip(found).flat_map(|(number, found)| {
            found.into_iter().map(move |found| (number, found))
        });
        say_all(all.map(line))
    }

    /// An error, after the place that it comes from.
    fn explain(&self, error: TranslationError, done: usize) -> Error {
        match error {
            TranslationError::TooLong(TooLong { line, tokens }) => {
                let place = match self.text {
                    Some(_) => "the text",
                    None => STDIN,
                };
                Error::new(TooLong { line: line + done, tokens })
                    .context(place)
            }
            other => Error::new(other).context(self.search.model.name()),
        }
    }
}
