//! Looking for the most probable sentence (§6.1).

use crate::attention::Mask;
use crate::decoder::DecoderLayer;
use crate::heads::Memory;
use crate::layers::Network;
use crate::position::sinusoidal;
use crate::tensor::{Float, Matrix, Shape, Tensor};
use crate::transformer::Transformer;
use nalgebra::try_convert;

/// ln Σ exp(score): taken off each score, it makes a log-probability of it.
///
/// # Panics
/// If there is no score above −∞, or one that is not a number.
pub fn log_sum_exp<F: Float>(scores: &[F]) -> F {
    let highest = scores.iter().copied().reduce(F::max);
    let highest = highest.expect("a vocabulary has at least one token");
    let powers = scores.iter().map(|&score| (score - highest).exp());
    let log = highest + powers.fold(F::zero(), F::add).ln();
    assert!(log.is_finite(), "scores must be numbers, and not all −∞");
    log
}

/// lp(Y) = ((5 + |Y|) / 6)^α, where |Y| counts the end token too
/// (Wu et al., 2016).
pub fn length_penalty(length: usize, alpha: f64) -> f64 {
    ((5.0 + length as f64) / 6.0).powf(alpha)
}

/// Whoever can say how sentences may go on.
pub trait Next<F: Float> {
    /// One more token for each hypothesis: the i-th now is what hypothesis
    /// `parents[i]` was, and `tokens[i]`. At first the hypotheses are the
    /// sentences, with nothing said.
    ///
    /// Returns a score for every token to come next, up to a constant its
    /// log-probability. Each hypothesis has a column: V × n.
    fn next(&mut self, parents: &[usize], tokens: &[usize]) -> Matrix<F>;
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
    pub start: usize,
    /// The token that every sentence says last.
    pub end: usize,
}

impl Beam {
    /// The most probable token, and no second thoughts.
    pub fn greedy(start: usize, end: usize) -> Self {
        Self { width: 1, alpha: 0.0, n_best: 1, start, end }
    }

    /// As the paper searches (§6.1).
    pub fn paper(start: usize, end: usize) -> Self {
        Self { width: 4, alpha: 0.6, ..Self::greedy(start, end) }
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
    pub tokens: Vec<usize>,
    /// ln P(Y | X), the end included.
    pub log_probability: f64,
    /// ln P(Y | X) / lp(Y): the highest wins.
    pub score: f64,
}

/// The beginning of a sentence.
#[derive(Clone)]
struct Prefix {
    /// Which of the hypotheses before the last token it was.
    parent: usize,
    /// The start token, and what has been said.
    tokens: Vec<usize>,
    log_probability: f64,
}

/// A prefix of the beam, and what it might say next.
struct Candidate {
    prefix: usize,
    token: usize,
    log_probability: f64,
}

/// The `k` best, best first; of equals, those that come first. What has the
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

impl<'a> Search<'a> {
    fn new(sentence: usize, limit: usize, beam: &'a Beam) -> Self {
        let live = vec![Prefix {
            parent: sentence,
            tokens: vec![beam.start],
            log_probability: 0.0,
        }];
        Self { beam, limit, live, finished: Vec::new() }
    }

    /// One token more. `scores` has a column for every live hypothesis of
    /// the batch, and ours begin at `first`.
    fn step<F: Float>(&mut self, scores: &Matrix<F>, first: usize) {
        // Each can end in one way only, so enough are left that go on.
        let candidates = best(2 * self.beam.width, self.next(scores, first));
        let live = std::mem::take(&mut self.live);
        for (rank, new) in candidates.into_iter().enumerate() {
            let prefix = &live[new.prefix];
            if new.token != self.beam.end {
                self.live.push(Prefix {
                    parent: first + new.prefix,
                    tokens: [&prefix.tokens[..], &[new.token]].concat(),
                    log_probability: new.log_probability,
                });
            } else if rank < self.beam.width {
                self.finish(&prefix.tokens, new.log_probability);
            }
        }
        self.live.truncate(self.beam.width);
        if self.is_decided() {
            self.live.clear();
        }
    }

