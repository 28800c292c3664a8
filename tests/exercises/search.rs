use all_you_need::search::{Beam, LanguageModel, length_penalty, search};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use nalgebra::DVector;
use std::collections::BTreeSet;

#[path = "../../exercises/checks/search.rs"]
mod check;

// Exercise 1
//
// From 0.27 on, less than half of 0.6. Where both scores are equal, the ratio
// of the two logarithms, ln 0.20736 / ln 0.24, is the ratio of the penalties,
// (10/7)^α. The logarithm of the first divided by the logarithm of 10/7 is α.
#[test]
fn a_penalty_of_0_27_is_enough() {
    let short = (0.25f64 * 0.96).ln();
    let long = (0.32f64 * 0.9 * 0.9 * 0.8).ln();
    let alpha = (long / short).ln() / (10f64 / 7.0).ln();
    assert!((alpha - 0.27).abs() < 5e-3);
    let wins = |alpha| {
        long / length_penalty(5, alpha) > short / length_penalty(2, alpha)
    };
    assert!(!wins(alpha - 1e-6) && wins(alpha + 1e-6));
}

// Exercise 2
//
// A run of n tokens that was said begins with the last n − 1 tokens: then its
// last token is forbidden. With n = 1 nothing has to agree, so every token
// that was said is forbidden.

/// The tokens that may not come next, or a run of `n` would be repeated.
pub fn forbidden(said: &[usize], n: usize) -> Vec<usize> {
    let Some(before) = (said.len() + 1).checked_sub(n) else {
        return Vec::new();
    };
    let last = &said[before..];
    let runs = said.windows(n).filter(|run| run[..n - 1] == *last);
    let found: BTreeSet<usize> = runs.map(|run| run[n - 1]).collect();
    found.into_iter().collect()
}

// Exercise 3
//
// A wider beam can drop what a narrower one keeps. Greedy goes by *a*, to
// *a v* with 0.22. A beam of two keeps *b* as well, and both continuations
// of *b* have 0.225. They push *a v* out of the beam, and in the next step
// they are divided by four. A beam of three has room for all of them. (The
// crate's search knows a model by the trait `LanguageModel`, which the chapter
// on the cache shows.)

/// A language by hand: from what was said, not counting the start, to the
/// probability of each token.
struct Language<P> {
    said: Vec<Vec<Token>>,
    after: P,
}

impl<P: Fn(&[Token]) -> Vec<f64>> LanguageModel<f64> for Language<P> {
    fn next_logits(&mut self, parents: &[usize], tokens: &[Token]) -> Matrix {
        let each = parents.iter().zip(tokens);
        let grown = each.map(|(&i, &t)| [&self.said[i][..], &[t]].concat());
        self.said = grown.collect();
        let column =
            |said: &Vec<Token>| DVector::from_vec((self.after)(&said[1..]));
        let columns: Vec<_> = self.said.iter().map(column).collect();
        Matrix::from_columns(&columns).map(f64::ln)
    }
}

#[test]
fn two_that_look_better_push_out_the_best() {
    // Tokens: start, end, a and v (2), b and w (3), x (4), y (5).
    let after = |said: &[Token]| match said {
        [] => vec![0.0, 0.0, 0.55, 0.45, 0.0, 0.0],
        [2] => vec![0.0, 0.0, 0.4, 0.2, 0.2, 0.2],
        [3] => vec![0.0, 0.0, 0.5, 0.5, 0.0, 0.0],
        [3, _] => vec![0.0, 0.0, 0.25, 0.25, 0.25, 0.25],
        _ => vec![0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    };
    let found = |width| {
        let mut language = Language { said: vec![vec![]], after };
        let beam = Beam { width, ..Beam::greedy(0, 1) };
        let found = search(&mut language, &[5], &beam).unwrap();
        found[0][0].log_probability.exp()
    };
    assert!((found(1) - 0.22).abs() < 1e-12);
    assert!((found(2) - 0.225 / 4.0).abs() < 1e-12);
    assert!((found(3) - 0.22).abs() < 1e-12);
}

// Exercise 4
//
// The last line returns the new place in the place of the parent: `parent`
// there counts the sorted list, and what was stored is thrown away. As long
// as every hypothesis has one continuation and their order stays, both are
// the same, so the mistake shows only where hypotheses change places.

/// The best `width` continuations of some hypotheses.
pub fn best_of_all(
    sums: &[f64],
    next: &[Vec<f64>],
    width: usize,
) -> Vec<(usize, usize, f64)> {
    let mut all = Vec::new();
    for (parent, next) in next.iter().enumerate() {
        for (token, log) in next.iter().enumerate() {
            all.push((parent, token, sums[parent] + log));
        }
    }
    all.sort_by(|a, b| b.2.total_cmp(&a.2));
    all.truncate(width);
    all
}
