//! Translating: from lines of text to lines of text.
//!
//! ```
//! use all_you_need::encoder::Config;
//! use all_you_need::training::{Recipe, Training};
//! use all_you_need::translation::{Translator, learn_tokenizer};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let pairs = [("a warm wind".to_owned(), "ein warmer wind".to_owned())];
//! let tokenizer = learn_tokenizer(&pairs, 0);
//! let config = Config { layers: 1, d_model: 8, ..Config::toy() };
//! let training = Training::new(&config, Recipe::toy());
//! let translator = Translator { model: training.model, config, tokenizer };
//! let beam = translator.beam(5, 0.6, 1);
//! let found = translator.translate(&["a cold wind", ""], &beam)?;
//! assert_eq!(found.len(), 2);
//! assert_eq!(found[1], "");
//! # Ok(())
//! # }
//! ```

mod normalize;

pub use normalize::{decode_entities, detokenize, normalize};

use crate::attention::Mask;
use crate::checkpoint::{self, Checkpoint, Weights, load_newest};
use crate::decoder::{Decoder, DecoderLayer};
use crate::encoder::{Config, EncoderLayer};
use crate::learner::WordCounts;
use crate::search::{Beam, Hypothesis};
use crate::tensor::Matrix;
use crate::tokens::{Bpe, Token, Tokenizer};
use crate::training::Example;
use crate::transformer::{NotFinite, Transformer};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use thiserror::Error;

/// The most tokens that a line may have, special tokens not counted.
///
/// The memory for attention grows with the square of the length: a line of a
/// million tokens would ask for terabytes.
pub const MAX_TOKENS: usize = 1024;

/// The most bytes that a line may have: a token has no more than 256.
const MAX_BYTES: usize = 256 * MAX_TOKENS;

/// Why a text was not read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TextError {
    /// The system cannot read it.
    #[error("{place}: {error}")]
    Io {
        /// The file, or where else the text comes from.
        place: String,
        /// What the system says.
        error: io::Error,
    },
    /// A line is not as it should be.
    #[error("{place}: line {line}: {reason}")]
    Line {
        /// The file, or where else the text comes from.
        place: String,
        /// The number of the line, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A file has no lines.
    #[error("{0} is empty")]
    Empty(String),
    /// Texts that are to be kept in memory do not end, or are too many.
    #[error("{place}: the lines take more than {MAX_BYTES_KEPT} bytes")]
    TooLarge {
        /// The file.
        place: String,
    },
    /// Two files that belong together line by line have different numbers of
    /// lines.
    #[error(
        "{source_file} has {source_lines} lines, and {target_file} has \
         {target_lines}"
    )]
    Unequal {
        /// The file with the texts.
        source_file: String,
        /// How many there are.
        source_lines: usize,
        /// The file with their translations.
        target_file: String,
        /// How many there are.
        target_lines: usize,
    },
}

/// The lines of a text, one after the other; see [`lines`].
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    place: String,
    line: usize,
}

/// The lines of a text, without white space at their ends. Before the first,
/// a byte order mark is skipped: three bytes that some editors write there.
/// Errors say that they happened at `place`.
///
/// A line that is not UTF-8 is an error. So is a line with so many bytes that
/// it has more than [`MAX_TOKENS`] tokens, and it is not kept in memory.
///
/// ```
/// use all_you_need::translation::lines;
///
/// let mut lines = lines(&b"eins\r\nzwei"[..], "a text");
/// assert_eq!(lines.next().unwrap().unwrap(), "eins");
/// assert_eq!(lines.next().unwrap().unwrap(), "zwei");
/// assert!(lines.next().is_none());
/// ```
pub fn lines<R: BufRead>(reader: R, place: &str) -> Lines<R> {
    Lines { reader, place: place.to_owned(), line: 0 }
}