    /// All that the live hypotheses could say: at the limit, only the end.
    fn next<F: Float>(
        &self,
        scores: &Matrix<F>,
        first: usize,
    ) -> impl Iterator<Item = Candidate> {
        let end = self.beam.end;
        let live = self.live.iter().enumerate();
        live.flat_map(move |(prefix, so_far)| {
            let scores = scores.column(first + prefix);
            let total = log_sum_exp(scores.as_slice());
            let at_limit = so_far.tokens.len() > self.limit;
            let tokens =
                if at_limit { end..end + 1 } else { 0..scores.len() };
            tokens.map(move |token| {
                let log: Option<f64> = try_convert(scores[token] - total);
                let log = log.expect("an f32 or f64");
                let log_probability = so_far.log_probability + log;
                Candidate { prefix, token, log_probability }
            })
        })
    }

    /// A hypothesis has said its end.
    fn finish(&mut self, tokens: &[usize], log_probability: f64) {
        // Counting the start is as good as counting the end.
        let penalty = length_penalty(tokens.len(), self.beam.alpha);
        let score = log_probability / penalty;
        let ahead = |other: &Hypothesis| other.score >= score;
        let place = self.finished.partition_point(ahead);
        let tokens = tokens[1..].to_vec();
        let found = Hypothesis { tokens, log_probability, score };
        self.finished.insert(place, found);
    }

    /// Whether as many have finished as the beam is wide, or those that are
    /// wanted are out of reach for all that are live.
    fn is_decided(&self) -> bool {
        let Beam { width, alpha, n_best, .. } = *self.beam;
        let last_wanted = self.finished.get(n_best - 1);
        self.finished.len() >= width
            || last_wanted.is_some_and(|wanted| {
                // Whatever it says, it becomes no more probable than it is,
                // and no longer than the limit and the end.
                let longest = length_penalty(self.limit + 1, alpha);
                self.live.iter().all(|prefix| {
                    prefix.log_probability / longest <= wanted.score
                })
            })
    }
}

/// For each sentence, the best hypotheses that were found, best first.
/// `limits` says how many tokens each may have.
///
/// # Panics
/// If the beam is narrower than what is wanted of it, or α is negative.
pub fn search<F: Float>(
    model: &mut impl Next<F>,
    limits: &[usize],
    beam: &Beam,
) -> Vec<Vec<Hypothesis>> {
    beam.check();
    let each = limits.iter().enumerate();
    let mut searches: Vec<Search> =
        each.map(|(i, &limit)| Search::new(i, limit, beam)).collect();
    loop {
        let live = searches.iter().flat_map(|search| &search.live);
        let (parents, tokens): (Vec<_>, Vec<_>) = live
            .map(|prefix| {
                (prefix.parent, prefix.tokens[prefix.tokens.len() - 1])
            })
            .unzip();
        if parents.is_empty() {
            break;
        }
        let scores = model.next(&parents, &tokens);
        assert!(
            beam.end < scores.nrows(),
            "end token {} is not in a vocabulary of {}",
            beam.end,
            scores.nrows()
        );
        let mut first = 0;
        for search in &mut searches {
            let columns = search.live.len();
            search.step(&scores, first);
            first += columns;
        }
    }
    let found = searches.into_iter().map(|mut search| {
        search.finished.truncate(beam.n_best);
        search.finished
    });
    found.collect()
}

/// A tensor made of blocks of rows, one for each hypothesis.
pub trait Grow: Network {
    /// The blocks named, in the order named, each with its own of `rows`
    /// beneath it. All blocks are of `height` rows before.
    fn grow(&self, height: usize, blocks: &[usize], rows: &Self) -> Self;
}

impl<F: Float> Grow for Matrix<F> {
    fn grow(&self, height: usize, blocks: &[usize], rows: &Self) -> Self {
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

impl Grow for Shape {
    fn grow(&self, height: usize, blocks: &[usize], _: &Self) -> Self {
        let (_, width) = self.shape();
        self.result((blocks.len() * (height + 1), width), Default::default())
    }
}

impl<T: Network> DecoderLayer<T> {
    /// As [`forward`](Self::forward), from keys and values that are there.
    fn ask(
        &self,
        y: &T,
        past: (&Memory<T>, &Mask),
        source: (&Memory<T>, &Mask),
    ) -> T {
        let said = self.self_attention.ask(y, past.0, past.1);
        let y = self.self_norm.add_norm(y, &said);
        let seen = self.cross_attention.ask(&y, source.0, source.1);
        let y = self.cross_norm.add_norm(&y, &seen);
        let thought = self.feed_forward.forward(&y);
        self.feed_forward_norm.add_norm(&y, &thought)
    }
}

/// A decoder that computes no row twice, for several hypotheses at once.
pub struct Cache<'a, T> {
    model: &'a Transformer<T>,
    /// In each layer, the keys and values of all sources.
    sources: Vec<Memory<T>>,
    /// Which of them each hypothesis may see.
    own_source: Mask,
    /// In each layer, the keys and values of what was fed: a block of rows
    /// for each hypothesis.
    pasts: Vec<Memory<T>>,
    /// How many tokens each hypothesis has been fed.
    fed: usize,
}

impl<'a, T: Grow> Cache<'a, T> {
    /// The sources are read, and nothing has been said.
    pub fn new(model: &'a Transformer<T>, sources: &[Vec<usize>]) -> Self {
        let x = model.encode(sources);
        let lengths: Vec<usize> = sources.iter().map(Vec::len).collect();
        let layers = model.decoder.layers.iter();
        let sources: Vec<Memory<T>> =
            layers.map(|layer| layer.cross_attention.remember(&x)).collect();
        let nothing = x.gather(&[]); // 0 × d_model
        let layers = model.decoder.layers.iter();
        let pasts = layers
            .map(|layer| layer.self_attention.remember(&nothing))
            .collect();
        let own_source = Mask::packed(&vec![1; lengths.len()], &lengths);
        Self { model, sources, own_source, pasts, fed: 0 }
    }

