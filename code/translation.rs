//! From lines of text to lines of text.

use crate::attention::Mask;
use crate::checkpoint::Checkpoint;
use crate::decoder::DecoderLayer;
use crate::encoder::EncoderLayer;
use crate::search::Beam;
use crate::tensor::Matrix;
use crate::training::{Example, marks, question};
use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use std::fs;
use std::path::Path;

/// The lines of a text.
///
/// # Errors
/// If it is not UTF-8; says in which line.
pub fn lines(text: &[u8]) -> Result<Vec<String>> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let lines = text.split(|&byte| byte == b'\n').enumerate();
    let line = |(i, line): (usize, &[u8])| {
        let line = str::from_utf8(line.trim_ascii_end());
        let line = line.with_context(|| format!("line {}", i + 1))?;
        Ok(line.to_owned())
    };
    lines.map(line).collect()
}

/// The lines of a file.
///
/// # Errors
/// If it cannot be read, or is not UTF-8.
pub fn read(file: &Path) -> Result<Vec<String>> {
    let text = fs::read(file).with_context(|| file.display().to_string())?;
    lines(&text).with_context(|| file.display().to_string())
}

/// Two files, line by line a text and its translation.
///
/// # Errors
/// If one cannot be read, a line is empty, or one has more lines.
pub fn corpus(source: &Path, target: &Path) -> Result<Vec<(String, String)>> {
    let (texts, translations) = (full(source)?, full(target)?);
    ensure!(
        texts.len() == translations.len(),
        "{} has {} lines, and {} has {}",
        source.display(),
        texts.len(),
        target.display(),
        translations.len()
    );
    Ok(texts.into_iter().zip(translations).collect())
}

/// The lines of a file, none of them empty.
fn full(file: &Path) -> Result<Vec<String>> {
    let lines = read(file)?;
    let empty = lines.iter().position(|line| line.trim().is_empty());
    if let Some(i) = empty {
        anyhow::bail!("{}: line {} is empty", file.display(), i + 1);
    }
    Ok(lines)
}

/// A text that was found, and its score.
pub type Found = (String, f64);

/// How many texts are translated together.
const TOGETHER: usize = 40;

/// Translating.
impl Checkpoint {
    /// A pair of texts as tokens.
    pub fn example(&self, (source, target): &(String, String)) -> Example {
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
        // Texts of about one length search for about as many steps.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&i| texts[i].len());
        let groups: Vec<_> = order.par_chunks(TOGETHER).collect();
        let found = groups.into_par_iter().flat_map_iter(|group| {
            let texts: Vec<&str> =
                group.iter().map(|&i| &*texts[i]).collect();
            group.iter().copied().zip(self.group(&texts, beam))
        });
        let mut found: Vec<(usize, Vec<Found>)> = found.collect();
        found.sort_by_key(|&(i, _)| i);
        found.into_iter().map(|(_, found)| found).collect()
    }

    /// Some texts of about one length.
    fn group(&self, texts: &[&str], beam: &Beam) -> Vec<Vec<Found>> {
        let sources: Vec<_> =
            texts.iter().map(|text| question(text, &self.tokens)).collect();
        let found = self.training.model.search(&sources, beam);
        let spell = |tokens: &[usize]| self.tokens.decode(tokens);
        texts
            .iter()
            .zip(found)
            .map(|(text, found)| match text.trim() {
                "" => vec![(String::new(), 0.0)],
                _ => found
                    .iter()
                    .map(|one| (spell(&one.tokens), one.score))
                    .collect(),
            })
            .collect()
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
