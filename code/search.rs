//! Looking for the most probable sentence (§6.1).

use crate::attention::Mask;
use crate::costs::Shape;
use crate::heads::KeysValues;
use crate::layers::LayerOps;
use crate::loss::log_sum_exp;
use crate::position::sinusoidal;
use crate::tensor::{Float, Matrix, Tensor};
use crate::tokens::Token;
use crate::transformer::{Packed, Transformer};
use nalgebra::convert_unchecked;
use thiserror::Error;

/// lp(Y) = ((5 + |Y|) / 6)^α, where |Y| counts the end token too
/// (Wu et al., 2016).
pub fn length_penalty(length: usize, alpha: f64) -> f64 {
    ((5.0 + length as f64) / 6.0).powf(alpha)
}

/// Whoever can say how sentences may go on.
pub trait LanguageModel<F: Float> {
    /// One more token for each hypothesis: the i-th now is what hypothesis
    /// `parents[i]` was, and `tokens[i]`. At first the hypotheses are the
    /// sentences, with nothing said.
    ///
    /// Returns a score for every token to come next, up to a constant its
    /// log-probability. Each hypothesis has a column: V × n.
    fn next_logits(
        &mut self,
        parents: &[usize],
        tokens: &[Token],
    ) -> Matrix<F>;
}

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct Beam {
    /// How many hypotheses go on at a time.
    pub width: usize,
    /// α, how much a long sentence is helped.
    pub alpha: f64,
    /// How many sentences are wanted of those that were found.
    pub n_best: usize,
    /// The token that every sentence is fed first.
    pub bos: Token,
    /// The token that every sentence says last.
    pub eos: Token,
}

impl Beam {
    /// The most probable token, and no second thoughts.
    pub fn greedy(bos: Token, eos: Token) -> Self {
        Self { width: 1, alpha: 0.0, n_best: 1, bos, eos }
    }

    /// As the paper searches (§6.1).
    pub fn paper(bos: Token, eos: Token) -> Self {
        Self { width: 4, alpha: 0.6, ..Self::greedy(bos, eos) }
    }

    /// A width that holds something, and a penalty that falls with length.
    fn check(&self) {
        let Self { width, alpha, n_best, .. } = *self;
        assert!(
            (1..=width).contains(&n_best),
            "a beam of {width} does not end with {n_best} sentences"
        );
        assert!(alpha >= 0.0, "a length penalty needs an α of 0 or more");
    }
}

/// A sentence that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypothesis {
    /// What it says, without start and end.
    pub tokens: Vec<Token>,
    /// ln P(Y | X), the end included.
    pub log_probability: f64,
    /// ln P(Y | X) / lp(Y): the highest wins.
    pub score: f64,
}

/// A model's scores are infinite or not a number, as they are when its
/// weights are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the scores are not finite numbers: the weights are too large")]
pub struct NotFinite;

/// The beginning of a sentence.
struct Prefix {
    /// Which of the hypotheses before the last token it was.
    parent: usize,
    /// The start token, and what has been said.
    tokens: Vec<Token>,
    /// The sum so far.
    log_probability: f64,
}

impl Prefix {
    fn last(&self) -> Token {
        self.tokens[self.tokens.len() - 1]
    }
}

/// The search for one sentence.
struct Search<'a> {
    beam: &'a Beam,
    /// How many tokens may be said before the end.
    limit: usize,
    /// The hypotheses that go on, the most probable first.
    live: Vec<Prefix>,
    /// Those that have said their end, the highest score first.
    finished: Vec<Hypothesis>,
}

/// What one of the live hypotheses might say next.
struct Candidate {
    /// Its place among the live ones.
    prefix: usize,
    token: Token,
    /// With the new token.
    log_probability: f64,
}

impl<'a> Search<'a> {
    fn new(sentence: usize, limit: usize, beam: &'a Beam) -> Self {
        let live = vec![Prefix {
            parent: sentence,
            tokens: vec![beam.bos],
            log_probability: 0.0,
        }];
        Self { beam, limit, live, finished: Vec::new() }
    }

