//! Checks the exercises of the chapter on attention.

use super::{attended, in_loops};
use crate::expect::expect;
use all_you_need::attention::{Mask, attention};
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: loops_give_what_the_formula_gives,
    exercise_3: scores_are_divided_by_the_width_of_a_key
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

fn scores_are_divided_by_the_width_of_a_key() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let (q, k): (Matrix, Matrix) =
        (rng.uniform(3, 4, 1.0), rng.uniform(5, 4, 1.0));
    let v = rng.uniform(5, 4, 1.0);
    let expected = attention(&q, &k, &v, &Mask::none(3, 5));
    let hint = "d_k = d_v = 4: this was right before";
    expect(&attended(&q, &k, &v), &expected, hint);

    let v = rng.uniform(5, 2, 1.0);
    let expected = attention(&q, &k, &v, &Mask::none(3, 5));
    let hint = "d_k = 4, d_v = 2. Of how many products is a score the sum?";
    expect(&attended(&q, &k, &v), &expected, hint);
}
