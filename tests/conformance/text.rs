//! Byte pairs, search and scores in plain formulas, with at most one mistake.

use crate::plain::Plain;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Pair, Token};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// Byte pairs.
impl Plain {
    /// The text cut in front of every space.
    fn pieces(&self, text: &str) -> Vec<String> {
        if self.makes("merges reach across spaces") {
            return vec![text.to_owned()];
        }
        let mut pieces = vec![String::new()];
        for c in text.chars() {
            if c == ' ' && !pieces[pieces.len() - 1].is_empty() {
                pieces.push(String::new());
            }
            pieces.last_mut().unwrap().push(c);
        }
        if self.makes("words are cut at spaces, and the spaces are lost") {
            return pieces.iter().map(|p| p.trim().to_owned()).collect();
        }
        if self.makes("a space belongs to the word before it") {
            let words = text.split_inclusive(' ');
            return words.map(String::from).collect();
        }
        pieces
    }

    pub fn bpe_learn(&self, text: &str, merges: usize) -> Vec<Pair> {
        let mut words: Vec<Vec<Token>> =
            self.pieces(text).iter().map(|piece| bytes(piece)).collect();
        if self.makes("each distinct word is counted once") {
            words.sort();
            words.dedup();
        }
        let rare = self.makes("pairs that occur once are merged, too");
        let mut learned = Vec::new();
        for id in (256..).take(merges) {
            let seen: Vec<Pair> =
                words.iter().flat_map(|w| pairs(w)).collect();
            let mut counts = BTreeMap::new();
            for &pair in &seen {
                *counts.entry(pair).or_insert(0) += 1;
            }
            let most = counts.values().copied().max().unwrap_or(0);
            if most < if rare { 1 } else { 2 } {
                break;
            }
            let mut equal =
                counts.iter().filter(|&(_, &n)| n == most).map(|(&p, _)| p);
            let lowest = equal.next().unwrap();
            let pair = self.pick(
                lowest,
                [
                    (
                        "of equally frequent pairs the last is merged",
                        equal.next_back().unwrap_or(lowest),
                    ),
                    (
                        "of equally frequent pairs the one that the text has \
                         first is merged",
                        *seen.iter().find(|p| counts[p] == most).unwrap(),
                    ),
                ],
            );
            learned.push(pair);
            words.iter_mut().for_each(|word| *word = merged(word, pair, id));
        }
        learned
    }

    pub fn bpe_encode(&self, text: &str, merges: &[Pair]) -> Vec<Token> {
        let longest =
            self.makes("the longest token first, from left to right");
        let left =
            self.makes("the leftmost pair first, not the earliest merge");
        let late = self.makes("the latest merge first");
        let encode = |piece: &String| {
            let mut tokens = bytes(piece);
            if longest {
                return longest_first(&tokens, merges);
            }
            let rank = |pair: Pair| merges.iter().position(|&m| m == pair);
            loop {
                let ranks: Vec<usize> =
                    pairs(&tokens).filter_map(rank).collect();
                let next = match () {
                    () if left => ranks.first(),
                    () if late => ranks.iter().max(),
                    () => ranks.iter().min(),
                };
                let Some(&rank) = next else { break };
                tokens = merged(&tokens, merges[rank], 256 + rank as Token);
            }
            tokens
        };
        self.pieces(text).iter().flat_map(encode).collect()
    }
}

fn bytes(text: &str) -> Vec<Token> {
    text.bytes().map(Token::from).collect()
}

fn pairs(tokens: &[Token]) -> impl Iterator<Item = Pair> {
    tokens.windows(2).map(|pair| (pair[0], pair[1]))
}

fn merged(tokens: &[Token], pair: Pair, id: Token) -> Vec<Token> {
    let (mut merged, mut i) = (Vec::new(), 0);
    while i < tokens.len() {
        let hit = tokens[i..].starts_with(&[pair.0, pair.1]);
        merged.push(if hit { id } else { tokens[i] });
        i += if hit { 2 } else { 1 };
    }
    merged
}

/// At each place the token that spells most.
fn longest_first(bytes: &[Token], merges: &[Pair]) -> Vec<Token> {
    let mut spellings: Vec<Vec<Token>> = (0..256).map(|b| vec![b]).collect();
    for &(a, b) in merges {
        let both = [&spellings[a as usize][..], &spellings[b as usize]];
        spellings.push(both.concat());
    }
    let (mut tokens, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let fits = |&id: &usize| rest.starts_with(&spellings[id]);
        let length = |&id: &usize| spellings[id].len();
        let id = (0..spellings.len()).filter(fits).max_by_key(length);
        let id = id.expect("every byte is a token");
        tokens.push(id as Token);
        rest = &rest[spellings[id].len()..];
    }
    tokens
}

