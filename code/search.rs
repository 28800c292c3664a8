//! Beam search, which looks for the most probable translation (§6.1), and
//! sampling, which draws one.
//!
//! ```
//! use all_you_need::encoder::Config;
//! use all_you_need::search::Beam;
//! use all_you_need::tensor::Matrix;
//! use all_you_need::transformer::Transformer;
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let config = Config { vocabulary: 20, ..Config::toy() };
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let model: Transformer<Matrix<f32>> = Transformer::new(&config, &mut rng);
//! let (bos, eos) = (18, 19);
//! let beam = Beam { n_best: 2, ..Beam::paper(bos, eos) };
//! let found = model.search(&[[5, 6, 7, eos]], &beam)?;
//! assert_eq!(found[0].len(), 2);
//! assert!(found[0][0].score >= found[0][1].score);
//! # Ok::<(), all_you_need::transformer::NotFinite>(())
//! ```

use crate::attention::Mask;
use crate::costs::Shape;
use crate::dictionary::softmax;
use crate::heads::{Heads, KeysValues, MultiHead};
use crate::layers::LayerOps;
use crate::loss::log_sum_exp;
use crate::position::sinusoidal;
use crate::tensor::{Float, Matrix, Tensor, concat_size, max};
use crate::tokens::Token;
use crate::transformer::{NotFinite, Packed, Transformer, longest_target};
use nalgebra::convert_unchecked;
use rand::{Rng, RngExt};
use std::ops::Range;

/// lp(Y) = ((5 + |Y|) / 6)^α, by which a log-probability is divided so that
/// long sentences have a chance (Wu et al., 2016). `length` is |Y|, the
/// number of tokens with end of sequence.
pub fn length_penalty(length: usize, alpha: f64) -> f64 {
    ((5.0 + length as f64) / 6.0).powf(alpha)
}

/// A model that says with which tokens sentences may go on, for many
/// hypotheses at a time.
pub trait LanguageModel<F: Float> {
    /// Appends a token to each of n hypotheses.
    ///
    /// Hypothesis i becomes a copy of hypothesis `parents[i]`, as it was after
    /// the last call, and `tokens[i]` is put at its end. Before the first call
    /// there is one empty hypothesis for each sentence.
    ///
    /// Returns the logits of all tokens that may follow, a column for each
    /// hypothesis: V × n. A logit is the log-probability of a token plus a
    /// number that is the same for its whole column.
    fn next_logits(
        &mut self,
        parents: &[usize],
        tokens: &[Token],
    ) -> Matrix<F>;
}

/// The settings of a beam search.
#[derive(Clone, Debug, PartialEq)]
pub struct Beam {
    /// How many hypotheses of a sentence are extended at a time.
    pub width: usize,
    /// α of the [length penalty](length_penalty): the larger it is, the
    /// longer the sentences that win. At 0 there is no penalty.
    pub alpha: f64,
    /// How many hypotheses of a sentence to return: at most `width`.
    pub n_best: usize,
    /// The search for a sentence ends when this times `width` hypotheses are
    /// complete (Kasai et al., 2022): at 1 as soon as there are `width`. At ∞
    /// it ends when no other one can win any more.
    pub patience: f64,
    /// Begin of sequence: the token before the first of every sentence.
    pub bos: Token,
    /// End of sequence: the token that completes a sentence.
    pub eos: Token,
}

impl Beam {
    /// Greedy search: at each step the most probable token alone is kept.
    pub fn greedy(bos: Token, eos: Token) -> Self {
        Self {
            width: 1,
            alpha: 0.0,
            n_best: 1,
            patience: f64::INFINITY,
            bos,
            eos,
        }
    }

    /// The paper's beam: four hypotheses, and α = 0.6 (§6.1).
    pub fn paper(bos: Token, eos: Token) -> Self {
        Self { width: 4, alpha: 0.6, ..Self::greedy(bos, eos) }
    }

    /// Panics unless the width and the penalty make sense.
    fn check(&self) {
        let Self { width, alpha, n_best, patience, .. } = *self;
        assert!(
            (1..=width).contains(&n_best),
            "a beam of {width} does not end with {n_best} sentences"
        );
        assert!(alpha >= 0.0, "a length penalty needs an α of 0 or more");
        assert!(patience >= 1.0, "a search needs a patience of 1 or more");
    }
}

