//! `transformer tokenize` and `transformer detokenize`

use crate::flags::{Model, misuse};
use crate::output::say_all;
use all_you_need::tokens::{Token, Tokenizer};
use all_you_need::translation::{Translator, detokenize, lines, normalize};
use anyhow::{Context, Result};
use clap::Args;
use std::io::{self, IsTerminal};

/// Put English into the form that the model of the book has read.
///
/// That is, into small letters with a space around each punctuation mark, as
/// the script `tokenizer.perl` of Moses does. What has this form stays as it
/// is.
#[derive(Args)]
pub struct Tokenize {
    /// Write the tokens of a model, as numbers. The model of the book gets the
    /// text in its form, and others as it is.
    #[arg(long)]
    ids: bool,
    #[command(flatten)]
    model: Model,
    /// The text; without it each line of the standard input.
    text: Option<String>,
}

/// Put a text with spaces around each punctuation mark into the usual form.
///
/// Letters stay as they are, small or capital.
#[derive(Args)]
pub struct Detokenize {
    /// Read the tokens of a model, as numbers. What they spell is put into the
    /// usual form for the model of the book, and stays as it is for others.
    #[arg(long)]
    ids: bool,
    #[command(flatten)]
    model: Model,
    /// The text; without it each line of the standard input.
    text: Option<String>,
}

impl Tokenize {
    pub fn run(&self) -> Result<()> {
        let Self { ids, model, text } = self;
        let Some(tokenizer) = tokenizer(*ids, model)? else {
            return change(text.as_deref(), |text| Ok(normalize(text)));
        };
        change(text.as_deref(), |text| {
            let ids = match model.is_given() {
                true => tokenizer.encode_source(text),
                false => tokenizer.encode_source(&normalize(text)),
            };
            let ids: Vec<_> = ids.iter().map(Token::to_string).collect();
            Ok(ids.join(" "))
        })
    }
}

impl Detokenize {
    pub fn run(&self) -> Result<()> {
        let Self { ids, model, text } = self;
        let Some(tokenizer) = tokenizer(*ids, model)? else {
            return change(text.as_deref(), |text| Ok(detokenize(text)));
        };
        change(text.as_deref(), |ids| {
            let text = tokenizer.decode(&parse(ids, &tokenizer)?);
            Ok(if model.is_given() { text } else { detokenize(&text) })
        })
    }
}

/// That of the model, if there are to be numbers.
fn tokenizer(ids: bool, model: &Model) -> Result<Option<Tokenizer>> {
    if !ids && model.is_given() {
        misuse("a model has tokens; --model needs --ids");
    }
    let translator = ids.then(|| model.open()).transpose()?;
    Ok(translator.map(|Translator { tokenizer, .. }| tokenizer))
}

/// Tokens that are written as numbers, with spaces between them.
fn parse(ids: &str, tokenizer: &Tokenizer) -> Result<Vec<Token>> {
    let size = tokenizer.vocabulary();
    let token = |word: &str| {
        let token = word.parse().ok();
        let token = token.filter(|&token: &Token| (token as usize) < size);
        token.with_context(|| {
            format!("{word} is no token, which is a number below {size}")
        })
    };
    ids.split_whitespace().map(token).collect()
}

/// So many lines are read before they are written. A person who types gets an
/// answer to every line.
const LINES_AT_A_TIME: usize = 1000;

/// Changes a text, or each line of the standard input.
fn change(
    text: Option<&str>,
    change: impl Fn(&str) -> Result<String>,
) -> Result<()> {
    if let Some(text) = text {
        return say_all([change(text)?].into_iter());
    }
    let stdin = io::stdin().lock();
    let most = if stdin.is_terminal() { 1 } else { LINES_AT_A_TIME };
    let mut lines = lines(stdin, "standard input");
    loop {
        let some = lines.by_ref().take(most);
        let some = some.map(|line| change(&line?));
        let some = some.collect::<Result<Vec<String>>>()?;
        if some.is_empty() {
            return Ok(());
        }
        say_all(some.into_iter())?;
    }
}
