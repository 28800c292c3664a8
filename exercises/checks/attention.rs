//! Checks the exercises of the chapter on attention.

use super::{in_loops, softmax_rows};
use crate::expect::expect;
use all_you_need::attention::{Mask, Softmax, attention};
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: loops_give_what_the_formula_gives,
    exercise_4: every_row_sums_to_1
}

fn loops_give_what_the_formula_gives() {
    let (q, k) = (dmatrix![2.0, 0.0], dmatrix![2.0, 1.0]);
    let found = in_loops(&q, &k, &dmatrix![10.0, 3.0]);
    expect(&found, &dmatrix![10.0, 3.0], "a single key has the weight 1");

    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let (q, k): (Matrix, Matrix) =
        (rng.uniform(3, 4, 1.0), Matrix::zeros(5, 4));
    let v = rng.uniform(5, 2, 1.0);
    let mean = attention(&q, &k, &v, &Mask::none(3, 5));
    let hint = "with keys of zeros all scores are 0, so each row should be \
                the mean of the values";
    expect(&in_loops(&q, &k, &v), &mean, hint);

    let k = rng.uniform(5, 4, 1.0);
    let expected = attention(&q, &k, &v, &Mask::none(3, 5));
    let hint = "3 queries, 5 keys, d_k = 4, d_v = 2: are the scores divided \
                by √d_k?";
    expect(&in_loops(&q, &k, &v), &expected, hint);
}

fn every_row_sums_to_1() {
    let one = dmatrix![0.0, 1.0, 2.0];
    let expected = one.softmax(&Mask::none(1, 3));
    let hint = "a single row was right before: each weight is an exponential \
                over the sum of its row";
    expect(&softmax_rows(&one), &expected, hint);

    let scores = dmatrix![0.0, 1.0, 2.0; 1.0, 1.0, 1.0];
    let expected = scores.softmax(&Mask::none(2, 3));
    let hint = "the first row may be right. What does the second one get \
                from it?";
    expect(&softmax_rows(&scores), &expected, hint);
}
