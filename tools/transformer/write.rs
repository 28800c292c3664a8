//! `transformer write`

use crate::flags;
use crate::kind::{Kind, check};
use all_you_need::search::Sampling;
use all_you_need::tokens::Token;
use all_you_need::training::{Stream, generator};
use all_you_need::translation::MAX_TOKENS;
use all_you_need::writer::Writer;
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// Go on with a text, word by word, to the end of a paragraph.
#[derive(Args)]
pub struct Write {
    /// A directory that `transformer learn` has made.
    #[arg(long)]
    model: PathBuf,
    /// Below 1 probable words become more probable, above 1 less.
    #[arg(long, default_value = "1", value_parser = flags::temperature)]
    temperature: f64,
    /// How many of the most probable tokens can be drawn; by default all.
    #[arg(long, value_parser = flags::count)]
    top_k: Option<usize>,
    /// Which part of the probability can be drawn: that of as few tokens as
    /// have it together.
    #[arg(long, default_value = "1", value_parser = flags::probability)]
    top_p: f64,
    /// Where the random numbers come from.
    #[arg(long, default_value = "1", value_parser = flags::seed)]
    seed: u64,
    /// The most tokens to write.
    #[arg(long, default_value = "200", value_parser = flags::length)]
    length: usize,
    /// The beginning.
    #[arg(default_value = "")]
    text: String,
}

impl Write {
    pub fn run(&self) -> Result<()> {
        check(&self.model, &[Kind::Writer])?;
        let writer = Writer::load(&self.model)?;
        let tokenizer = &writer.tokenizer;
        let beginning = tokenizer.encode(&self.text).len();
        ensure!(
            beginning <= MAX_TOKENS,
            "the text has {beginning} tokens; at most {MAX_TOKENS} are \
             possible"
        );
        let sampling = Sampling {
            temperature: self.temperature,
            top_k: self.top_k.unwrap_or(usize::MAX),
            top_p: self.top_p,
            ..Sampling::new(tokenizer.bos(), tokenizer.eos())
        };
        let mut rng = generator(self.seed, Stream::Data);
        let drawn = writer.tokens(&self.text, &sampling, &mut rng);
        let mut page = Page { said: tokenizer.encode(&self.text), shown: 0 };
        for token in drawn.take(self.length) {
            let token =
                token.with_context(|| self.model.display().to_string())?;
            page.said.push(token);
            let text = tokenizer.decode(&page.said);
            // The word may go on, and a letter may lack its last byte.
            page.show(&text, text.rfind(' ').unwrap_or(0))?;
        }
        let text = tokenizer.decode(&page.said) + "\n";
        page.show(&text, text.len())
    }
}

/// What has been said, and how much of it has been shown.
struct Page {
    said: Vec<Token>,
    shown: usize,
}

impl Page {
    /// Writes the text up to this byte, as far as it is new.
    fn show(&mut self, text: &str, end: usize) -> Result<()> {
        if end > self.shown {
            let mut out = io::stdout().lock();
            let new = &text.as_bytes()[self.shown..end];
            let written = out.write_all(new).and_then(|()| out.flush());
            written.context("standard output")?;
            self.shown = end;
        }
        Ok(())
    }
}
