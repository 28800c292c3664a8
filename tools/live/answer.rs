//! What a page gets: every number on the way to a translation.

use crate::record::{Method, Record, Step};
use crate::tree::Tree;
use crate::variant::Variant;
use all_you_need::loss::log_sum_exp;
use all_you_need::translation::{AttentionMaps, HeadWeights};
use all_you_need::{Matrix, Token, Tokenizer};
use serde::Serialize;

/// How many of the tokens that may come next are named.
const NAMED: usize = 10;

/// One translation.
#[derive(Debug, Serialize)]
pub struct Answer {
    text: String,
    translation: String,
    /// Whether the translation has an end, and not only a limit.
    complete: bool,
    source: Side,
    target: Side,
    /// One for each token of the target: what comes after it.
    steps: Vec<Next>,
    maps: Maps,
    /// Of a beam search.
    tree: Option<Tree>,
}

/// The tokens that one half of the model reads, and the rows they become.
#[derive(Debug, Serialize)]
struct Side {
    tokens: Vec<Spelled>,
    embedding: Vec<Row>,
    position: Vec<Row>,
    sum: Vec<Row>,
}

type Row = Vec<f32>;

/// A token, and how it looks.
#[derive(Debug, Serialize)]
pub struct Spelled {
    pub id: Token,
    label: String,
}

/// What may come next, and what came.
#[derive(Debug, Serialize)]
struct Next {
    next: Spelled,
    /// The most probable first.
    likely: Vec<Likely>,
}

/// A token that may come next.
#[derive(Debug, Serialize)]
struct Likely {
    #[serde(flatten)]
    token: Spelled,
    logit: f32,
    probability: f32,
    /// When sampling, with which probability the token is drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawn: Option<f64>,
}

/// For each layer and each head a matrix, row by row: rows are queries.
#[derive(Debug, Serialize)]
struct Maps {
    encoder: Vec<Vec<Vec<Row>>>,
    decoder: Vec<Vec<Vec<Row>>>,
    cross: Vec<Vec<Vec<Row>>>,
}

impl Answer {
    /// All there is to say about the translation of a text, whose tokens are
    /// `source`.
    ///
    /// # Errors
    /// If no translation is found.
    pub fn new(
        text: String,
        source: &[Token],
        variant: &Variant,
        method: &Method,
        tokenizer: &Tokenizer,
    ) -> Result<Self, String> {
        let record = Record::new(variant, source, method)?;
        let path = record.path();
        // The tokens after each of which something comes next.
        let (last, i) = path[path.len() - 1];
        let target = &last.live[i];
        Ok(Self {
            text,
            translation: tokenizer.decode(&record.found),
            complete: record.is_complete(),
            source: Side::new(source, variant, tokenizer),
            target: Side::new(target, variant, tokenizer),
            steps: steps(&record, &path, method, tokenizer),
            maps: Maps::new(variant, source, target),
            tree: match method {
                Method::Beam(beam) if beam.width > 1 || beam.alpha > 0.0 => {
                    Some(Tree::new(&record, beam, tokenizer))
                }
                _ => None,
            },
        })
    }
}

impl Side {
    fn new(tokens: &[Token], variant: &Variant, all: &Tokenizer) -> Self {
        let of = variant.rows(tokens);
        Self {
            tokens: tokens.iter().map(|&id| spelled(id, all)).collect(),
            embedding: rows(&of.embedding),
            position: rows(&of.position),
            sum: rows(&of.sum),
        }
    }
}

impl Maps {
    fn new(variant: &Variant, source: &[Token], target: &[Token]) -> Self {
        let [x, y] = [source, target].map(|side| variant.rows(side).sum);
        let past = variant.past(target.len());
        let maps = AttentionMaps::new(&variant.model, x, y, &past);
        let numbers = |layers: &[HeadWeights]| {
            let layers = layers.iter();
            layers.map(|heads| heads.iter().map(rows).collect()).collect()
        };
        Self {
            encoder: numbers(&maps.encoder),
            decoder: numbers(&maps.decoder),
            cross: numbers(&maps.cross),
        }
    }
}

fn rows(matrix: &Matrix<f32>) -> Vec<Row> {
    let rows = matrix.row_iter();
    rows.map(|row| row.iter().copied().collect()).collect()
}

/// A token as the figures of the book write it: `·` is a space.
pub fn spelled(id: Token, tokenizer: &Tokenizer) -> Spelled {
    Spelled { id, label: tokenizer.label(id) }
}

/// What came after each token of the target.
fn steps(
    record: &Record,
    path: &[(&Step, usize)],
    method: &Method,
    tokenizer: &Tokenizer,
) -> Vec<Next> {
    let end = [tokenizer.eos()];
    let came = record.found.iter().chain(&end);
    let steps = path.iter().zip(came);
    steps
        .map(|(&(step, i), &next)| Next {
            next: spelled(next, tokenizer),
            likely: likely(step, i, method, tokenizer),
        })
        .collect()
}

/// The tokens that are the most probable after a live hypothesis.
fn likely(
    step: &Step,
    hypothesis: usize,
    method: &Method,
    tokenizer: &Tokenizer,
) -> Vec<Likely> {
    let logits = step.logits(hypothesis);
    let total = log_sum_exp(logits);
    let drawn = match method {
        Method::Sampling(sampling, _) => {
            let drawn = sampling.probabilities(logits);
            Some(drawn.expect("a token was drawn with these logits"))
        }
        Method::Beam(_) => None,
    };
    let named = step.likely(hypothesis, NAMED).into_iter();
    named
        .map(|id| {
            let logit = logits[id as usize];
            Likely {
                token: spelled(id, tokenizer),
                logit,
                probability: (logit - total).exp(),
                drawn: drawn.as_ref().map(|drawn| drawn[id as usize]),
            }
        })
        .collect()
}
