//! Exercises of the chapter on the cache.

use all_you_need::search::length_penalty;

#[cfg(test)]
#[path = "checks/cache.rs"]
mod check;

// Exercise 2

/// For each new hypothesis the columns of the cache that it uses: those of
/// its parent, and then one of its own. `lists` has the columns of the
/// hypotheses before, and `parents` says which of them each new one
/// continues. The new columns are `first`, `first` + 1, and so on.
pub fn append(
    lists: &[Vec<usize>],
    parents: &[usize],
    first: usize,
) -> Vec<Vec<usize>> {
    todo!("two new hypotheses may have the same parent")
}

// Exercise 3

/// Whether a live hypothesis with this sum of log-probabilities and so many
/// tokens may still end better than `best`, the score of one that is finished.
/// Sentences may have `longest` tokens, with their end. There is a mistake in
/// it.
pub fn may_win(
    sum: f64,
    tokens: usize,
    longest: usize,
    alpha: f64,
    best: f64,
) -> bool {
    sum / length_penalty(tokens, alpha) > best
}
