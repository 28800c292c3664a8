//! Checks the exercises of the chapter with the model in a hundred lines.

use super::weights;
use crate::expect::expect;
use all_you_need::attention::Mask;
use all_you_need::heads::MultiHead;
use all_you_need::plain::{Heads, causal};
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: the_weights_are_those_of_the_crate
}

/// Matrices of the crate, and the heads of the plain model made of them.
fn both() -> (MultiHead<Matrix>, Heads) {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let one: MultiHead<Matrix> = MultiHead::new(3, 12, (4, 2), rng);
    let MultiHead { w_q, w_k, w_v, w_o, .. } = one.clone();
    (one, Heads(3, [w_q, w_k, w_v, w_o]))
}

fn the_weights_are_those_of_the_crate() {
    let (heads, plain) = both();
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let x: Matrix = rng.uniform(2, 12, 1.0);
    let y: Matrix = rng.uniform(5, 12, 1.0);
    let expected = heads.weights(&x, &y, &Mask::none(2, 5));
    let all = Matrix::zeros(2, 5);
    for (i, expected) in expected.iter().enumerate() {
        let hint = "does head i have columns i · d_k and those that follow, \
                    and are the scores divided by √d_k?";
        expect(&weights(&plain, i, &x, &y, &all), expected, hint);
    }
    let expected = &heads.weights(&y, &y, &Mask::causal(5))[1];
    let hint = "is the mask added to the scores?";
    expect(&weights(&plain, 1, &y, &y, &causal(5)), expected, hint);
}
