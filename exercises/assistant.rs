//! Exercises of the chapter on assistants.

use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/assistant.rs"]
mod check;

// Exercise 2

/// What each answer of a group is worth in GRPO: its reward minus their mean,
/// divided by their standard deviation, whose square is the mean of the
/// squared distances from the mean. If all rewards are equal, no answer is
/// worth anything.
pub fn worths(rewards: &[f64]) -> Vec<f64> {
    todo!("what is 0 divided by 0, and what should it be here?")
}

// Exercise 3

/// The gradients of `down` and `up`, given both and the gradient of
/// W + `down` · `up`, which is d_in × d_out. `down` is d_in × r, `up` r × d_out.
pub fn narrow_gradients(
    [down, up]: [&Matrix; 2],
    gradient: &Matrix,
) -> [Matrix; 2] {
    todo!("a product with a transpose, twice; let the shapes guide you")
}

// Exercise 4

/// Minus the logarithm of the probability of an answer, given the
/// probabilities that a decoder gives: row i is for the token after token i.
/// The answer begins at `asked` and goes to the end of the text. There is a
/// mistake in it.
pub fn nats(shares: &Matrix, text: &[usize], asked: usize) -> f64 {
    let last = text.len() - 1;
    (asked..last).map(|i| -shares[(i, text[i + 1])].ln()).sum()
}
