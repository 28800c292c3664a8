//! Checks the exercises of the chapter on speed.

use super::{in_one_pass, sum_in_strands};
use crate::expect::expect;
use all_you_need::attention::{Mask, attention};
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_4: one_pass_gives_what_the_formula_gives,
    exercise_5: no_number_is_left_out
}

fn one_pass_gives_what_the_formula_gives() {
    let (q, k) = (dmatrix![2.0, 0.0], dmatrix![2.0, 1.0]);
    let found = in_one_pass(&q, &k, &dmatrix![10.0, 3.0]);
    let hint = "a single key has the weight 1";
    expect(&found, &dmatrix![10.0, 3.0], hint);

    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let k: Matrix = rng.uniform(5, 4, 1.0);
    let (q, v): (Matrix, Matrix) =
        (rng.uniform(3, 4, 1.0), rng.uniform(5, 2, 1.0));
    let formula = |q| attention(q, &k, &v, &Mask::none(3, 5));
    let hint = "3 queries, 5 keys, d_k = 4, d_v = 2. When a larger score \
                comes, does the sum of the values get smaller as well?";
    expect(&in_one_pass(&q, &k, &v), &formula(&q), hint);
    let large = &q * 2000.0;
    let hint = "scores in the thousands: is the largest score so far \
                subtracted before each exponential?";
    expect(&in_one_pass(&large, &k, &v), &formula(&large), hint);
}

fn no_number_is_left_out() {
    for n in [16, 32, 0, 17, 3] {
        let halves = vec![0.5; n];
        let found = sum_in_strands(&halves);
        let hint = "which of the numbers are in no block?";
        assert_eq!(found, 0.5 * n as f32, "{n} halves: {hint}");
    }
}
