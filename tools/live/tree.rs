//! A beam search as a tree: which continuations were considered.

use crate::answer::{Spelled, spelled};
use crate::record::{Record, Step};
use all_you_need::search::{Beam, length_penalty};
use all_you_need::{Token, Tokenizer};
use serde::Serialize;

/// The tree of a beam search.
#[derive(Debug, Serialize)]
pub struct Tree {
    width: usize,
    alpha: f64,
    /// What was considered at each step, the most probable first.
    steps: Vec<Vec<Candidate>>,
}

/// A live hypothesis with one more token.
#[derive(Debug, Serialize)]
struct Candidate {
    /// The hypothesis, among the live ones of the step.
    parent: usize,
    #[serde(flatten)]
    token: Spelled,
    /// That of all tokens so far.
    log_probability: f64,
    fate: Fate,
    /// Which of the live hypotheses of the next step it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<usize>,
    /// If it is finished, the log-probability by the length penalty.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Whether the translation begins so.
    best: bool,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Fate {
    /// It goes on.
    Kept,
    /// It is complete.
    Finished,
    /// Others were better.
    Left,
}

impl Tree {
    /// The tree of this search.
    pub fn new(record: &Record, beam: &Beam, tokenizer: &Tokenizer) -> Self {
        let steps = 0..record.steps.len();
        let steps = steps.map(|t| candidates(record, t, beam, tokenizer));
        let Beam { width, alpha, .. } = *beam;
        Self { width, alpha, steps: steps.collect() }
    }
}

/// The best continuations of every live hypothesis.
fn candidates(
    record: &Record,
    t: usize,
    beam: &Beam,
    tokenizer: &Tokenizer,
) -> Vec<Candidate> {
    let step = &record.steps[t];
    let mut all = Vec::new();
    for parent in 0..step.live.len() {
        // At the limit a hypothesis can only end.
        let tokens = match t == record.limit {
            true => vec![beam.eos],
            false => step.likely(parent, beam.width),
        };
        all.extend(tokens.into_iter().map(|token| Candidate {
            parent,
            token: spelled(token, tokenizer),
            log_probability: step.extended(parent, token),
            fate: Fate::Left,
            live: None,
            score: None,
            best: is_best(record, t, &step.live[parent], token, beam.eos),
        }));
    }
    all.sort_by(|a, b| b.log_probability.total_cmp(&a.log_probability));
    for (rank, candidate) in all.iter_mut().enumerate() {
        let next = record.steps.get(t + 1);
        candidate.decide(rank, step, next, beam);
    }
    all
}

/// Whether the translation begins with these tokens and then has this one.
fn is_best(
    record: &Record,
    t: usize,
    live: &[Token],
    token: Token,
    eos: Token,
) -> bool {
    let next = match record.found.get(t) {
        Some(&next) => next,
        None => eos,
    };
    record.found.get(..t) == Some(&live[1..]) && next == token
}

impl Candidate {
    /// Says what became of the candidate: it is alive in the next step, or
    /// complete and among the best.
    fn decide(
        &mut self,
        rank: usize,
        step: &Step,
        next: Option<&Step>,
        beam: &Beam,
    ) {
        let is_this = |(parent, live): (&usize, &Vec<Token>)| {
            *parent == self.parent && live.last() == Some(&self.token.id)
        };
        self.live = next.and_then(|next| {
            next.parents.iter().zip(&next.live).position(is_this)
        });
        if self.live.is_some() {
            self.fate = Fate::Kept;
        } else if self.token.id == beam.eos && rank < beam.width {
            let length = step.live[self.parent].len();
            let penalty = length_penalty(length, beam.alpha);
            self.score = Some(self.log_probability / penalty);
            self.fate = Fate::Finished;
        }
    }
}
