//! Checks the exercises of the chapter with the model in a hundred lines.

use super::{pre_norm, weights};
use crate::expect::expect;
use all_you_need::attention::Mask;
use all_you_need::heads::MultiHead;
use all_you_need::plain::{EncoderLayer, Heads, causal};
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: the_norm_comes_before_each_sublayer,
    exercise_3: the_weights_are_those_of_the_crate
}

/// Matrices of the crate, and the heads of the plain model made of them.
fn both() -> (MultiHead<Matrix>, Heads) {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let one: MultiHead<Matrix> = MultiHead::new(3, 12, (4, 2), rng);
    let MultiHead { w_q, w_k, w_v, w_o, .. } = one.clone();
    (one, Heads(3, [w_q, w_k, w_v, w_o]))
}

fn the_norm_comes_before_each_sublayer() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let (heads, look) = both();
    let mut random = |rows, columns| rng.uniform(rows, columns, 1.0);
    let x: Matrix = random(5, 12);
    let norm1 = [random(1, 12), random(1, 12)];
    let think = [random(12, 7), random(1, 7), random(7, 12), random(1, 12)];
    let norm2 = [random(1, 12), random(1, 12)];
    let normed = |[gain, bias]: &[Matrix; 2], x: &Matrix| {
        Matrix::from_fn(5, 12, |i, j| {
            let (mean, variance) = (x.row(i).mean(), x.row(i).variance());
            let scaled = (x[(i, j)] - mean) / (variance + 1e-5).sqrt();
            scaled * gain[j] + bias[j]
        })
    };
    let first = normed(&norm1, &x);
    let y = &x + heads.forward(&first, &first, &Mask::causal(5));
    let [w1, b1, w2, b2] = &think;
    let rows = |b: &Matrix| b.select_rows(&[0; 5]);
    let hidden = normed(&norm2, &y) * w1 + rows(b1);
    let z = &y + hidden.map(|x| x.max(0.0)) * w2 + rows(b2);
    let layer: EncoderLayer = (look, norm1, think, norm2);
    let hint = "is each norm inside its sum, and does x itself go around it? \
                The words in `heads` are the normed ones on both sides";
    expect(&pre_norm(&layer, &x, &causal(5)), &z, hint);
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