impl<R: BufRead> Lines<R> {
    /// The bytes of the next line; none at the end of the text.
    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let most = MAX_BYTES as u64 + 1;
        self.reader.by_ref().take(most).read_until(b'\n', &mut bytes)?;
        Ok(bytes)
    }

    fn text(&self, bytes: &[u8]) -> Result<String, TextError> {
        if bytes.len() > MAX_BYTES {
            return Err(self.wrong(format!("more than {MAX_BYTES} bytes")));
        }
        let marked = bytes.strip_prefix("\u{feff}".as_bytes());
        let bytes = marked.filter(|_| self.line == 1).unwrap_or(bytes);
        let text = str::from_utf8(bytes.trim_ascii_end());
        text.map(str::to_owned).map_err(|error| self.wrong(error.to_string()))
    }

    /// What is wrong with this line.
    fn wrong(&self, reason: String) -> TextError {
        let place = self.place.clone();
        TextError::Line { place, line: self.line, reason }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<String, TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.line += 1;
        match self.bytes() {
            Ok(bytes) if bytes.is_empty() => None,
            Ok(bytes) => Some(self.text(&bytes)),
            Err(error) => {
                let place = self.place.clone();
                Some(Err(TextError::Io { place, error }))
            }
        }
    }
}

/// A file whose lines are read one after the other.
type FileLines = Lines<BufReader<File>>;

fn open(file: &Path) -> Result<FileLines, TextError> {
    let place = file.display().to_string();
    match File::open(file) {
        Ok(opened) => Ok(lines(BufReader::new(opened), &place)),
        Err(error) => Err(TextError::Io { place, error }),
    }
}

/// The most bytes that all lines of a file may take in memory. There are
/// files without an end, such as pipes.
pub const MAX_BYTES_KEPT: usize = 1 << 28;

/// All these texts, of which each takes so many bytes, in memory.
fn kept<T>(
    texts: impl Iterator<Item = Result<T, TextError>>,
    file: &Path,
    bytes: impl Fn(&T) -> usize,
) -> Result<Vec<T>, TextError> {
    let (mut kept, mut left) = (Vec::new(), MAX_BYTES_KEPT);
    for text in texts {
        let text = text?;
        let rest = left.checked_sub(size_of::<T>() + bytes(&text));
        let place = || file.display().to_string();
        left = rest.ok_or_else(|| TextError::TooLarge { place: place() })?;
        kept.push(text);
    }
    Ok(kept)
}

/// The lines of a file, as [`lines`] has them.
///
/// # Errors
/// If the file cannot be read, a line is too long or not UTF-8, or all lines
/// together take more than [`MAX_BYTES_KEPT`].
pub fn read(file: &Path) -> Result<Vec<String>, TextError> {
    kept(open(file)?, file, String::len)
}

impl FileLines {
    /// The next line, of a file in which there are lines and none is empty.
    fn full(&mut self) -> Result<Option<String>, TextError> {
        match self.next().transpose()? {
            None if self.line == 1 => {
                Err(TextError::Empty(self.place.clone()))
            }
            Some(text) if text.is_empty() => {
                Err(self.wrong("it is empty".to_owned()))
            }
            text => Ok(text),
        }
    }

    /// How many lines are left.
    fn rest(&mut self) -> Result<usize, TextError> {
        let mut lines = 0;
        while self.full()?.is_some() {
            lines += 1;
        }
        Ok(lines)
    }
}

/// A text, and its translation.
pub type TextPair = (String, String);

/// The pairs of two files, one after the other; see [`pairs`].
#[derive(Debug)]
pub struct Pairs {
    source: FileLines,
    target: FileLines,
    /// How many have been read.
    read: usize,
}

/// Two files as pairs: each line of one, and the same line of the other. In
/// memory is one pair at a time.
///
/// # Errors
/// If a file cannot be opened. A pair is an error if it cannot be read, a
/// line is empty, too long or not UTF-8, or one file has no more lines and
/// the other has.
pub fn pairs(source: &Path, target: &Path) -> Result<Pairs, TextError> {
    Ok(Pairs { source: open(source)?, target: open(target)?, read: 0 })
}

