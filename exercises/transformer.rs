//! Exercises of the chapter on the whole Transformer.

use all_you_need::plain::{Matrix, Model, decode, encode};

#[cfg(test)]
#[path = "checks/transformer.rs"]
mod check;

// Exercise 2

/// The logits after each token of a text, n × V, of a model that has only a
/// decoder, without cross-attention and the norm after it.
pub fn gpt(p: &Model, text: &[usize]) -> Matrix {
    todo!(
        "from tokens to rows, through what is left of each layer, to logits"
    )
}

/// A text and `more` tokens that continue it, each the most probable one.
pub fn continued(p: &Model, text: &[usize], more: usize) -> Vec<usize> {
    todo!("a loop like `greedy`, without a source and without an end")
}

// Exercise 3

/// The share of a target's tokens that a model predicts correctly. The target
/// begins with begin of sequence. There is a mistake in it.
pub fn share_right(p: &Model, source: &[usize], target: &[usize]) -> f64 {
    let logits = decode(p, target, &encode(p, source));
    let guess = |i: usize| logits.row(i).transpose().argmax().0;
    let right = (0..target.len()).filter(|&i| guess(i) == target[i]);
    right.count() as f64 / target.len() as f64
}
