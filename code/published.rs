//! Published models: folders in the layout of GPT-2 or Llama, which we can
//! run.
//!
//! ```
//! use all_you_need::published::Published;
//! use std::path::Path;
//!
//! let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/reference");
//! let folder = Path::new(fixtures).join("published/gpt2");
//! let published = Published::open(&folder)?;
//! let tokens = published.prompt("the work").expect("a few tokens");
//! let mut reading = published.model.read();
//! let rows = reading.feed(&tokens); // all of them in one pass
//! let scores = published.model.scores(&rows);
//! assert_eq!(scores.shape(), (tokens.len(), 400));
//! # Ok::<(), all_you_need::checkpoint::Error>(())
//! ```

mod bytes;
mod config;
mod layers;
mod names;
mod weights;

pub use bytes::ByteLevel;
pub use config::{Config, Gpt2, Llama};
pub use layers::{Gelu, GroupedHeads, Project, RmsNorm, Rotary, SwiGlu};
pub use layers::{by_group, gelu, silu};

use crate::attention::Mask;
use crate::checkpoint::Error;
use crate::heads::{Heads, KeysValues};
use crate::layers::{Layer, Rowwise};
use crate::search::{CacheOps, LanguageModel, Sampling, sample};
use crate::tensor::{Matrix, Tensor};
use crate::tokens::Token;
use crate::transformer::NotFinite;
use rand::Rng;
use std::fmt::Debug;
use std::iter;
use std::path::Path;
use weights::Weights;

/// A norm or a network, as the folder wants it.
trait Part: Layer<Matrix<f32>> + Debug + Send + Sync {}

impl<L: Layer<Matrix<f32>> + Debug + Send + Sync> Part for L {}

/// Heads, with their biases if they have any: those of queries, keys, values
/// and output, each of them one row.
#[derive(Debug)]
struct Attention {
    heads: GroupedHeads<Matrix<f32>>,
    biases: Option<[Matrix<f32>; 4]>,
}

impl Attention {
    /// x W, with the bias of this number.
    fn project(
        &self,
        x: &Matrix<f32>,
        weight: &Matrix<f32>,
        bias: usize,
    ) -> Matrix<f32> {
        let y = x.project(weight);
        match &self.biases {
            Some(biases) => y.add_row(&biases[bias]),
            None => y,
        }
    }

    /// The rows of x read the past and each other, and become a part of the
    /// past.
    fn forward(
        &self,
        x: &Matrix<f32>,
        past: &mut KeysValues<Matrix<f32>>,
    ) -> Matrix<f32> {
        let GroupedHeads { heads, groups, w_q, w_k, w_v, w_o, .. } =
            &self.heads;
        let (n, read) = (x.nrows(), past.keys.ncols());
        let places: Vec<usize> = (read..read + n).collect();
        let q = self.heads.turn(&self.project(x, w_q, 0), &places);
        let k = self.heads.turn(&self.project(x, w_k, 1), &places);
        past.keys.append_columns(&k.transpose());
        past.values.append_columns(&self.project(x, w_v, 2).transpose());
        let found =
            by_group(&q, [*heads, *groups], |q| past_of(q, past, *groups));
        self.project(&found, w_o, 3)
    }
}

/// What the queries of the last places find among all keys up to their own.
fn past_of(
    q: &Matrix<f32>,
    past: &KeysValues<Matrix<f32>>,
    heads: usize,
) -> Matrix<f32> {
    let KeysValues { keys, values } = past;
    let (n, all) = (q.nrows(), keys.ncols());
    if n == 1 {
        let columns = [(0..all).collect()];
        return Matrix::attend_columns(q, keys, values, heads, &columns);
    }
    let visible = (all - n..all).map(|own| 0..own + 1);
    let mask = Mask::new(visible.collect(), all);
    let [k, v] = [keys, values].map(Tensor::transpose);
    Matrix::attend_heads(q, &k, &v, heads, &mask)
}

/// A layer of today: each sublayer reads rows that have been normed, and adds
/// to rows that have not.
#[derive(Debug)]
struct Block {
    attention_norm: Box<dyn Part>,
    attention: Attention,
    network_norm: Box<dyn Part>,
    network: Box<dyn Part>,
}

impl Block {
    fn forward(
        &self,
        x: &Matrix<f32>,
        past: &mut KeysValues<Matrix<f32>>,
    ) -> Matrix<f32> {
        let x =
            x + self.attention.forward(&self.attention_norm.forward(x), past);
        &x + self.network.forward(&self.network_norm.forward(&x))
    }
}

/// A published model, ready to be used.
#[derive(Debug)]
pub struct Model {
    /// A column for each token: d_model × V.
    tokens: Matrix<f32>,
    /// A row for each place, if the model has learned such rows.
    places: Option<Matrix<f32>>,
    layers: Vec<Block>,
    norm: Box<dyn Part>,
    /// The matrix of the scores, d_model × V, if it is not that of the tokens.
    head: Option<Matrix<f32>>,
    /// The most tokens that the model reads.
    context: usize,
}

impl Model {
    /// The number of tokens that it knows: V.
    pub fn vocabulary(&self) -> usize {
        self.tokens.ncols()
    }

    /// The most tokens that it reads, those that it has written included.
    pub fn context(&self) -> usize {
        self.context
    }

    /// How many numbers the cache keeps for each token.
    pub fn numbers_kept(&self) -> usize {
        let heads = self.layers.iter().map(|layer| &layer.attention.heads);
        heads.map(|heads| 2 * heads.w_k.ncols()).sum()
    }

