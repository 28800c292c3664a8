//! `transformer attend`

use crate::flags::Search;
use crate::output::say;
use crate::stop::abandon;
use all_you_need::checkpoint::replace_file;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Token, Tokenizer};
use all_you_need::translation::{AttentionMaps, HeadWeights, Translator};
use anyhow::{Context, Result, ensure};
use clap::Args;
use nalgebra::convert;
use plot::{Figure, HeatMaps, Panel};
use serde::Serialize;
use std::fs;
use std::path::PathBuf;

/// Draw what every attention head attends to in a text and its translation.
///
/// Writes an SVG file for each layer of the encoder and two for each layer
/// of the decoder, and replaces such files if they are there. With --json
/// nothing is drawn.
#[derive(Args)]
pub struct Attend {
    #[command(flatten)]
    search: Search,
    /// The directory for the figures.
    #[arg(long, default_value = "attention")]
    out: PathBuf,
    /// Print the weights instead, as JSON: `source` and `target` are the
    /// tokens; `encoder`, `decoder` and `cross` have for each layer and each
    /// head a list with the weights of each query.
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// The text.
    text: String,
}

/// What --json prints.
#[derive(Serialize)]
struct Weights {
    translation: String,
    source: Vec<String>,
    target: Vec<String>,
    encoder: Vec<Vec<Rows>>,
    decoder: Vec<Vec<Rows>>,
    cross: Vec<Vec<Rows>>,
}

/// The weights of a head: those of each query.
type Rows = Vec<Vec<f32>>;

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
        let maps = translator.attention_maps(&source, &target);
        let [source, target] =
            [source, target].map(|tokens| labels(&tokens, tokenizer));
        if !self.json {
            ctrlc::set_handler(abandon)?;
            self.draw_all(&maps, &source, &target)?;
            return say(said);
        }
        let [encoder, decoder, cross] =
            [&maps.encoder, &maps.decoder, &maps.cross].map(|it| rows(it));
        let translation = said;
        say(serde_json::to_string(&Weights {
            translation,
            source,
            target,
            encoder,
            decoder,
            cross,
        })?)
    }

    fn draw_all(
        &self,
        maps: &AttentionMaps,
        source: &[String],
        target: &[String],
    ) -> Result<()> {
        fs::create_dir_all(&self.out)
            .with_context(|| self.out.display().to_string())?;
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

/// The weights of every layer and every head, row by row.
fn rows(layers: &[HeadWeights]) -> Vec<Vec<Rows>> {
    let row = |row: &[f32]| row.to_vec();
    let head = |weights: &Matrix<f32>| -> Rows {
        let across = weights.transpose();
        across.as_slice().chunks(weights.ncols()).map(row).collect()
    };
    let layer = |heads: &HeadWeights| heads.iter().map(head).collect();
    layers.iter().map(layer).collect()
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
