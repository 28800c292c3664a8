//! Checks the exercises of the chapter on positions.

use super::{encode, rotate};
use crate::expect::expect;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: rotated_rows_know_their_distance,
    exercise_4: a_hand_is_a_sine_and_a_cosine
}

fn rotated_rows_know_their_distance() {
    let x = dmatrix![1.0, 0.0];
    let hint = "at position 0 nothing is turned";
    expect(&rotate(&x, &[0]), &x, hint);
    let hint = "with d = 2 there is a single pair, which turns by 1 radian \
                per position";
    let expected = dmatrix![1f64.cos(), 1f64.sin()];
    expect(&rotate(&x, &[1]), &expected, hint);
    let hint = "(0, 1) at position 1 becomes (−sin 1, cos 1)";
    let expected = dmatrix![-1f64.sin(), 1f64.cos()];
    expect(&rotate(&dmatrix![0.0, 1.0], &[1]), &expected, hint);
    let hint = "with d = 4 the second pair turns by 0.01 radians";
    let x = dmatrix![1.0, 0.0, 1.0, 0.0];
    let [a, b] = [2f64, 0.02].map(f64::sin_cos);
    let expected = dmatrix![a.1, a.0, b.1, b.0];
    expect(&rotate(&x, &[2]), &expected, hint);

    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let (q, k): (Matrix, Matrix) =
        (rng.uniform(1, 8, 1.0), rng.uniform(1, 8, 1.0));
    let score = |i, j| rotate(&q, &[i]) * rotate(&k, &[j]).transpose();
    let hint = "two words four positions apart have the same dot product \
                wherever they are";
    expect(&score(107, 103), &score(7, 3), hint);
    let both = Matrix::from_rows(&[q.row(0), k.row(0)]);
    let hint = "each row is turned by the position of its own word";
    let first = rotate(&both, &[5, 9]).rows(0, 1).into_owned();
    expect(&first, &rotate(&q, &[5]), hint);
    let second = rotate(&both, &[5, 9]).rows(1, 1).into_owned();
    expect(&second, &rotate(&k, &[9]), hint);
}

fn a_hand_is_a_sine_and_a_cosine() {
    let hint = "position 0: zeros and ones";
    expect(&encode(&[0], 4), &sinusoidal(&[0], 4), hint);
    let hint = "position 1, two columns. They are one hand, and should be \
                the sine and the cosine of the same angle";
    expect(&encode(&[1], 2), &sinusoidal(&[1], 2), hint);
    let hint = "three positions, six columns";
    expect(&encode(&[0, 5, 70], 6), &sinusoidal(&[0, 5, 70], 6), hint);
}
