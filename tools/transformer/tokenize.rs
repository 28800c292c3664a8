//! `transformer tokenize` and `transformer detokenize`

use crate::output::say_all;
use all_you_need::translation::{detokenize, lines, normalize};
use anyhow::Result;
use clap::Args;
use std::io::{self, IsTerminal};

/// Put English into the form that the model of the book has read.
///
/// That is, into small letters with a space around each punctuation mark, as
/// the script `tokenizer.perl` of Moses does. What has this form stays as it
/// is.
#[derive(Args)]
pub struct Tokenize {
    /// The text; without it each line of the standard input.
    text: Option<String>,
}

/// Put a text with spaces around each punctuation mark into the usual form.
///
/// Letters stay as they are, small or capital.
#[derive(Args)]
pub struct Detokenize {
    /// The text; without it each line of the standard input.
    text: Option<String>,
}

impl Tokenize {
    pub fn run(&self) -> Result<()> {
        change(self.text.as_deref(), normalize)
    }
}

impl Detokenize {
    pub fn run(&self) -> Result<()> {
        change(self.text.as_deref(), detokenize)
    }
}

/// So many lines are read before they are written. A person who types gets an
/// answer to every line.
const LINES_AT_A_TIME: usize = 1000;

/// Changes a text, or each line of the standard input.
fn change(text: Option<&str>, change: fn(&str) -> String) -> Result<()> {
    if let Some(text) = text {
        return say_all([change(text)].into_iter());
    }
    let stdin = io::stdin().lock();
    let most = if stdin.is_terminal() { 1 } else { LINES_AT_A_TIME };
    let mut lines = lines(stdin, "standard input");
    loop {
        let some = lines.by_ref().take(most);
        let some = some.collect::<Result<Vec<String>, _>>()?;
        if some.is_empty() {
            return Ok(());
        }
        say_all(some.iter().map(|line| change(line)))?;
    }
}
