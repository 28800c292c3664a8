//! Exercises of the chapter on writing.

use all_you_need::tokens::Token;
use std::collections::HashMap;

#[cfg(test)]
#[path = "checks/writer.rs"]
mod check;

// Exercise 2

/// Pieces of a text with `length` answers each, where one begins every
/// `length / 2` tokens, and how many of its last answers count: all of the
/// first piece, and the second half of each other. `length` is even, and what
/// does not fill a piece at the end is left out.
pub fn overlapping(
    text: &[Token],
    length: usize,
) -> Vec<(Vec<Token>, usize)> {
    todo!("windows of length + 1 tokens, and a number for each")
}

// Exercise 3

/// For every context of up to `most` tokens, what followed it, and how often.
/// There is a mistake in it.
pub fn count_all(
    text: &[Token],
    most: usize,
) -> HashMap<Vec<Token>, HashMap<Token, usize>> {
    let mut counts = HashMap::<Vec<Token>, HashMap<Token, usize>>::new();
    for (i, &next) in text.iter().enumerate() {
        for start in i.saturating_sub(most)..=i {
            let after = counts.entry(text[start..i].to_vec()).or_default();
            let count = after.entry(next).or_default();
            *count += 1;
            if *count > 1 {
                break; // The shorter contexts have been counted then.
            }
        }
    }
    counts
}
