//! Exercises of the chapter on the cache.

use all_you_need::search::length_penalty;

#[cfg(test)]
#[path = "checks/cache.rs"]
mod check;

// Exercise 2

/// What is left of a cache without the columns that no hypothesis uses: the
/// old numbers of those that stay, in their order, and the list of each
/// hypothesis with the new numbers.
pub fn compact(lists: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    todo!("a column of several lists stays once, and all of them find it")
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
