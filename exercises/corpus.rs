//! Exercises of the chapter on millions of pairs.

use rand::{RngExt, rngs::ChaCha8Rng};
use std::io::{self, BufRead, Read, Seek};

#[cfg(test)]
#[path = "checks/corpus.rs"]
mod check;

// Exercise 2

/// Where each line of a text begins, in bytes. In memory is one line at a
/// time.
pub fn beginnings(text: &mut impl BufRead) -> io::Result<Vec<u64>> {
    todo!("a line ends with the byte b'\\n', perhaps but the last")
}

/// The i-th line of this text, without the byte at its end.
pub fn line(
    text: &mut (impl BufRead + Seek),
    beginnings: &[u64],
    i: usize,
) -> io::Result<String> {
    todo!("go to where it begins, and read to where it ends")
}

// Exercise 3

/// The order of an epoch with n examples. There is a mistake in it.
pub fn order(n: u32, rng: &mut ChaCha8Rng) -> Vec<u32> {
    (0..n).map(|_| rng.random_range(0..n)).collect()
}