impl Pairs {
    fn pair(&mut self) -> Result<Option<TextPair>, TextError> {
        match (self.source.full()?, self.target.full()?) {
            (Some(text), Some(translation)) => {
                self.read += 1;
                Ok(Some((text, translation)))
            }
            (None, None) => Ok(None),
            (Some(_), None) => Err(self.unequal([1, 0])?),
            (None, Some(_)) => Err(self.unequal([0, 1])?),
        }
    }

    /// The error when one file has a line that the other has not.
    fn unequal(
        &mut self,
        [a, b]: [usize; 2],
    ) -> Result<TextError, TextError> {
        Ok(TextError::Unequal {
            source_lines: self.read + a + self.source.rest()?,
            target_lines: self.read + b + self.target.rest()?,
            source_file: self.source.place.clone(),
            target_file: self.target.place.clone(),
        })
    }
}

impl Iterator for Pairs {
    type Item = Result<TextPair, TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.pair().transpose()
    }
}

/// All [pairs] of two files.
///
/// # Errors
/// If a file cannot be read, a line is empty, too long or not UTF-8, one file
/// has more lines than the other, or all lines together take more than
/// [`MAX_BYTES_KEPT`].
pub fn corpus(
    source: &Path,
    target: &Path,
) -> Result<Vec<TextPair>, TextError> {
    kept(pairs(source, target)?, source, |(a, b)| a.len() + b.len())
}

/// Counts the words of a pair.
pub fn count_words(words: &mut WordCounts, (source, target): &TextPair) {
    // A line break would become part of the first word.
    words.add(&format!(" {source} {target}"));
}

/// Learns one vocabulary for both languages, of at most `merges` merges.
pub fn learn_tokenizer(pairs: &[TextPair], merges: usize) -> Tokenizer {
    let mut words = WordCounts::default();
    pairs.iter().for_each(|pair| count_words(&mut words, pair));
    Tokenizer::new(Bpe::learn(words, merges))
}

/// A text with more than [`MAX_TOKENS`] tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {tokens} tokens; at most {MAX_TOKENS} are possible")]
pub struct TooLong {
    /// Which of the texts, counted from 1.
    pub line: usize,
    /// How many tokens it has.
    pub tokens: usize,
}

impl TooLong {
    /// An error, if there are too many tokens on a line.
    fn check(line: usize, tokens: usize) -> Result<(), Self> {
        match tokens <= MAX_TOKENS {
            true => Ok(()),
            false => Err(Self { line, tokens }),
        }
    }

    /// The error, when so many texts were before the first.
    pub(crate) fn after(self, texts: usize) -> Self {
        Self { line: texts + self.line, ..self }
    }
}

/// Pairs of texts as examples to train with.
///
/// # Errors
/// If a text or its translation is too long.
pub fn examples(
    pairs: &[TextPair],
    tokenizer: &Tokenizer,
) -> Result<Vec<Example>, TooLong> {
    let example = |(i, (source, target)): (usize, &TextPair)| {
        let example = Example::new(source, target, tokenizer);
        let tokens = example.source.len() - 1;
        TooLong::check(i + 1, tokens.max(example.target.len() - 2))?;
        Ok(example)
    };
    let examples: Vec<_> =
        pairs.par_iter().enumerate().map(example).collect();
    examples.into_iter().collect()
}

/// All that translating needs: a model, and what its tokens mean.
#[derive(Clone, Debug)]
pub struct Translator {
    /// The sizes of the model.
    pub config: Config,
    /// The model.
    pub model: Transformer<Matrix<f32>>,
    /// What its tokens mean.
    pub tokenizer: Tokenizer,
}