/// A complete sentence that a search has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypothesis {
    /// Its tokens, without begin and end of sequence.
    pub tokens: Vec<Token>,
    /// ln P(Y | X), the log-probability of its tokens and end of sequence.
    pub log_probability: f64,
    /// ln P(Y | X) / lp(Y), the log-probability divided by the length
    /// penalty: the highest score wins.
    pub score: f64,
}

/// A hypothesis that is not complete.
struct Prefix {
    /// The hypothesis that it continues: its place among the live ones of
    /// all sentences, in the step before.
    parent: usize,
    /// Begin of sequence, and the tokens so far.
    tokens: Vec<Token>,
    /// The sum of the log-probabilities of these tokens.
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
    /// The most tokens that a hypothesis can have before end of sequence.
    limit: usize,
    /// The hypotheses that go on, the most probable first.
    live: Vec<Prefix>,
    /// The complete hypotheses, the highest score first.
    finished: Vec<Hypothesis>,
}

/// A live hypothesis and a token that may come next.
struct Candidate {
    /// The index of the hypothesis among the live ones.
    prefix: usize,
    token: Token,
    /// The log-probability of the hypothesis with the new token.
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
}

impl Search<'_> {
    /// The most probable candidates: each live hypothesis with every token,
    /// at the limit with end of sequence only. Column `first` of `logits`,
    /// V × n, is that of the first live hypothesis.
    fn candidates<F: Float>(
        &self,
        logits: &Matrix<F>,
        first: usize,
    ) -> Result<Vec<Candidate>, NotFinite> {
        let (eos, v) = (self.beam.eos as usize, logits.nrows());
        assert!(eos < v, "end token {eos} is not in a vocabulary of {v}");
        let mut best = Best::new(self.beam.width);
        for (prefix, so_far) in self.live.iter().enumerate() {
            let logits = logits.column(first + prefix);
            let total = log_sum_exp(logits.as_slice());
            if !total.is_finite() {
                return Err(NotFinite);
            }
            let at_limit = so_far.tokens.len() > self.limit;
            let tokens = if at_limit { eos..eos + 1 } else { 0..v };
            best.extend(prefix, tokens, logits.as_slice(), |logit| {
                let log: f64 = convert_unchecked(logit - total);
                so_far.log_probability + log
            });
        }
        Ok(best.candidates)
    }
}

/// The most probable candidates that were found, best first; of equals,
/// those that came first. Candidates of probability 0 are left out.
struct Best {
    width: usize,
    candidates: Vec<Candidate>,
}

impl Best {
    fn new(width: usize) -> Self {
        Self { width, candidates: Vec::new() }
    }

    /// Whether a candidate of this log-probability is among the best.
    fn takes(&self, log_probability: f64) -> bool {
        let last = self.candidates.get(self.width - 1);
        let last = last.map(|last| last.log_probability);
        log_probability > last.unwrap_or(f64::NEG_INFINITY)
    }

    fn insert(&mut self, new: Candidate) {
        let ahead =
            |old: &Candidate| old.log_probability >= new.log_probability;
        let place = self.candidates.partition_point(ahead);
        self.candidates.truncate(self.width - 1);
        self.candidates.insert(place, new);
    }
}

impl Best {
    /// Looks at some tokens after one hypothesis. Most of them cannot be
    /// among the best: they are passed over 64 at a time, by the largest of
    /// their logits.
    fn extend<F: Float>(
        &mut self,
        prefix: usize,
        tokens: Range<usize>,
        logits: &[F],
        log_probability: impl Fn(F) -> f64,
    ) {
        for start in tokens.clone().step_by(64) {
            let some = start..tokens.end.min(start + 64);
            if !self.takes(log_probability(max(&logits[some.clone()]))) {
                continue;
            }
            for token in some {
                let log_probability = log_probability(logits[token]);
                if self.takes(log_probability) {
                    let token = token as Token;
                    self.insert(Candidate { prefix, token, log_probability });
                }
            }
        }
    }
}

impl Search<'_> {
    /// Extends the live hypotheses by the best candidates. Those that end
    /// with end of sequence are finished.
    fn step<F: Float>(
        &mut self,
        logits: &Matrix<F>,
        first: usize,
    ) -> Result<(), NotFinite> {
        let candidates = self.candidates(logits, first)?;
        let live = std::mem::take(&mut self.live);
        for new in candidates {
            let tokens = &live[new.prefix].tokens;
            if new.token == self.beam.eos {
                self.finish(tokens, new.log_probability);
            } else {
                self.live.push(Prefix {
                    parent: first + new.prefix,
                    tokens: [tokens, &[new.token][..]].concat(),
                    log_probability: new.log_probability,
                });
            }
        }
        self.prune();
        Ok(())
    }
}

