//! Checks the exercises of the chapter on the loss.

use super::{surprise, text_perplexity};
use crate::expect::expect;
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

checks! {
    exercise_3: the_slopes_are_those_of_the_loss,
    exercise_4: a_text_has_one_perplexity
}

fn row(numbers: &[f64]) -> Matrix {
    Matrix::from_row_slice(1, numbers.len(), numbers)
}

fn the_slopes_are_those_of_the_loss() {
    let loss = |logits: &[f64], target| dmatrix![surprise(logits, target).0];
    let slopes = |logits: &[f64], target| row(&surprise(logits, target).1);
    let hint = "two equal logits: the surprise is ln 2";
    expect(&loss(&[3.0, 3.0], 0), &dmatrix![2f64.ln()], hint);
    let hint = "two equal logits: p − q is ½ − 1 at the target, and ½ at the \
                other";
    expect(&slopes(&[3.0, 3.0], 0), &dmatrix![-0.5, 0.5], hint);
    let hint = "the target is 800 behind, and so is the loss. Does an \
                exponential overflow?";
    expect(&loss(&[0.0, 800.0], 0), &dmatrix![800.0], hint);
    expect(&slopes(&[0.0, 800.0], 0), &dmatrix![-1.0, 1.0], hint);
    let hint = "the target is 800 ahead: no surprise";
    expect(&loss(&[0.0, 800.0], 1), &dmatrix![0.0], hint);

    let logits = [0.3, -1.0, 2.0, 0.5];
    for (j, slope) in surprise(&logits, 3).1.into_iter().enumerate() {
        let (mut less, mut more) = (logits, logits);
        less[j] -= 1e-5;
        more[j] += 1e-5;
        let measured = (surprise(&more, 3).0 - surprise(&less, 3).0) / 2e-5;
        assert!(
            (slope - measured).abs() < 1e-7,
            "slope {j} is {slope}, but as logit {j} moves the loss moves by \
             {measured:.7}"
        );
    }
}

fn a_text_has_one_perplexity() {
    let of = |parts: &[(f64, usize)]| dmatrix![text_perplexity(parts)];
    expect(&of(&[(2.0, 7)]), &dmatrix![2f64.exp()], "a single part");
    let hint = "two parts with the same loss";
    expect(&of(&[(2.0, 7), (2.0, 1)]), &dmatrix![2f64.exp()], hint);
    let hint = "one token at 0 nats and one at 2: the text has 1 nat per \
                token on average. What is its perplexity?";
    expect(&of(&[(0.0, 1), (2.0, 1)]), &dmatrix![1f64.exp()], hint);
    let hint = "3 tokens at 2 nats, 30 at 1";
    let expected = dmatrix![(36f64 / 33.0).exp()];
    expect(&of(&[(2.0, 3), (1.0, 30)]), &expected, hint);
}