    /// All that might be said: every token, and at the limit only the end.
    /// Of the columns of `scores`, V × n, ours begin at `first`.
    fn candidates<F: Float>(
        &self,
        scores: &Matrix<F>,
        first: usize,
    ) -> Result<impl Iterator<Item = Candidate>, NotFinite> {
        let (eos, v) = (self.beam.eos, scores.nrows() as Token);
        assert!(eos < v, "end token {eos} is not in a vocabulary of {v}");
        let live = self.live.iter().enumerate();
        let total = |i| log_sum_exp(scores.column(first + i).as_slice());
        let totals: Vec<F> = (0..self.live.len()).map(total).collect();
        if totals.iter().any(|total| !total.is_finite()) {
            return Err(NotFinite);
        }
        Ok(live.zip(totals).flat_map(move |((prefix, so_far), total)| {
            let scores = scores.column(first + prefix);
            let at_limit = so_far.tokens.len() > self.limit;
            let tokens = if at_limit { eos..eos + 1 } else { 0..v };
            tokens.map(move |token| {
                let log: f64 =
                    convert_unchecked(scores[token as usize] - total);
                let log_probability = so_far.log_probability + log;
                Candidate { prefix, token, log_probability }
            })
        }))
    }
}

/// The `k` best, best first; of equals, those that come first. What has
/// probability 0 is no candidate.
fn best(
    k: usize,
    candidates: impl Iterator<Item = Candidate>,
) -> Vec<Candidate> {
    let mut best: Vec<Candidate> = Vec::with_capacity(k);
    candidates.for_each(|new| {
        let last = best.get(k - 1).map(|last| last.log_probability);
        if new.log_probability > last.unwrap_or(f64::NEG_INFINITY) {
            let ahead =
                |old: &Candidate| old.log_probability >= new.log_probability;
            let place = best.partition_point(ahead);
            best.truncate(k - 1);
            best.insert(place, new);
        }
    });
    best
}

impl Search<'_> {
    /// One token more. Who has said the end steps aside.
    fn step<F: Float>(
        &mut self,
        scores: &Matrix<F>,
        first: usize,
    ) -> Result<(), NotFinite> {
        let width = self.beam.width;
        let candidates = best(width, self.candidates(scores, first)?);
        let live = std::mem::take(&mut self.live);
        for new in candidates {
            let said = &live[new.prefix].tokens;
            if new.token == self.beam.eos {
                self.finish(said, new.log_probability);
            } else {
                self.live.push(Prefix {
                    parent: first + new.prefix,
                    tokens: [said, &[new.token][..]].concat(),
                    log_probability: new.log_probability,
                });
            }
        }
        self.prune();
        Ok(())
    }

    /// A sentence to its end: `tokens`, and the end token.
    fn finish(&mut self, tokens: &[Token], log_probability: f64) {
        // There is a start too many among them, and an end too few.
        let penalty = length_penalty(tokens.len(), self.beam.alpha);
        let score = log_probability / penalty;
        let tokens = tokens[1..].to_vec();
        let ahead = |other: &Hypothesis| other.score >= score;
        let place = self.finished.partition_point(ahead);
        let found = Hypothesis { tokens, log_probability, score };
        self.finished.insert(place, found);
    }

    /// Lets go of those that can no longer come among the wanted ones: a
    /// hypothesis gets no more probable, and no longer than the limit.
    fn prune(&mut self) {
        let Beam { alpha, n_best, .. } = *self.beam;
        if let Some(wanted) = self.finished.get(n_best - 1) {
            let longest = length_penalty(self.limit + 1, alpha);
            let may_win =
                |p: &Prefix| p.log_probability / longest > wanted.score;
            self.live.retain(may_win);
        }
    }
}

/// For each sentence, the best hypotheses that were found, best first; none
/// if it cannot end. `limits` says how many tokens each may have.
///
/// # Errors
/// If the model's scores are not finite.
///
/// # Panics
/// If the beam is narrower than what is wanted of it, or α is negative.
pub fn search<F: Float>(
    model: &mut impl LanguageModel<F>,
    limits: &[usize],
    beam: &Beam,
) -> Result<Vec<Vec<Hypothesis>>, NotFinite> {
    beam.check();
    let each = limits.iter().enumerate();
    let mut searches: Vec<Search> =
        each.map(|(i, &limit)| Search::new(i, limit, beam)).collect();
    loop {
        let live = searches.iter().flat_map(|search| &search.live);
        let (parents, tokens): (Vec<_>, Vec<_>) =
            live.map(|prefix| (prefix.parent, prefix.last())).unzip();
        if parents.is_empty() {
            break;
        }
        let scores = model.next_logits(&parents, &tokens);
        let mut first = 0;
        for search in &mut searches {
            let columns = search.live.len();
            search.step(&scores, first)?;
            first += columns;
        }
    }
    let found = searches.into_iter().map(|search| search.finished);
    let best = |all: Vec<_>| all.into_iter().take(beam.n_best).collect();
    Ok(found.map(best).collect())
}

/// A tensor made of blocks of rows, one for each hypothesis.
pub trait AppendRows: LayerOps {
    /// The blocks named, in the order named, each with its own of `rows`
    /// beneath it. All blocks are of `height` rows before.
    fn append_rows(
        &self,
        height: usize,
        blocks: &[usize],
        rows: &Self,
    ) -> Self;
}