impl Search<'_> {
    /// Keeps a hypothesis that is complete: begin of sequence and its
    /// tokens. Its log-probability includes that of end of sequence.
    fn finish(&mut self, tokens: &[Token], log_probability: f64) {
        // The penalty counts end of sequence in place of the begin.
        let penalty = length_penalty(tokens.len(), self.beam.alpha);
        let score = log_probability / penalty;
        let tokens = tokens[1..].to_vec();
        let ahead = |other: &Hypothesis| other.score >= score;
        let place = self.finished.partition_point(ahead);
        let found = Hypothesis { tokens, log_probability, score };
        self.finished.insert(place, found);
    }

    /// Drops the live hypotheses that can no longer be among the best: more
    /// tokens never make a hypothesis more probable, and the highest penalty
    /// is that of the limit. Drops all if enough are finished.
    fn prune(&mut self) {
        let Beam { width, alpha, n_best, patience, .. } = *self.beam;
        if self.finished.len() as f64 >= patience * width as f64 {
            self.live.clear();
        }
        if let Some(wanted) = self.finished.get(n_best - 1) {
            let longest = length_penalty(self.limit + 1, alpha);
            let may_win =
                |p: &Prefix| p.log_probability / longest > wanted.score;
            self.live.retain(may_win);
        }
    }
}

/// Beam search for several sentences together. Returns at most
/// `beam.n_best` hypotheses for each, best first; none if no complete
/// sentence has a probability above 0.
///
/// `limits` has the most tokens that a hypothesis can have, without end of
/// sequence, for each sentence.
///
/// # Errors
/// If the model's logits are not finite.
///
/// # Panics
/// If `n_best` is not from 1 to `width`, α is negative or NaN, the patience is
/// below 1 or NaN, or `eos` is not in the model's vocabulary.
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
        let logits = model.next_logits(&parents, &tokens);
        let mut first = 0;
        for search in &mut searches {
            let columns = search.live.len();
            search.step(&logits, first)?;
            first += columns;
        }
    }
    let found = searches.into_iter().map(|search| search.finished);
    let best = |all: Vec<_>| all.into_iter().take(beam.n_best).collect();
    Ok(found.map(best).collect())
}

/// What a KV cache does with tensors.
pub trait CacheOps: LayerOps {
    /// Appends the columns of another tensor: n × m becomes n × (m + k).
    ///
    /// # Panics
    /// If the other one has not as many rows.
    fn append_columns(&mut self, columns: &Self);

    /// Attends with several heads, where query i sees the keys and values in
    /// `columns[i]`: one for each of its tokens, wherever they are. The keys
    /// are transposed, h·d_k × m, and so are the values, h·d_v × m.
    ///
    /// An implementation may override this with a faster way to the same
    /// numbers.
    ///
    /// # Panics
    /// If the sizes do not fit, or there is no such column.
    #[must_use]
    fn attend_columns(
        q: &Self,
        k_t: &Self,
        v_t: &Self,
        heads: usize,
        columns: &[Vec<usize>],
    ) -> Self {
        let lengths: Vec<usize> = columns.iter().map(Vec::len).collect();
        let mask = Mask::packed(&vec![1; lengths.len()], &lengths);
        let [k, v] =
            [k_t, v_t].map(|x| x.transpose().gather(&columns.concat()));
        Self::attend_heads(q, &k, &v, heads, &mask)
    }
}

impl CacheOps for Shape {
    fn append_columns(&mut self, columns: &Self) {
        let sizes = [self.shape(), columns.shape()];
        *self = self.written(concat_size(sizes.into_iter()));
    }
}

/// The keys and values of the rows of `y`, transposed: a column for each.
pub(crate) fn keys_values<T: Heads>(
    heads: &MultiHead<T>,
    y: &T,
) -> KeysValues<T> {
    let KeysValues { keys, values } = heads.keys_values(y);
    KeysValues { keys: keys.transpose(), values: values.transpose() }
}

