//! Exercises of the chapter on the whole Transformer.

use all_you_need::attention::Mask;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;

#[cfg(test)]
#[path = "checks/transformer.rs"]
mod check;

// Exercise 2

/// The logits after each token of a text, n × V, of a model that has only a
/// decoder, without cross-attention and the norm after it.
pub fn gpt(model: &Transformer<Matrix>, text: &[Token]) -> Matrix {
    todo!(
        "from tokens to rows, through what is left of each layer, to logits"
    )
}

/// A text and `more` tokens that continue it, each the most probable one.
pub fn continued(
    model: &Transformer<Matrix>,
    text: &[Token],
    more: usize,
) -> Vec<Token> {
    todo!("a loop like `greedy`, without a source and without an end")
}

// Exercise 3

/// The share of a target's tokens that a model predicts correctly. The target
/// begins with begin of sequence. There is a mistake in it.
pub fn share_right(
    model: &Transformer<Matrix>,
    source: &[Token],
    target: &[Token],
) -> f64 {
    let logits = model.forward(&[source], &[target]);
    let guess = |i: usize| logits.row(i).transpose().argmax().0 as Token;
    let right = (0..target.len()).filter(|&i| guess(i) == target[i]);
    right.count() as f64 / target.len() as f64
}