impl Translator {
    /// Loads the model of a checkpoint; of a run's directory, the newest.
    /// Adam's moments are not read, and their file may be missing.
    ///
    /// # Errors
    /// As [`Checkpoint::load`], or if there is no checkpoint.
    pub fn load(path: &Path) -> Result<Self, checkpoint::Error> {
        let Weights { tokenizer, model, config, .. } =
            load_newest(path, Weights::load)?;
        Ok(Self { config, model, tokenizer })
    }
}

impl From<Checkpoint> for Translator {
    fn from(checkpoint: Checkpoint) -> Self {
        let Checkpoint { config, training, tokenizer, .. } = checkpoint;
        Self { config, model: training.model, tokenizer }
    }
}

/// A translation that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// What it says, on one line.
    pub text: String,
    /// Its [score](Hypothesis::score): the highest is the best.
    pub score: f64,
}

/// Why texts were not translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TranslationError {
    /// A text has too many tokens.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// The weights of the model are too large.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
}

/// The most hypotheses that are searched together. With fewer, the table of
/// the vocabulary is read for too few of them at a time; with more, the
/// memory for their keys and values grows.
const HYPOTHESES_PER_BATCH: usize = 200;

/// A text to translate.
struct Source {
    /// Which of the texts it is, counted from 0.
    number: usize,
    tokens: Vec<Token>,
}

impl Translator {
    /// When the search for a translation ends: with less
    /// [patience](Beam::patience) some translations change, and with more
    /// none does.
    pub const PATIENCE: f64 = 2.0;

    /// A beam search with this model: the number of hypotheses that are
    /// continued at a time, α of the length penalty, and the number of
    /// translations wanted.
    pub fn beam(&self, width: usize, alpha: f64, n_best: usize) -> Beam {
        let (bos, eos) = (self.tokenizer.bos(), self.tokenizer.eos());
        let patience = Self::PATIENCE;
        Beam { width, alpha, n_best, patience, bos, eos }
    }

    /// For each text the best translations that were found, best first, and
    /// no more than the beam wants. A text without words has one, which is
    /// empty and has the score 0.
    ///
    /// # Errors
    /// If a text has more than [`MAX_TOKENS`] tokens, or the weights are so
    /// large that the logits overflow.
    ///
    /// # Panics
    /// If the beam is narrower than what is wanted of it, or α is negative.
    pub fn n_best(
        &self,
        texts: &[impl AsRef<str>],
        beam: &Beam,
    ) -> Result<Vec<Vec<Translation>>, TranslationError> {
        let nothing = Translation { text: String::new(), score: 0.0 };
        let mut found = vec![vec![nothing]; texts.len()];
        let sources = self.sources(texts)?;
        let together = (HYPOTHESES_PER_BATCH / beam.width).max(1);
        let batches = sources.par_chunks(together);
        let each = batches.map(|batch| self.search(batch, beam));
        let each = each.collect::<Result<Vec<_>, NotFinite>>()?;
        for (source, best) in sources.iter().zip(each.concat()) {
            found[source.number] = best;
        }
        Ok(found)
    }

    /// The texts that have words, as tokens, the longest first: those of one
    /// length are translated in the same number of steps, and the last batches
    /// have the shortest texts, so that all threads end at about the same time.
    fn sources(
        &self,
        texts: &[impl AsRef<str>],
    ) -> Result<Vec<Source>, TooLong> {
        let mut sources = Vec::new();
        for (number, text) in texts.iter().map(AsRef::as_ref).enumerate() {
            if !text.trim().is_empty() {
                let tokens = self.tokenizer.encode_source(text);
                TooLong::check(number + 1, tokens.len() - 1)?;
                sources.push(Source { number, tokens });
            }
        }
        sources.sort_by_key(|source| Reverse(source.tokens.len()));
        Ok(sources)
    }

