//! What a search asked the model, and what the model said.

use crate::request::Search;
use crate::variant::{Uncached, Variant};
use all_you_need::loss::log_sum_exp;
use all_you_need::search::{
    Beam, Cache, LanguageModel, Sampling, sample, search,
};
use all_you_need::training::{Stream, generator};
use all_you_need::transformer::longest_target;
use all_you_need::{Matrix, Token, Translator};

/// One step of a search.
#[derive(Debug)]
pub struct Step {
    /// The tokens of each live hypothesis, which start with the begin of
    /// sequence.
    pub live: Vec<Vec<Token>>,
    /// Which hypothesis of the step before each of them continues.
    pub parents: Vec<usize>,
    /// The log-probability of each.
    pub log_probabilities: Vec<f64>,
    /// The logits of the token after each: V × live.
    pub logits: Matrix<f32>,
}

impl Step {
    /// The logits of all tokens after a live hypothesis.
    pub fn logits(&self, hypothesis: usize) -> &[f32] {
        let v = self.logits.nrows();
        &self.logits.as_slice()[hypothesis * v..][..v]
    }

    /// The log-probability of a live hypothesis with one more token.
    pub fn extended(&self, hypothesis: usize, token: Token) -> f64 {
        let logits = self.logits(hypothesis);
        let log = logits[token as usize] - log_sum_exp(logits);
        self.log_probabilities[hypothesis] + f64::from(log)
    }

    /// The most probable tokens after a live hypothesis, best first.
    pub fn likely(&self, hypothesis: usize, count: usize) -> Vec<Token> {
        let logits = self.logits(hypothesis);
        let mut order: Vec<usize> = (0..logits.len()).collect();
        let better = |a: &usize, b: &usize| logits[*b].total_cmp(&logits[*a]);
        order.select_nth_unstable_by(count - 1, better);
        order.truncate(count);
        order.sort_by(better);
        order.into_iter().map(|token| token as Token).collect()
    }
}

/// A language model that keeps a record of what it is asked.
struct Recorder<M> {
    model: M,
    steps: Vec<Step>,
}

impl<M: LanguageModel<f32>> LanguageModel<f32> for Recorder<M> {
    fn next_logits(
        &mut self,
        parents: &[usize],
        tokens: &[Token],
    ) -> Matrix<f32> {
        let logits = self.model.next_logits(parents, tokens);
        let before = self.steps.last();
        let pairs = || parents.iter().zip(tokens);
        let live = pairs().map(|(&parent, &token)| {
            let start = before.map_or(&[][..], |step| &step.live[parent]);
            [start, &[token]].concat()
        });
        let log_probabilities = pairs().map(|(&parent, &token)| {
            before.map_or(0.0, |step| step.extended(parent, token))
        });
        let step = Step {
            live: live.collect(),
            parents: parents.to_vec(),
            log_probabilities: log_probabilities.collect(),
            logits: logits.clone(),
        };
        self.steps.push(step);
        logits
    }
}

/// How a translation is looked for, as the library says it.
#[derive(Debug)]
pub enum Method {
    /// Beam search; of width 1 it is greedy.
    Beam(Beam),
    /// Sampling, with the seed of its random numbers.
    Sampling(Sampling, u64),
}

impl Method {
    /// What a request asks for.
    pub fn new(search: &Search, translator: &Translator) -> Self {
        let tokenizer = &translator.tokenizer;
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let alpha = Translator::CAPTIONS_ALPHA;
        match *search {
            Search::Greedy => Self::Beam(Beam::greedy(bos, eos)),
            Search::Beam { width } => {
                Self::Beam(translator.beam(width, alpha, 1))
            }
            Search::Sample { temperature, top_k, top_p, seed } => {
                let sampling =
                    Sampling { temperature, top_k, top_p, bos, eos };
                Self::Sampling(sampling, seed)
            }
        }
    }
}

/// A search that is over.
#[derive(Debug)]
pub struct Record {
    /// Its steps.
    pub steps: Vec<Step>,
    /// The tokens of the translation, without begin and end of sequence.
    pub found: Vec<Token>,
    /// The most tokens that it could have had.
    pub limit: usize,
}

impl Record {
    /// Looks for the translation of a source.
    ///
    /// # Errors
    /// If there is none.
    pub fn new(
        variant: &Variant,
        source: &[Token],
        method: &Method,
    ) -> Result<Self, String> {
        let limit = longest_target(source);
        if variant.can_be_cached() {
            let model = Cache::new(&variant.model, &[source]);
            Self::run(model, limit, method)
        } else {
            Self::run(Uncached::new(variant, source), limit, method)
        }
    }

    fn run(
        model: impl LanguageModel<f32>,
        limit: usize,
        method: &Method,
    ) -> Result<Self, String> {
        let mut recorder = Recorder { model, steps: Vec::new() };
        let found = match method {
            Method::Beam(beam) => search(&mut recorder, &[limit], beam)
                .map(|found| found[0].first().map(|h| h.tokens.clone())),
            Method::Sampling(sampling, seed) => {
                let mut rng = generator(*seed, Stream::Data);
                sample(&mut recorder, limit, sampling, &mut rng).map(Some)
            }
        };
        let found = found
            .map_err(|error| format!("There is no translation: {error}."))?
            .ok_or("There is no translation: all have probability 0.")?;
        Ok(Self { steps: recorder.steps, found, limit })
    }

    /// Whether end of sequence was written, and not only the limit reached.
    pub fn is_complete(&self) -> bool {
        self.steps.len() > self.found.len()
    }

    /// The steps that made the translation, each with the number of the live
    /// hypothesis that became it.
    pub fn path(&self) -> Vec<(&Step, usize)> {
        let steps = self.steps.iter().take(self.found.len() + 1);
        let became = |(t, step): (usize, &'_ Step)| {
            let is_start =
                |tokens: &Vec<Token>| tokens[1..] == self.found[..t];
            step.live.iter().position(is_start).expect("it was alive")
        };
        let became = steps.clone().enumerate().map(became);
        steps.zip(became).collect()
    }
}