impl<F: Float> AppendRows for Matrix<F> {
    fn append_rows(
        &self,
        height: usize,
        blocks: &[usize],
        rows: &Self,
    ) -> Self {
        let size = (blocks.len() * (height + 1), self.ncols());
        let mut cells = Vec::with_capacity(size.0 * size.1);
        for (old, new) in self.column_iter().zip(rows.column_iter()) {
            for (&block, &last) in blocks.iter().zip(new.as_slice()) {
                let start = block * height;
                let old = &old.as_slice()[start..start + height];
                cells.extend_from_slice(old);
                cells.push(last);
            }
        }
        Self::from_vec(size.0, size.1, cells)
    }
}

impl AppendRows for Shape {
    fn append_rows(&self, height: usize, blocks: &[usize], _: &Self) -> Self {
        let (_, width) = self.shape();
        self.written((blocks.len() * (height + 1), width))
    }
}

/// A decoder that computes no row twice, for several hypotheses at once.
#[derive(Debug)]
pub struct Cache<'a, T> {
    model: &'a Transformer<T>,
    /// In each layer, the keys and values of all sources.
    sources: Vec<KeysValues<T>>,
    /// Which of them each hypothesis may see.
    own_source: Mask,
    /// In each layer, the keys and values of what was fed: a block of rows
    /// for each hypothesis.
    pasts: Vec<KeysValues<T>>,
    /// How many tokens each hypothesis has been fed.
    fed: usize,
}

impl<'a, T: AppendRows> Cache<'a, T> {
    /// The sources have been read, and nothing has been said.
    pub fn new<S: AsRef<[Token]>>(
        model: &'a Transformer<T>,
        sources: &[S],
    ) -> Self {
        let Packed { rows: x, lengths } = model.encode(sources);
        let nothing = x.gather(&[]); // 0 × d_model
        let layers = || model.decoder.layers.iter();
        Self {
            model,
            sources: layers()
                .map(|layer| layer.cross_attention.keys_values(&x))
                .collect(),
            own_source: Mask::packed(&vec![1; lengths.len()], &lengths),
            pasts: layers()
                .map(|layer| layer.self_attention.keys_values(&nothing))
                .collect(),
            fed: 0,
        }
    }

    /// One token more for each of n hypotheses, as [`LanguageModel`] has it: V × n.
    pub fn feed(&mut self, parents: &[usize], tokens: &[Token]) -> T {
        let n = tokens.len();
        let own_past = Mask::packed(&vec![1; n], &vec![self.fed + 1; n]);
        self.own_source = self.own_source.gather(parents);
        let mut y = self.embed(tokens);
        for (i, layer) in self.model.decoder.layers.iter().enumerate() {
            let new = layer.self_attention.keys_values(&y);
            let past = &mut self.pasts[i];
            past.keys = past.keys.append_rows(self.fed, parents, &new.keys);
            past.values =
                past.values.append_rows(self.fed, parents, &new.values);
            let source = (&self.sources[i], &self.own_source);
            y = layer.attend(&y, (&*past, &own_past), source);
        }
        self.fed += 1;
        self.model.embedding.table.matmul_t(&y)
    }

    /// The tokens, all of them at the same position: n × d_model.
    fn embed(&self, tokens: &[Token]) -> T {
        let tokens = self.model.embedding.embed(tokens);
        let (_, d_model) = tokens.shape();
        let position = sinusoidal(&[self.fed], d_model);
        tokens.add_row(&tokens.constant(&position))
    }
}

impl<F: Float> LanguageModel<F> for Cache<'_, Matrix<F>> {
    fn next_logits(
        &mut self,
        parents: &[usize],
        tokens: &[Token],
    ) -> Matrix<F> {
        self.feed(parents, tokens)
    }
}

impl<F: Float> Transformer<Matrix<F>> {
    /// For each source, the best sentences that were found, best first; none
    /// is longer than its source by more than 50 tokens (§6.1).
    ///
    /// # Errors
    /// If the scores are not finite, since the weights are too large.
    ///
    /// # Panics
    /// If the beam is narrower than what is wanted of it, or α is negative.
    pub fn search<S: AsRef<[Token]>>(
        &self,
        sources: &[S],
        beam: &Beam,
    ) -> Result<Vec<Vec<Hypothesis>>, NotFinite> {
        let limit = |source: &S| source.as_ref().len() + 50;
        let limits: Vec<usize> = sources.iter().map(limit).collect();
        search(&mut Cache::new(self, sources), &limits, beam)
    }
}
