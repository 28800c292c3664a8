//! Exercises of the chapter on learning byte pairs fast.

use all_you_need::tokens::Pair;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

#[cfg(test)]
#[path = "checks/learner.rs"]
mod check;

// Exercise 2

/// Takes from the queue the pair that occurs most often now, and of equals
/// the one with the lower ids. Counts in the queue are never too low, and may
/// be too high; `counts` has those of now, and none for a pair that is gone.
pub fn most_frequent(
    queue: &mut BinaryHeap<(usize, Reverse<Pair>)>,
    counts: &HashMap<Pair, usize>,
) -> Option<Pair> {
    todo!("what is to be done with a pair whose count in the queue is stale?")
}

// Exercise 3

/// How often each pair occurs in a text that has these words, each with the
/// number of times it occurs. There is a mistake in it.
pub fn count(words: &[(Vec<u32>, usize)]) -> HashMap<Pair, usize> {
    let mut counts = HashMap::new();
    for (tokens, _) in words {
        for pair in tokens.windows(2) {
            *counts.entry((pair[0], pair[1])).or_default() += 1;
        }
    }
    counts
}
