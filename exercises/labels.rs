//! Exercises of the chapter on few labels.

use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/labels.rs"]
mod check;

// Exercise 2

/// The table of a filler for another vocabulary: a row for each word of `new`,
/// all of which are somewhere in `old`.
pub fn renumbered(table: &Matrix, old: &[&str], new: &[&str]) -> Matrix {
    todo!("which row has the first word of `new`?")
}

// Exercise 3

/// A run with one of several learning rates: what it has right of the
/// validation reviews and of the test reviews.
pub struct Tried {
    pub rate: f64,
    pub validation: f64,
    pub test: f64,
}

/// What is reported of the runs: the best rate, and what is right of the test
/// with it. There is a mistake in it.
pub fn reported(tried: &[Tried]) -> (f64, f64) {
    let best = tried.iter().max_by(|a, b| a.test.total_cmp(&b.test));
    let best = best.expect("a run");
    (best.rate, best.test)
}