/// The rows of `x` attend to the keys and values in their columns.
pub(crate) fn attend<T: CacheOps>(
    heads: &MultiHead<T>,
    x: &T,
    KeysValues { keys, values }: &KeysValues<T>,
    columns: &[Vec<usize>],
) -> T {
    let q = x.matmul(&heads.w_q);
    T::attend_columns(&q, keys, values, heads.heads, columns)
        .matmul(&heads.w_o)
}

/// A decoder with a KV cache: it keeps the keys and values of all tokens it
/// has read, so that a token more costs one row, for each of several
/// hypotheses.
///
/// No column of the cache changes its number. Hypotheses with the same
/// beginning have the columns of that beginning in common.
#[derive(Debug)]
pub struct Cache<'a, T> {
    model: &'a Transformer<T>,
    /// For each layer, the keys and values of all sources, transposed.
    sources: Vec<KeysValues<T>>,
    /// For each hypothesis, the columns of its own source.
    own_source: Vec<Vec<usize>>,
    /// For each layer, the keys and values of all tokens read, transposed.
    pasts: Vec<KeysValues<T>>,
    /// For each hypothesis, the columns of its own tokens.
    own_past: Vec<Vec<usize>>,
    /// How many tokens have been read.
    read: usize,
}

impl<'a, T: CacheOps> Cache<'a, T> {
    /// Reads the sources. Each has one hypothesis, which is empty.
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    pub fn new<S: AsRef<[Token]>>(
        model: &'a Transformer<T>,
        sources: &[S],
    ) -> Self {
        let Packed { rows: x, lengths } = model.encode(sources);
        let nothing = x.gather(&[]); // 0 × d_model
        let layers = || model.decoder.layers.iter();
        let mut end = 0;
        let own = |&length: &usize| {
            end += length;
            (end - length..end).collect()
        };
        Self {
            model,
            sources: layers()
                .map(|layer| keys_values(&layer.cross_attention, &x))
                .collect(),
            own_source: lengths.iter().map(own).collect(),
            pasts: layers()
                .map(|layer| keys_values(&layer.self_attention, &nothing))
                .collect(),
            own_past: vec![Vec::new(); lengths.len()],
            read: 0,
        }
    }
}

impl<T: CacheOps> Cache<'_, T> {
    /// Appends a token to each of n hypotheses, and returns the logits of the
    /// next one: V × n. The same as [`LanguageModel::next_logits`], for any
    /// tensor.
    ///
    /// # Panics
    /// If there is no such parent, or a token is not in the vocabulary.
    pub fn feed(&mut self, parents: &[usize], tokens: &[Token]) -> T {
        let mut y = self.embed(tokens);
        self.append(parents);
        for (i, layer) in self.model.decoder.layers.iter().enumerate() {
            let new = keys_values(&layer.self_attention, &y);
            let past = &mut self.pasts[i];
            past.keys.append_columns(&new.keys);
            past.values.append_columns(&new.values);
            let source = &self.sources[i];
            y = layer.attend(
                &y,
                |heads, y| attend(heads, y, past, &self.own_past),
                |heads, y| attend(heads, y, source, &self.own_source),
            );
        }
        self.model.embedding.table.matmul_t(&y)
    }
}

impl<T: CacheOps> Cache<'_, T> {
    /// Each hypothesis becomes what its parent was, and one column longer.
    fn append(&mut self, parents: &[usize]) {
        let of = |all: &[Vec<usize>]| -> Vec<Vec<usize>> {
            parents.iter().map(|&parent| all[parent].clone()).collect()
        };
        self.own_source = of(&self.own_source);
        self.own_past = of(&self.own_past);
        for own in &mut self.own_past {
            own.push(self.read);
            self.read += 1;
        }
    }

    /// The embeddings of n tokens that are all at the same position:
    /// n × d_model.
    fn embed(&self, tokens: &[Token]) -> T {
        let tokens = self.model.embedding.embed(tokens);
        let (_, d_model) = tokens.shape();
        let position = self.own_past.first().map_or(0, Vec::len);
        let position = sinusoidal(&[position], d_model);
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
    /// Beam search for the translations of several sources: for each the
    /// `beam.n_best` hypotheses that were found, best first. None has over 50
    /// tokens more than its source (§6.1).
    ///
    /// # Errors
    /// If the logits are not finite.
    ///
    /// # Panics
    /// If a token is not in the vocabulary, `n_best` is not from 1 to
    /// `width`, or α is negative.
    pub fn search<S: AsRef<[Token]>>(
        &self,
        sources: &[S],
        beam: &Beam,
    ) -> Result<Vec<Vec<Hypothesis>>, NotFinite> {
        let limit = |source: &S| longest_target(source.as_ref());
        let limits: Vec<usize> = sources.iter().map(limit).collect();
        search(&mut Cache::new(self, sources), &limits, beam)
    }
}