/// What a search has found: tokens without begin and end, and the score.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub tokens: Vec<Token>,
    pub score: f64,
}

/// The settings of a search.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub width: usize,
    pub alpha: f64,
    pub limit: usize,
    pub bos: Token,
    pub eos: Token,
}

/// Search.
impl Plain {
    pub fn length_penalty(&self, length: usize, alpha: f64) -> f64 {
        let length = length as f64;
        let penalty = ((5.0 + length) / 6.0).powf(alpha);
        self.pick(
            penalty,
            [
                ("the penalty is the length", length),
                (
                    "the penalty is the length to the power α",
                    length.powf(alpha),
                ),
                ("there is no length penalty", 1.0),
                ("the penalty has the wrong sign", 1.0 / penalty),
                (
                    "the penalty is (5 + length)^α / 6",
                    (5.0 + length).powf(alpha) / 6.0,
                ),
            ],
        )
    }

    /// The best sentence of a model that looks at one token: row i of the
    /// logits is for the token after token i.
    pub fn beam_search(&self, logits: &Matrix, settings: Settings) -> Found {
        let Settings { mut width, alpha, limit, bos, eos } = settings;
        if self.makes("only the best hypothesis is kept: greedy") {
            width = 1;
        }
        let raw = self.makes("logits are summed, not log-probabilities");
        let probabilities =
            self.makes("probabilities are summed, not their logarithms");
        let ends = self.makes("the first complete sentence ends the search");
        let worst = self.makes("the least probable tokens are kept");
        let without =
            self.makes("end of sequence does not count for the length");
        let forgets = self.makes("the probability of the end is left out");
        let value = |last: Token, next: usize| {
            let row = logits.row(last as usize);
            let log = row[next] - row.map(f64::exp).sum().ln();
            match () {
                () if raw => row[next],
                () if probabilities => log.exp(),
                () => log,
            }
        };
        let mut live = vec![(vec![bos], 0.0)];
        let mut found: Vec<Found> = Vec::new();
        while !live.is_empty() && (found.is_empty() || !ends) {
            let mut next = Vec::new();
            for (tokens, sum) in &live {
                let last = tokens[tokens.len() - 1];
                let over = tokens.len() > limit;
                let all = 0..logits.ncols();
                for token in all.filter(|&t| !over || t == eos as usize) {
                    let mut longer = tokens.clone();
                    longer.push(token as Token);
                    next.push((longer, sum + value(last, token), *sum));
                }
            }
            next.sort_by(|a, b| b.1.total_cmp(&a.1));
            if worst {
                next.reverse();
            }
            live.clear();
            for (tokens, sum, before) in next.into_iter().take(width) {
                if tokens[tokens.len() - 1] != eos {
                    live.push((tokens, sum));
                    continue;
                }
                let length = tokens.len() - if without { 2 } else { 1 };
                let sum = if forgets { before } else { sum };
                let score = sum / self.length_penalty(length, alpha);
                let tokens = tokens[1..tokens.len() - 1].to_vec();
                found.push(Found { tokens, score });
            }
        }
        let best =
            found.into_iter().max_by(|a, b| a.score.total_cmp(&b.score));
        best.expect("every sentence ends at the limit")
    }
}

fn n_grams<T: Clone + Eq + Hash>(
    tokens: &[T],
    n: usize,
) -> HashMap<Vec<T>, usize> {
    let mut counts = HashMap::new();
    for n_gram in tokens.windows(n) {
        *counts.entry(n_gram.to_vec()).or_insert(0) += 1;
    }
    counts
}

/// Matches, and how many n-grams there are on both sides.
#[derive(Clone, Copy, Debug, Default)]
struct Overlap {
    matches: f64,
    said: f64,
    wanted: f64,
}

impl Plain {
    fn overlap<T: Clone + Eq + Hash>(
        &self,
        pairs: &[(Vec<T>, Vec<T>)],
        n: usize,
    ) -> Overlap {
        let endless = self.makes("matches are not clipped");
        let mut sum = Overlap::default();
        for (said, wanted) in pairs {
            let (said, wanted) = (n_grams(said, n), n_grams(wanted, n));
            for (n_gram, &count) in &said {
                let most = wanted.get(n_gram).copied().unwrap_or(0);
                let matches =
                    if endless && most > 0 { count } else { count.min(most) };
                sum.matches += matches as f64;
            }
            sum.said += said.values().sum::<usize>() as f64;
            sum.wanted += wanted.values().sum::<usize>() as f64;
        }
        sum
    }

