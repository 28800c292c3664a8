//! Exercises of the chapter on gaps.

use all_you_need::gaps::GAP;
use all_you_need::tokens::Token;
use rand::{Rng, RngExt};

#[cfg(test)]
#[path = "checks/gaps.rs"]
mod check;

// Exercise 2

/// A text as BERT reads it in training. Of these places, 80 % become a gap,
/// 10 % become a random word, that is a token from 1 to below `vocabulary`,
/// and 10 % stay as they are. No other place changes.
pub fn hide_as_bert(
    text: &[Token],
    places: &[usize],
    vocabulary: Token,
    rng: &mut impl Rng,
) -> Vec<Token> {
    todo!("for each place a random number, and what follows from it")
}

// Exercise 3

/// In which rows of the matrix of all texts, laid end to end, the gaps are.
/// There is a mistake in it.
pub fn gap_rows(texts: &[Vec<Token>]) -> Vec<usize> {
    let mut rows = Vec::new();
    for text in texts {
        let tokens = text.iter().enumerate();
        let gaps = tokens.filter(|(_, token)| **token == GAP);
        rows.extend(gaps.map(|(row, _)| row));
    }
    rows
}