    /// The translations of one batch.
    fn search(
        &self,
        batch: &[Source],
        beam: &Beam,
    ) -> Result<Vec<Vec<Translation>>, NotFinite> {
        let sources: Vec<_> = batch.iter().map(|s| &s.tokens).collect();
        let found = self.model.search(&sources, beam)?.into_iter();
        let one = |Hypothesis { tokens, score, .. }| Translation {
            text: self.spell(&tokens),
            score,
        };
        Ok(found.map(|all| all.into_iter().map(one).collect()).collect())
    }

    /// What these tokens say, on one line.
    fn spell(&self, tokens: &[Token]) -> String {
        self.tokenizer.decode(tokens).replace(['\n', '\r'], " ")
    }

    /// For each text the best translation that was found; for a text without
    /// words, none.
    ///
    /// # Errors
    /// As [`n_best`](Self::n_best).
    ///
    /// # Panics
    /// As [`n_best`](Self::n_best).
    pub fn translate(
        &self,
        texts: &[impl AsRef<str>],
        beam: &Beam,
    ) -> Result<Vec<String>, TranslationError> {
        let found = self.n_best(texts, beam)?.into_iter();
        let best = found.map(|found| found.into_iter().next());
        let text = |best: Option<Translation>| {
            best.map_or_else(String::new, |best| best.text)
        };
        Ok(best.map(text).collect())
    }
}

/// The attention weights of every head of one layer.
pub type HeadWeights = Vec<Matrix<f32>>;

/// The attention weights of a whole model for one pair of sentences: for
/// each layer and each head a matrix with a row for each query.
#[derive(Clone, Debug)]
pub struct AttentionMaps {
    /// Of the m source tokens to each other: m × m.
    pub encoder: Vec<HeadWeights>,
    /// Of the n target tokens to themselves and those before: n × n.
    pub decoder: Vec<HeadWeights>,
    /// Of the target tokens to the source tokens: n × m.
    pub cross: Vec<HeadWeights>,
}

impl AttentionMaps {
    /// What the heads of `model` attend to, given the embedded rows of the
    /// source, m × d_model, those of the target, n × d_model, and the mask
    /// for the target, n × n.
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub fn new(
        model: &Transformer<Matrix<f32>>,
        mut x: Matrix<f32>,
        y: Matrix<f32>,
        past: &Mask,
    ) -> Self {
        let all = Mask::none(x.nrows(), x.nrows());
        let mut encoder = Vec::new();
        for layer in &model.encoder.layers {
            let EncoderLayer { attention, .. } = layer;
            encoder.push(attention.weights(&x, &x, &all));
            x = layer.forward(&x, &all);
        }
        let (decoder, cross) = decoder_maps(&model.decoder, &x, y, past);
        Self { encoder, decoder, cross }
    }
}

/// The maps of the decoder, when `memory` is the encoder's output.
fn decoder_maps(
    decoder: &Decoder<Matrix<f32>>,
    memory: &Matrix<f32>,
    mut y: Matrix<f32>,
    past: &Mask,
) -> (Vec<HeadWeights>, Vec<HeadWeights>) {
    let read = Mask::none(y.nrows(), memory.nrows());
    let (mut own, mut cross) = (Vec::new(), Vec::new());
    for layer in &decoder.layers {
        let DecoderLayer { self_attention, self_norm, .. } = layer;
        own.push(self_attention.weights(&y, &y, past));
        let written = self_attention.forward(&y, &y, past);
        let asking = self_norm.add_norm(&y, &written);
        cross.push(layer.cross_attention.weights(&asking, memory, &read));
        y = layer.forward(&y, memory, past, &read);
    }
    (own, cross)
}

impl Translator {
    /// What every head attends to while the model reads `source`, which ends
    /// with the end of sequence, and writes `target`, which starts with the
    /// begin of sequence.
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    pub fn attention_maps(
        &self,
        source: &[Token],
        target: &[Token],
    ) -> AttentionMaps {
        let [x, y] =
            [source, target].map(|side| self.model.embed(&[side]).rows);
        AttentionMaps::new(&self.model, x, y, &Mask::causal(target.len()))
    }
}