    /// One token more for each of n hypotheses, as [`Next`] has it: V × n.
    pub fn feed(&mut self, parents: &[usize], tokens: &[usize]) -> T {
        let visible = &self.own_source.visible;
        self.own_source.visible =
            parents.iter().map(|&i| visible[i].clone()).collect();
        let mut y = self.embed(tokens);
        let n = tokens.len();
        let own_past = Mask::packed(&vec![1; n], &vec![self.fed + 1; n]);
        let layers = self.model.decoder.layers.iter();
        for ((layer, past), source) in
            layers.zip(&mut self.pasts).zip(&self.sources)
        {
            let new = layer.self_attention.remember(&y);
            past.keys = past.keys.grow(self.fed, parents, &new.keys);
            past.values = past.values.grow(self.fed, parents, &new.values);
            let (past, source) =
                ((&*past, &own_past), (source, &self.own_source));
            y = layer.ask(&y, past, source);
        }
        self.fed += 1;
        self.model.embedding.table.matmul_t(&y)
    }

    /// The tokens, all of them at the same position: n × d_model.
    fn embed(&self, tokens: &[usize]) -> T {
        let tokens = self.model.embedding.embed(tokens);
        let (_, d_model) = tokens.shape();
        let position = sinusoidal(&[self.fed], d_model);
        tokens.add_row(&tokens.constant(&position))
    }
}

impl<F: Float> Next<F> for Cache<'_, Matrix<F>> {
    fn next(&mut self, parents: &[usize], tokens: &[usize]) -> Matrix<F> {
        self.feed(parents, tokens)
    }
}

impl<F: Float> Transformer<Matrix<F>> {
    /// For each source, the best sentences that were found, best first; none
    /// is longer than its source by more than 50 tokens (§6.1).
    pub fn search(
        &self,
        sources: &[Vec<usize>],
        beam: &Beam,
    ) -> Vec<Vec<Hypothesis>> {
        let limits: Vec<usize> =
            sources.iter().map(|source| source.len() + 50).collect();
        search(&mut Cache::new(self, sources), &limits, beam)
    }
}
