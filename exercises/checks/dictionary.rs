//! Checks the exercises of the chapter on look-ups.

use super::{slopes, weights};
use crate::expect::expect;
use all_you_need::dictionary::{soft_lookup, softmax};
use all_you_need::tensor::Matrix;

checks! {
    exercise_3: the_slopes_are_those_that_one_measures,
    exercise_4: weights_are_right_wherever_the_scores_are
}

fn row(numbers: &[f64]) -> Matrix {
    Matrix::from_row_slice(1, numbers.len(), numbers)
}

fn the_slopes_are_those_that_one_measures() {
    let hint = "a single key has the weight 1, whatever its score is";
    expect(&row(&slopes(&[3.0], &[10.0])), &row(&[0.0]), hint);
    let hint = "two keys of equal score, and values of 10 and 0: the answer \
                is 5. Raise the first score by 0.001, and see how far it \
                moves";
    let found = slopes(&[1.0, 1.0], &[10.0, 0.0]);
    expect(&row(&found), &row(&[2.5, -2.5]), hint);

    let scores = [0.6f64.ln(), 0.4f64.ln(), -5.0];
    let values = [10.0, 5.0, 2.0];
    let answer = |scores: &[f64]| soft_lookup(&softmax(scores), &values);
    for (j, slope) in slopes(&scores, &values).into_iter().enumerate() {
        let (mut less, mut more) = (scores, scores);
        less[j] -= 1e-5;
        more[j] += 1e-5;
        let measured = (answer(&more) - answer(&less)) / 2e-5;
        assert!(
            (slope - measured).abs() < 1e-7,
            "fruit, and key {j}: {measured:.7} is measured, and not {slope}. \
             If you have measured as well, take a formula instead. It has \
             the key's weight in it, its value, and the answer"
        );
    }
}

fn weights_are_right_wherever_the_scores_are() {
    let hint = "scores of 1 and 0";
    let expected = row(&softmax(&[1.0, 0.0]));
    expect(&row(&weights(&[1.0, 0.0])), &expected, hint);
    let hint = "scores of 800 and 799 have the weights of 1 and 0";
    expect(&row(&weights(&[800.0, 799.0])), &expected, hint);
    let hint = "scores of −800 and −801 have the weights of 1 and 0, too. \
                Which number is taken for the highest of them?";
    expect(&row(&weights(&[-800.0, -801.0])), &expected, hint);
}
