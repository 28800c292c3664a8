//! Exercises of the chapter on look-ups.

use all_you_need::dictionary::{soft_lookup, softmax};

#[cfg(test)]
#[path = "checks/dictionary.rs"]
mod check;

// Exercise 3

/// How far the answer of a soft look-up moves when the score of a key rises,
/// per unit that it rises: one number for each key.
///
/// The answer is `soft_lookup(&softmax(scores), values)`, and there are as
/// many values as scores.
pub fn slopes(scores: &[f64], values: &[f64]) -> Vec<f64> {
    todo!("a formula with the weights, the values and the answer")
}

// Exercise 4

/// Turns any scores into weights, as softmax does. There is a mistake in it.
pub fn weights(scores: &[f64]) -> Vec<f64> {
    let highest = scores.iter().copied().fold(0.0, f64::max);
    let exps = scores.iter().map(|s| (s - highest).exp());
    let exps: Vec<f64> = exps.collect();
    let total: f64 = exps.iter().sum();
    exps.iter().map(|e| e / total).collect()
}
