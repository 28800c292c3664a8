//! `transformer write`

use crate::flags;
use crate::kind::{Kind, WRITES, check};
use crate::output::note;
use all_you_need::published::Published;
use all_you_need::rand::Rng;
use all_you_need::search::Sampling;
use all_you_need::tokens::Token;
use all_you_need::training::{Stream, generator};
use all_you_need::transformer::NotFinite;
use all_you_need::translation::MAX_TOKENS;
use all_you_need::writer::Writer;
use anyhow::{Context, Error, Result, ensure};
use clap::Args;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Instant;

/// Go on with a text, word by word, to the end of a paragraph.
#[derive(Args)]
pub struct Write {
    /// A directory that `transformer learn` has made, or a published model
    /// in the layout of GPT-2 or Llama.
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
        check(&self.model, WRITES)?;
        let sampling = Sampling {
            temperature: self.temperature,
            top_k: self.top_k.unwrap_or(usize::MAX),
            top_p: self.top_p,
            ..Sampling::new(0, 0)
        };
        let mut rng = generator(self.seed, Stream::Data);
        match Kind::of(&self.model) {
            Some(Kind::Published) => self.published(&sampling, &mut rng),
            _ => self.writer(&sampling, &mut rng),
        }
    }

    /// A model that `transformer learn` has made.
    fn writer(&self, sampling: &Sampling, rng: &mut impl Rng) -> Result<()> {
        let writer = Writer::load(&self.model)?;
        let tokenizer = &writer.tokenizer;
        let sampling = Sampling { eos: tokenizer.eos(), ..sampling.clone() };
        let beginning = tokenizer.encode(&self.text);
        ensure!(
            beginning.len() <= MAX_TOKENS,
            "the text has {} tokens; at most {MAX_TOKENS} are possible",
            beginning.len()
        );
        let drawn = writer.tokens(&self.text, &sampling, rng);
        self.show(beginning, drawn, |said| tokenizer.decode(said))
    }

    /// A model in the layout of GPT-2 or Llama. Says how fast it was.
    fn published(
        &self,
        sampling: &Sampling,
        rng: &mut impl Rng,
    ) -> Result<()> {
        let published = Published::open(&self.model)?;
        let prompt = published.prompt(&self.text).map_err(Error::msg)?;
        let (start, mut times) = (Instant::now(), Vec::new());
        let drawn = published.tokens(&prompt, sampling, rng);
        let drawn = drawn.inspect(|_| times.push(start.elapsed()));
        let read = prompt.len();
        self.show(prompt, drawn, |said| published.tokenizer.decode(said))?;
        if let [first, .., last] = times[..] {
            let (written, time) = (times.len() - 1, last - first);
            let speed = written as f64 / time.as_secs_f64();
            note(format!(
                "{read} tokens read and one written in {first:.2?}, \
                 {written} more in {time:.2?}: {speed:.1} a second"
            ));
        }
        Ok(())
    }

    /// Prints what has been said and what is drawn, word by word.
    fn show(
        &self,
        said: Vec<Token>,
        drawn: impl Iterator<Item = Result<Token, NotFinite>>,
        decode: impl Fn(&[Token]) -> String,
    ) -> Result<()> {
        let mut page = Page { said, shown: 0 };
        for token in drawn.take(self.length) {
            let token =
                token.with_context(|| self.model.display().to_string())?;
            page.said.push(token);
            let text = decode(&page.said);
            // The word may go on, and a letter may lack its last byte.
            page.show(&text, text.rfind(' ').unwrap_or(0))?;
        }
        let text = decode(&page.said) + "\n";
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
