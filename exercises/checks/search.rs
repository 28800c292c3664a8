//! Checks the exercises of the chapter on search.

use super::{best_of_all, nucleus};
use crate::expect::expect;
use all_you_need::tensor::Matrix;

checks! {
    exercise_2: the_fewest_that_have_enough_are_kept,
    exercise_4: every_continuation_has_its_parent
}

fn the_fewest_that_have_enough_are_kept() {
    let found = |probabilities: &[f64], p| {
        let kept = nucleus(probabilities, p);
        Matrix::from_row_slice(1, kept.len(), &kept)
    };
    let row = |cells: &[f64]| Matrix::from_row_slice(1, cells.len(), cells);

    let p = [0.25, 0.5, 0.25];
    let hint = "with p = 0.4 the most probable token alone is enough, and \
                then it is certain";
    expect(&found(&p, 0.4), &row(&[0.0, 1.0, 0.0]), hint);

    let p = [0.1, 0.2, 0.7];
    let hint = "0.7 is less than 0.8, so the second token is needed as well: \
                the one with which the sum reaches p is kept";
    let expected = row(&[0.0, 0.2 / 0.9, 0.7 / 0.9]);
    expect(&found(&p, 0.8), &expected, hint);

    expect(&found(&p, 1.0), &row(&p), "with p = 1 nothing changes");
    let hint = "however small p is, one token is left";
    expect(&found(&p, 1e-9), &row(&[0.0, 0.0, 1.0]), hint);
}

fn every_continuation_has_its_parent() {
    let certain = vec![f64::NEG_INFINITY, 0.0];
    let hint = "one hypothesis and a beam of one";
    let found = best_of_all(&[-1.0], std::slice::from_ref(&certain), 1);
    assert_eq!(found, [(0, 1, -1.0)], "{hint}");

    let hint = "the second hypothesis is the better one, and its first token \
                wins. Which hypothesis does the cache have to copy?";
    let found = best_of_all(&[-2.0, -0.5], &[certain, vec![-0.5, -3.0]], 2);
    assert_eq!(found, [(1, 0, -1.0), (0, 1, -2.0)], "{hint}");
}