    pub fn bleu(&self, hypotheses: &[&str], references: &[&str]) -> f64 {
        let many = hypotheses.len() > 1;
        if many && self.makes("a mean of the scores of the sentences") {
            let one =
                |i: usize| self.bleu(&hypotheses[i..=i], &references[i..=i]);
            let scores = (0..hypotheses.len()).map(one);
            return scores.sum::<f64>() / hypotheses.len() as f64;
        }
        let letters = self.makes("letters are compared, not words");
        let cut = |text: &str| -> Vec<String> {
            match letters {
                true => text.chars().map(String::from).collect(),
                false => text.split(' ').map(String::from).collect(),
            }
        };
        let texts = hypotheses.iter().zip(references);
        let pairs: Vec<_> =
            texts.map(|(said, wanted)| (cut(said), cut(wanted))).collect();
        let longest =
            self.pick(4, [("runs of at most two words, not four", 2)]);
        let unsmoothed = self.makes("0 where no run of four matches");
        let recall = self.makes("recalls in place of precisions");
        let mut part = 1.0;
        // A sentence of three words has no run of four to count.
        let found = (1..=longest).map(|n| self.overlap(&pairs, n));
        let precisions: Vec<f64> = found
            .filter(|found| found.said > 0.0)
            .map(|found| {
                let all = if recall { found.wanted } else { found.said };
                if found.matches > 0.0 || unsmoothed {
                    return found.matches / all;
                }
                part /= 2.0;
                part / all
            })
            .collect();
        let n = precisions.len() as f64;
        let mean = precisions.iter().map(|p| p.ln()).sum::<f64>() / n;
        let mean = match self.makes("an arithmetic mean, not a geometric one")
        {
            true => precisions.iter().sum::<f64>() / n,
            false => mean.exp(),
        };
        let said: usize = pairs.iter().map(|pair| pair.0.len()).sum();
        let wanted: usize = pairs.iter().map(|pair| pair.1.len()).sum();
        let missing = 1.0 - wanted as f64 / said as f64;
        let penalty = self.pick(
            missing.min(0.0).exp(),
            [
                ("there is no brevity penalty", 1.0),
                (
                    "the brevity penalty punishes long ones",
                    (-missing).min(0.0).exp(),
                ),
            ],
        );
        let score = 100.0 * penalty * mean;
        self.pick(score, [("a part of 1, not of 100", score / 100.0)])
    }

    pub fn chrf(&self, hypotheses: &[&str], references: &[&str]) -> f64 {
        let many = hypotheses.len() > 1;
        if many && self.makes("a mean of the scores of the sentences") {
            let one =
                |i: usize| self.chrf(&hypotheses[i..=i], &references[i..=i]);
            let scores = (0..hypotheses.len()).map(one);
            return scores.sum::<f64>() / hypotheses.len() as f64;
        }
        let spaces = self.makes("spaces are counted as letters");
        let cut = |text: &str| -> Vec<char> {
            text.chars().filter(|&c| spaces || c != ' ').collect()
        };
        let texts = hypotheses.iter().zip(references);
        let pairs: Vec<_> =
            texts.map(|(said, wanted)| (cut(said), cut(wanted))).collect();
        let longest =
            self.pick(6, [("runs of at most four letters, not six", 4)]);
        let found = (1..=longest).map(|n| self.overlap(&pairs, n));
        let found: Vec<Overlap> =
            found.filter(|n| n.said > 0.0 && n.wanted > 0.0).collect();
        let mean = |of: &dyn Fn(&Overlap) -> f64| {
            found.iter().map(of).sum::<f64>() / found.len().max(1) as f64
        };
        let p = mean(&|n| n.matches / n.said);
        let r = mean(&|n| n.matches / n.wanted);
        let (p, r) = self
            .pick((p, r), [("precision and recall are exchanged", (r, p))]);
        let b: f64 = self.pick(
            4.0,
            [
                ("β is 1, not 2", 1.0),
                ("β is 2, but not squared", 2.0),
                ("β is 3, not 2", 9.0),
            ],
        );
        let score = 100.0 * (1.0 + b) * p * r / (b * p + r);
        self.pick(score, [("a part of 1, not of 100", score / 100.0)])
    }
}
