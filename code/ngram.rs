//! Models that count what comes next.
//!
//! ```
//! use all_you_need::ngram::{KneserNey, Ngram, surprise};
//! use all_you_need::tokens::{Vocabulary, words};
//!
//! let words = words("the cat saw the dog . the dog saw the cat .");
//! let vocabulary = Vocabulary::of(&words);
//! let text = vocabulary.encode(&words).expect("its own words");
//! let mut bigram = Ngram::new(2, vocabulary.len(), 0.5);
//! bigram.count(&text);
//! let (the, cat) = (text[0], text[1]);
//! assert!(bigram.probability(&[the], cat) > 0.25);
//!
//! let discounted = KneserNey::new(2, vocabulary.len(), &text);
//! let p = |past: &[_], next| discounted.probability(past, next);
//! assert!(surprise(&[&text], p) < 6f64.ln());
//! ```

use crate::tokens::Token;
use std::collections::HashMap;

/// For every context, the tokens that followed, and how often.
type Counts = HashMap<Vec<Token>, HashMap<Token, usize>>;

/// The contexts of an n-gram model of this order, from the empty one to the
/// longest.
fn contexts(past: &[Token], order: usize) -> impl Iterator<Item = &[Token]> {
    let longest = past.len().min(order - 1);
    (0..=longest).map(|n| &past[past.len() - n..])
}

/// An n-gram model: it counts which tokens follow on the last few, and mixes
/// the shares of longer and shorter contexts (Jelinek and Mercer, 1980).
#[derive(Clone, Debug)]
pub struct Ngram {
    /// n: a token and the n − 1 before it are counted together.
    pub order: usize,
    /// The number of tokens in the vocabulary: V.
    pub vocabulary: usize,
    /// λ: how much a context counts, compared with the next shorter one.
    pub weight: f64,
    counts: Counts,
}

impl Ngram {
    /// A model that has counted nothing yet.
    ///
    /// # Panics
    /// If `order` is 0.
    pub fn new(order: usize, vocabulary: usize, weight: f64) -> Self {
        assert!(order > 0, "an n-gram of no tokens has nothing to count");
        Self { order, vocabulary, weight, counts: Counts::new() }
    }

    /// Counts a text.
    pub fn count(&mut self, text: &[Token]) {
        for (i, &next) in text.iter().enumerate() {
            for context in contexts(&text[..i], self.order) {
                let after = self.counts.entry(context.to_vec()).or_default();
                *after.entry(next).or_default() += 1;
            }
        }
    }

    /// The probability that `next` follows `past`.
    pub fn probability(&self, past: &[Token], next: Token) -> f64 {
        let equal = 1.0 / self.vocabulary as f64;
        contexts(past, self.order).fold(equal, |shorter, context| {
            let Some(after) = self.counts.get(context) else {
                return shorter; // Never seen, so it says nothing.
            };
            let own = after.get(&next).copied().unwrap_or(0);
            let share = own as f64 / after.values().sum::<usize>() as f64;
            self.weight * share + (1.0 - self.weight) * shorter
        })
    }
}

/// Interpolated Kneser–Ney counts with three discounts for each length of a
/// context (Chen and Goodman, 1999).
#[derive(Clone, Debug)]
pub struct KneserNey {
    /// n: a token and the n − 1 before it are counted together.
    pub order: usize,
    /// The number of tokens in the vocabulary: V.
    pub vocabulary: usize,
    /// What is subtracted from a count of 1, of 2, and of 3 and more, after
    /// contexts of no token, of one, and so on up to n − 1.
    pub discounts: Vec<[f64; 3]>,
    counts: Counts,
}

impl KneserNey {
    /// Counts a text, and estimates the discounts from its counts.
    ///
    /// # Panics
    /// If `order` is 0.
    pub fn new(order: usize, vocabulary: usize, text: &[Token]) -> Self {
        assert!(order > 0, "an n-gram of no tokens has nothing to count");
        let mut counts = Counts::new();
        for (i, &next) in text.iter().enumerate() {
            let all: Vec<_> = contexts(&text[..i], order).collect();
            for context in all.into_iter().rev() {
                let after = counts.entry(context.to_vec()).or_default();
                let count = after.entry(next).or_default();
                *count += 1;
                if *count > 1 {
                    break; // In the shorter contexts it is not a new one.
                }
            }
        }
        let discounts = (0..order).map(|length| estimate(&counts, length));
        let discounts = discounts.collect();
        Self { order, vocabulary, discounts, counts }
    }

    /// The probability that `next` follows `past`.
    pub fn probability(&self, past: &[Token], next: Token) -> f64 {
        let equal = 1.0 / self.vocabulary as f64;
        contexts(past, self.order).fold(equal, |shorter, context| {
            let Some(after) = self.counts.get(context) else {
                return shorter;
            };
            let discounts = self.discounts[context.len()];
            let less = |&count: &usize| discounts[count.min(3) - 1];
            let own = after.get(&next).map_or(0.0, |n| *n as f64 - less(n));
            let taken: f64 = after.values().map(less).sum();
            let all = after.values().sum::<usize>() as f64;
            (own + taken * shorter) / all
        })
    }
}

/// The discounts of a count of 1, of 2 and of more: k − (k + 1) Y n_{k+1}/n_k
/// with Y = n₁/(n₁ + 2n₂), where n_k is how many counts after contexts of
/// this length are k. A text so small that one of them is 0 gets ¾.
fn estimate(counts: &Counts, length: usize) -> [f64; 3] {
    let own = counts.iter().filter(|(context, _)| context.len() == length);
    let mut n = [0.0; 5];
    for count in own.flat_map(|(_, after)| after.values()) {
        n[(*count).min(5) - 1] += 1.0;
    }
    if n[..4].contains(&0.0) {
        return [0.75; 3];
    }
    let y = n[0] / (n[0] + 2.0 * n[1]);
    [1, 2, 3].map(|k| k as f64 - (k + 1) as f64 * y * n[k] / n[k - 1])
}

/// The mean surprise at each token of some texts but their first, in nats,
/// where `p` gives the probability of a token from those before it.
///
/// # Panics
/// If no text has two tokens.
pub fn surprise(
    texts: &[impl AsRef<[Token]>],
    p: impl Fn(&[Token], Token) -> f64,
) -> f64 {
    let (mut nats, mut answers) = (0.0, 0);
    for text in texts.iter().map(AsRef::as_ref) {
        for i in 1..text.len() {
            nats -= p(&text[..i], text[i]).ln();
            answers += 1;
        }
    }
    assert!(answers > 0, "no texts, no mean");
    nats / f64::from(answers)
}
