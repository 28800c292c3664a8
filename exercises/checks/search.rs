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

    let p = [0.5, 0.25, 0.25];
    let hint = "the first token has 0.5, which is already enough for p = 0.5";
    expect(&found(&p, 0.5), &row(&[1.0, 0.0, 0.0]), hint);
    let hint = "of two equal tokens one is enough here: keep the fewest, and \
                of equals the first";
    let expected = row(&[0.5 / 0.75, 0.25 / 0.75, 0.0]);
    expect(&found(&p, 0.7), &expected, hint);

    let p = [0.4, 0.3, 0.2, 0.1];
    let hint = "the two most probable tokens have 0.7 together, enough for \
                p = 0.6. Whether a token is kept depends on the sum of those \
                before it, and not on how it compares with the best";
    let expected = row(&[0.4 / 0.7, 0.3 / 0.7, 0.0, 0.0]);
    expect(&found(&p, 0.6), &expected, hint);

    let p = [0.1, 0.2, 0.7];
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
    let next = vec![-0.5, -3.0];
    let found = best_of_all(&[-2.0, -0.5], &[certain, next.clone()], 2);
    assert_eq!(found, [(1, 0, -1.0), (0, 1, -2.0)], "{hint}");

    let hint = "both of the best continue the first hypothesis: one \
                hypothesis may have several continuations, and another none";
    let found = best_of_all(&[-1.0, -9.0], &[next.clone(), next], 2);
    assert_eq!(found, [(0, 0, -1.5), (0, 1, -4.0)], "{hint}");
}
