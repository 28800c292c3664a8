//! Exercises of the chapter on scores.

use std::collections::{HashMap, HashSet};

#[cfg(test)]
#[path = "checks/bleu.rs"]
mod check;

// Exercise 3

/// chrF, from 0 to 100. Spaces are left out, and runs of n letters are
/// matched, for n from 1 to 6, as BLEU matches runs of words.
///
/// For each n the precision is the matches divided by the runs of the
/// hypothesis, and the recall the matches divided by those of the reference.
/// An n that is longer than one of the texts is left out. P is the mean of
/// the precisions and R that of the recalls. chrF = 100 · 5PR / (4P + R), and
/// 0 if nothing matches.
pub fn chrf(hypothesis: &str, reference: &str) -> f64 {
    todo!("begin with the matches for one n")
}

// Exercise 4

/// How many n-grams of the hypothesis are in the reference, too, none more
/// often than it occurs there. There is a mistake in it.
pub fn matches(
    hypothesis: &[String],
    reference: &[String],
    n: usize,
) -> usize {
    let mut counts = HashMap::new();
    for n_gram in reference.windows(n) {
        *counts.entry(n_gram).or_insert(0usize) += 1;
    }
    let found: HashSet<&[String]> = hypothesis.windows(n).collect();
    found.iter().filter_map(|n_gram| counts.get(n_gram)).sum()
}
