//! Exercises of the chapter on few labels.

use all_you_need::classifier::Classifier;
use all_you_need::tensor::{Init, Matrix};
use all_you_need::writer::Half;

#[cfg(test)]
#[path = "checks/labels.rs"]
mod check;

// Exercise 2

/// A classifier with so many classes whose encoder is this one, with all that
/// it has learned, and whose output matrix is new.
pub fn begun_with(
    half: &Half<Matrix>,
    classes: usize,
    init: &mut impl Init<Matrix>,
) -> Classifier<Matrix> {
    todo!("what must be taken over, and what can't be?")
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
