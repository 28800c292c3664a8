//! From lines of text to lines of text.

use crate::attention::Mask;
use crate::checkpoint::Checkpoint;
use crate::decoder::DecoderLayer;
use crate::encoder::EncoderLayer;
use crate::search::{Beam, Hypothesis};
use crate::tensor::Matrix;
use crate::tokens::BytePairs;
use crate::training::{Example, marks, question};
use anyhow::{Context, Result, bail, ensure};
use rayon::prelude::*;
use std::fs;
use std::path::Path;

/// The lines of a text, without blanks at their ends.
///
/// # Errors
/// If one is not UTF-8; says which.
pub fn lines(text: &[u8]) -> Result<Vec<String>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let lines = text.split(|&byte| byte == b'\n');
    let line = |(i, line): (usize, &[u8])| {
        let line = str::from_utf8(line.trim_ascii_end());
        let line = line.with_context(|| format!("line {i}"))?;
        Ok(line.to_owned())
    };
    (1..).zip(lines).map(line).collect()
}

/// The lines of a file.
///
/// # Errors
/// If it cannot be read, or is not UTF-8.
pub fn read(file: &Path) -> Result<Vec<String>> {
    let text = fs::read(file).with_context(|| file.display().to_string())?;
    lines(&text).with_context(|| file.display().to_string())
}

/// The lines of a file, none of them empty.
fn full(file: &Path) -> Result<Vec<String>> {
    let (lines, name) = (read(file)?, file.display());
    ensure!(!lines.is_empty(), "{name} is empty");
    match (1..).zip(&lines).find(|(_, line)| line.is_empty()) {
        Some((i, _)) => bail!("{name}: line {i} is empty"),
        None => Ok(lines),
    }
}

/// A text, and its translation.
pub type Pair = (String, String);

/// Two files, line by line a text and its translation.
///
/// # Errors
/// If one cannot be read, a line is empty, or one has more lines.
pub fn corpus(source: &Path, target: &Path) -> Result<Vec<Pair>> {
    let (texts, translations) = (full(source)?, full(target)?);
    let (n, m) = (texts.len(), translations.len());
    let (source, target) = (source.display(), target.display());
    ensure!(n == m, "{source} has {n} lines, and {target} has {m}");
    Ok(texts.into_iter().zip(translations).collect())
}

/// One vocabulary for both languages.
pub fn vocabulary(pairs: &[Pair], merges: usize) -> BytePairs {
    let mut text = String::new();
    for (source, target) in pairs {
        // A line break would become part of the first word.
        text += &format!(" {source} {target}");
    }
    BytePairs::train(&text, merges)
}

/// A text that was found, and its score.
pub type Found = (String, f64);

/// How many texts are translated together.
const TOGETHER: usize = 40;

/// Translating.
impl Checkpoint {
    /// A pair of texts as tokens.
    pub fn example(&self, (source, target): &Pair) -> Example {
        Example::new(source, target, &self.tokens)
    }

    /// How to search with this model: so many hypotheses, and α.
    pub fn beam(&self, width: usize, alpha: f64, n_best: usize) -> Beam {
        let (start, end) = marks(self.config.vocabulary);
        Beam { width, alpha, n_best, start, end }
    }

    /// For each text the best that were found, best first. An empty text
    /// stays empty.
    pub fn translate(
        &self,
        texts: &[String],
        beam: &Beam,
    ) -> Vec<Vec<Found>> {
        let mut found = vec![vec![(String::new(), 0.0)]; texts.len()];
        let is_full = |&i: &usize| !texts[i].trim().is_empty();
        let mut order: Vec<_> = (0..texts.len()).filter(is_full).collect();
        // Texts of about one length search for about as many steps.
        order.sort_by_key(|&i| texts[i].len());
        let groups = order.par_chunks(TOGETHER);
        let each =
            groups.flat_map_iter(|group| self.group(group, texts, beam));
        for (i, best) in order.iter().zip(each.collect::<Vec<_>>()) {
            found[*i] = best;
        }
        found
    }

    /// The translations of some of the texts.
    fn group(
        &self,
        group: &[usize],
        texts: &[String],
        beam: &Beam,
    ) -> impl Iterator<Item = Vec<Found>> {
        let source = |&i: &usize| question(&texts[i], &self.tokens);
        let sources: Vec<_> = group.iter().map(source).collect();
        let found = self.training.model.search(&sources, beam).into_iter();
        found.map(|found| {
            let one = |one: &Hypothesis| (self.spell(&one.tokens), one.score);
            found.iter().map(one).collect()
        })
    }

    /// What these tokens say, on one line. A model that has learned little
    /// may say the start, which spells nothing.
    fn spell(&self, tokens: &[usize]) -> String {
        let spells = |&token: &usize| token < self.tokens.len();
        let text: Vec<_> = tokens.iter().copied().filter(spells).collect();
        self.tokens.decode(&text).replace(['\n', '\r'], " ")
    }

    /// For each text the best that was found.
    pub fn best(&self, texts: &[String], beam: &Beam) -> Vec<String> {
        let found = self.translate(texts, beam).into_iter();
        let best = found.map(|found| found.into_iter().next());
        best.map(|best| best.unwrap_or_default().0).collect()
    }
}

/// The weights of every head of one layer.
pub type Layer = Vec<Matrix<f32>>;

/// Who looks at whom, layer by layer.
#[derive(Clone, Debug)]
pub struct Looks {
    /// The source at itself: n × n for each head.
    pub encoder: Vec<Layer>,
    /// The target at its past: m × m.
    pub decoder: Vec<Layer>,
    /// The target at the source: m × n.
    pub cross: Vec<Layer>,
}

impl Checkpoint {
    /// What every head of the model looks at while it reads `source` and
    /// says `target`, in front of which stands the start.
    pub fn looks(&self, source: &[usize], target: &[usize]) -> Looks {
        let model = &self.training.model;
        let all = Mask::none(source.len(), source.len());
        let mut x = model.embed(&[source.to_vec()]);
        let mut encoder = Vec::new();
        for layer in &model.encoder.layers {
            let EncoderLayer { attention, .. } = layer;
            encoder.push(attention.weights(&x, &x, &all));
            x = layer.forward(&x, &all);
        }
        let past = Mask::causal(target.len());
        let read = Mask::none(target.len(), source.len());
        let mut y = model.embed(&[target.to_vec()]);
        let (mut decoder, mut cross) = (Vec::new(), Vec::new());
        for layer in &model.decoder.layers {
            let DecoderLayer { self_attention, self_norm, .. } = layer;
            decoder.push(self_attention.weights(&y, &y, &past));
            let said = self_attention.forward(&y, &y, &past);
            let asking = self_norm.add_norm(&y, &said);
            cross.push(layer.cross_attention.weights(&asking, &x, &read));
            y = layer.forward(&y, &x, &past, &read);
        }
        Looks { encoder, decoder, cross }
    }
}
