//! Exercises of the chapter on writing.

use all_you_need::tokens::Token;

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

/// The token that is drawn when chance says `u`, from 0 up to but not
/// including 1: the first token has the first part of this range, as long as
/// its share, the second the next, and so on. There is a mistake in it.
pub fn draw(shares: &[f64], u: f64) -> usize {
    let drawn = shares.iter().position(|share| u < *share);
    drawn.unwrap_or(shares.len() - 1)
}