/// The settings of sampling, which draws a sentence token by token.
///
/// The temperature changes the probabilities. Then `top_k` and `top_p` remove
/// improbable tokens, in this order, and one of the others is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// T, by which the logits are divided. Below 1 the most probable tokens
    /// gain and the others lose, and above 1 all become more equal.
    pub temperature: f64,
    /// How many of the most probable tokens can be drawn (Fan et al., 2018).
    pub top_k: usize,
    /// The most probable tokens can be drawn, and only as many as are needed
    /// to have this probability together (Holtzman et al., 2020).
    pub top_p: f64,
    /// Begin of sequence, which is fed first.
    pub bos: Token,
    /// End of sequence, which completes a sentence.
    pub eos: Token,
}

impl Sampling {
    /// Draws each token with the probability that the model gives it.
    pub fn new(bos: Token, eos: Token) -> Self {
        Self { temperature: 1.0, top_k: usize::MAX, top_p: 1.0, bos, eos }
    }

    /// Panics unless some token can be drawn.
    fn check(&self) {
        let Self { temperature, top_k, top_p, .. } = *self;
        assert!(temperature > 0.0, "no temperature of {temperature}");
        assert!(top_k > 0, "one of 0 tokens cannot be drawn");
        let possible = top_p > 0.0 && top_p <= 1.0;
        assert!(possible, "top_p = {top_p} is not above 0 and up to 1");
    }
}

impl Sampling {
    /// The probabilities with which the next token is drawn, given the logits
    /// of all tokens. They sum to 1.
    ///
    /// # Errors
    /// If a logit is NaN or +∞, or all are −∞.
    ///
    /// # Panics
    /// If the temperature or `top_k` is not above 0, or `top_p` not above 0
    /// and up to 1.
    pub fn probabilities<F: Float>(
        &self,
        logits: &[F],
    ) -> Result<Vec<f64>, NotFinite> {
        self.check();
        if !log_sum_exp(logits).is_finite() {
            return Err(NotFinite);
        }
        let highest = max(logits);
        let divided = logits.iter().map(|&logit| {
            let behind: f64 = convert_unchecked(logit - highest);
            behind / self.temperature
        });
        Ok(self.truncate(&softmax(&divided.collect::<Vec<_>>())))
    }

    /// Leaves probability to the most probable tokens only, as `top_k` and
    /// `top_p` say. Of equals the first ones are kept.
    fn truncate(&self, all: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|&a, &b| all[b].total_cmp(&all[a]));
        order.truncate(self.top_k);
        let of_these: f64 = order.iter().map(|&token| all[token]).sum();
        let (mut kept, mut sum) = (vec![0.0; all.len()], 0.0);
        for token in order {
            if sum >= self.top_p * of_these {
                break;
            }
            kept[token] = all[token];
            sum += all[token];
        }
        kept.iter().map(|p| p / sum).collect()
    }

    /// Draws the next token.
    fn draw<F: Float>(
        &self,
        logits: &[F],
        rng: &mut impl Rng,
    ) -> Result<Token, NotFinite> {
        let probabilities = self.probabilities(logits)?;
        let mut left: f64 = rng.random();
        let drawn = probabilities.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        // If rounding leaves a little, it belongs to the last of them.
        let last = || probabilities.iter().rposition(|&p| p > 0.0);
        let token = drawn.or_else(last).expect("they sum to 1");
        Ok(token as Token)
    }
}

/// Draws one sentence. It is cut off when it has `limit` tokens.
///
/// # Errors
/// If the model's logits are not finite.
///
/// # Panics
/// As [`Sampling::probabilities`].
pub fn sample<F: Float>(
    model: &mut impl LanguageModel<F>,
    limit: usize,
    sampling: &Sampling,
    rng: &mut impl Rng,
) -> Result<Vec<Token>, NotFinite> {
    let (mut tokens, mut last) = (Vec::new(), sampling.bos);
    while tokens.len() < limit {
        let logits = model.next_logits(&[0], &[last]);
        last = sampling.draw(logits.as_slice(), rng)?;
        if last == sampling.eos {
            break;
        }
        tokens.push(last);
    }
    Ok(tokens)
}
