//! `transformer attend`

use crate::flags::Search;
use crate::output::say;
use all_you_need::checkpoint::replace_file;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Token, Tokenizer};
use all_you_need::translation::{HeadWeights, Translator};
use anyhow::{Context, Result, ensure};
use clap::Args;
use nalgebra::convert;
use plot::{Figure, HeatMaps, Panel};
use std::fs;
use std::path::PathBuf;

/// Draw what every attention head attends to in a text and its translation.
///
/// Writes an SVG file for each layer of the encoder and two for each layer
/// of the decoder, and replaces such files if they are there.
#[derive(Args)]
pub struct Attend {
    #[command(flatten)]
    search: Search,
    /// The directory for the figures.
    #[arg(long, default_value = "attention")]
    out: PathBuf,
    /// The text.
    text: String,
}

/// More tokens cannot be told apart in a figure.
const MAX_DRAWN: usize = 200;

impl Attend {
    pub fn run(&self) -> Result<()> {
        let translator = self.search.model.open()?;
        let Translator { tokenizer, .. } = &translator;
        let text = self.search.source(&self.text);
        let source = tokenizer.encode_source(&text);
        let length = source.len();
        ensure!(
            length <= MAX_DRAWN,
            "the text has {length} tokens, too many to draw; at most \
             {MAX_DRAWN} can be drawn"
        );
        let beam = self.search.beam(&translator, 1);
        let found = translator.translate(&[&text], &beam);
        let found = found.with_context(|| self.search.model.name())?;
        let said = found.concat();
        let target =
            [vec![tokenizer.bos()], tokenizer.encode(&said)].concat();
        self.draw_all(&translator, &source, &target)?;
        say(said)
    }

    fn draw_all(
        &self,
        translator: &Translator,
        source: &[Token],
        target: &[Token],
    ) -> Result<()> {
        fs::create_dir_all(&self.out)
            .with_context(|| self.out.display().to_string())?;
        let maps = translator.attention_maps(source, target);
        let source = &labels(source, &translator.tokenizer)[..];
        let target = &labels(target, &translator.tokenizer)[..];
        self.draw("encoder", &maps.encoder, source, source)?;
        self.draw("decoder", &maps.decoder, target, target)?;
        self.draw("cross", &maps.cross, target, source)
    }

    /// A figure for each layer.
    fn draw(
        &self,
        kind: &str,
        layers: &[HeadWeights],
        queries: &[String],
        keys: &[String],
    ) -> Result<()> {
        for (i, layer) in (1..).zip(layers) {
            let title = format!("{}: {kind}, layer {i}", self.text);
            let figure = heads(&drawable(&title), layer, queries, keys);
            let path = self.out.join(format!("{kind}-{i}.svg"));
            replace_file(&path, figure.svg().as_bytes())?;
        }
        Ok(())
    }
}

/// What a token spells, for people to read.
fn labels(tokens: &[Token], tokenizer: &Tokenizer) -> Vec<String> {
    tokens.iter().map(|&token| drawable(&tokenizer.name(token))).collect()
}

/// A text without the characters that XML, and so an SVG file, cannot have.
fn drawable(text: &str) -> String {
    let is_foreign =
        |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.replace(is_foreign, "\u{fffd}")
}

/// All heads of a layer, two in a row.
fn heads(
    title: &str,
    layer: &HeadWeights,
    queries: &[String],
    keys: &[String],
) -> Figure {
    let text = "Each row is a query; the darker, the more it takes.";
    let mut maps = HeatMaps::new(title, text);
    for (i, weights) in layer.iter().enumerate() {
        let weights: Matrix = weights.map(convert);
        let panel = Panel::new(&weights).title(&format!("head {}", i + 1));
        let panel = panel.rows(queries).columns(keys).full(1.0);
        maps = if i > 0 && i % 2 == 0 { maps.next_row() } else { maps };
        maps = maps.panel(panel);
    }
    maps.draw()
}