    /// Begins to read a text.
    pub fn read(&self) -> Reading<'_> {
        let past = |layer: &Block| {
            let width = layer.attention.heads.w_k.ncols();
            let [keys, values] = [(); 2].map(|()| Matrix::zeros(width, 0));
            KeysValues { keys, values }
        };
        Reading { model: self, pasts: self.layers.iter().map(past).collect() }
    }

    /// The logits of the tokens that may come after each of these rows, of
    /// which [`Reading::feed`] made one for each token: n × V.
    ///
    /// # Panics
    /// If the rows are not as wide as the model.
    pub fn scores(&self, rows: &Matrix<f32>) -> Matrix<f32> {
        let table = self.head.as_ref().unwrap_or(&self.tokens);
        self.norm.forward(rows).project(table)
    }
}

/// A model that reads a text, and keeps the keys and values of what it has
/// read.
#[derive(Debug)]
pub struct Reading<'a> {
    model: &'a Model,
    /// For each layer, the keys and values, transposed: g·d_k × tokens.
    pasts: Vec<KeysValues<Matrix<f32>>>,
}

impl Reading<'_> {
    /// How many tokens have been read.
    pub fn length(&self) -> usize {
        self.pasts.first().map_or(0, |past| past.keys.ncols())
    }

    /// Reads the next tokens in one pass. Returns a row for each of them:
    /// n × d_model.
    ///
    /// # Panics
    /// If a token is not in the vocabulary, or the text gets longer than the
    /// model's context.
    pub fn feed(&mut self, tokens: &[Token]) -> Matrix<f32> {
        let (model, read) = (self.model, self.length());
        let (length, most) = (read + tokens.len(), model.context);
        assert!(length <= most, "{length} tokens, where {most} are the most");
        let known = model.vocabulary();
        let columns = tokens.iter().map(|&token| token as usize);
        let columns: Vec<usize> = columns
            .inspect(|&t| assert!(t < known, "no token {t} among {known}"))
            .collect();
        let mut x = Tensor::transpose(&model.tokens.select_columns(&columns));
        if let Some(places) = &model.places {
            x += places.rows(read, tokens.len());
        }
        for (layer, past) in model.layers.iter().zip(&mut self.pasts) {
            x = layer.forward(&x, past);
        }
        x
    }
}

impl LanguageModel<f32> for Reading<'_> {
    fn next_logits(
        &mut self,
        parents: &[usize],
        tokens: &[Token],
    ) -> Matrix<f32> {
        assert!(*parents == [0], "one text, which only goes on");
        let row = self.feed(tokens);
        Tensor::transpose(&self.model.scores(&row))
    }
}

/// A published model and its tokenizer: all that a folder holds.
#[derive(Debug)]
pub struct Published {
    /// What `config.json` says.
    pub config: Config,
    /// The model.
    pub model: Model,
    /// What its tokens mean.
    pub tokenizer: ByteLevel,
}

impl Published {
    /// Reads a folder: `config.json`, the tensors, and the tokenizer.
    ///
    /// # Errors
    /// If a file is missing or damaged, if a tensor is missing, of another
    /// shape, or one too many, or if the model is of a kind that we do not
    /// know. The error names the file, and the tensor or the setting.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let config = Config::open(&dir.join("config.json"))?;
        let tokenizer = ByteLevel::open(dir)?;
        let fits = tokenizer.check(config.vocabulary());
        fits.map_err(Error::invalid(dir))?;
        let mut weights = Weights::open(dir)?;
        let model = names::model(&config, &mut weights)?;
        weights.finish()?;
        Ok(Self { config, model, tokenizer })
    }

    /// The tokens with which the model begins to write after this text: at
    /// least one, and at most as many as the model reads.
    ///
    /// # Errors
    /// If the text is too long, or is empty and the model has no token with
    /// which every text begins.
    pub fn prompt(&self, text: &str) -> Result<Vec<Token>, String> {
        let first = self.tokenizer.beginning.clone();
        let mut tokens = [first, self.tokenizer.encode(text)].concat();
        if tokens.is_empty() {
            tokens.extend(self.config.bos());
        }
        match (tokens.len(), self.model.context) {
            (0, _) => Err("the model needs a beginning".to_owned()),
            (n, most) if n > most => Err(format!(
                "the text has {n} tokens; at most {most} are possible"
            )),
            _ => Ok(tokens),
        }
    }

    /// The tokens that come after these, drawn one after the other, until one
    /// is drawn that ends the text, or the model can read no more. The
    /// sampling's `bos` and `eos` are not used.
    ///
    /// # Panics
    /// As [`Sampling::probabilities`] and [`Reading::feed`], or if there are
    /// no tokens.
    pub fn tokens<'a, R: Rng>(
        &'a self,
        prompt: &[Token],
        sampling: &Sampling,
        rng: &'a mut R,
    ) -> impl Iterator<Item = Result<Token, NotFinite>> + use<'a, R> {
        let (&last, before) = prompt.split_last().expect("a beginning");
        let (mut reading, ends) = (self.model.read(), self.config.ends());
        let _ = reading.feed(before);
        let mut sampling =
            Sampling { bos: last, eos: Token::MAX, ..sampling.clone() };
        iter::from_fn(move || {
            if reading.length() == self.model.context {
                return None;
            }
            match sample(&mut reading, 1, &sampling, rng) {
                Ok(drawn) => {
                    sampling.bos = *drawn.first()?;
                    let ended = ends.contains(&sampling.bos);
                    (!ended).then_some(Ok(sampling.bos))
                }
                Err(error) => Some(Err(error)),
            }
        })
    }
}
