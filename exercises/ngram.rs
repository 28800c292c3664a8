//! Exercises of the chapter on counting.

use all_you_need::tokens::Token;
use std::collections::HashMap;

#[cfg(test)]
#[path = "checks/ngram.rs"]
mod check;

// Exercise 2

/// The words of a text that came after most different words: each word, with
/// the number of different words before it, the most first. Words with equal
/// numbers are in the order of their ids.
pub fn most_welcome(text: &[Token]) -> Vec<(Token, usize)> {
    todo!("which pairs of words are there? Each counts once")
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
