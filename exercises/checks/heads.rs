//! Checks the exercises of the chapter on heads.

use super::{combine, grouped};
use crate::expect::expect;
use all_you_need::plain::{Heads, Matrix, attend, heads};
use all_you_need::tensor::Init;
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: groups_share_their_keys_and_values,
    exercise_4: every_head_has_rows_of_the_output_projection
}

/// Attention with h heads, each with its own keys and values.
fn by_head([q, k, v]: [&Matrix; 3], h: usize, mask: &Matrix) -> Matrix {
    // The rows that ask are beside those that answer, and each projection
    // picks its own columns.
    let [a, b, c] = [q, k, v].map(Matrix::ncols);
    let all = a + b + c;
    let pick = |from: usize, width: usize| {
        Matrix::from_fn(all, width, |i, j| f64::from(i == from + j))
    };
    let place =
        |m: &Matrix, from: usize| m * pick(from, m.ncols()).transpose();
    let w_o = Matrix::identity(c, c);
    let p = Heads(h, [pick(0, a), pick(a, b), pick(a + b, c), w_o]);
    heads(&p, &place(q, 0), &(place(k, a) + place(v, a + b)), mask)
}

/// These parts of a matrix, if it is cut into four.
fn quarters(x: &Matrix, parts: &[usize]) -> Matrix {
    let d = x.ncols() / 4;
    let columns = parts.iter().flat_map(|part| part * d..(part + 1) * d);
    x.select_columns(&Vec::from_iter(columns))
}

fn groups_share_their_keys_and_values() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mask = Matrix::zeros(3, 5);
    let q: Matrix = rng.uniform(3, 4 * 2, 1.0);
    let k: Matrix = rng.uniform(5, 4 * 2, 1.0);
    let v: Matrix = rng.uniform(5, 4, 1.0);
    let [first_q, first_k, first_v] = [&q, &k, &v].map(|x| quarters(x, &[0]));
    let found = grouped([&first_q, &first_k, &first_v], (1, 1), &mask);
    let expected = attend(&first_q, &first_k, &first_v, &mask);
    expect(&found, &expected, "one head, one group: plain attention");

    let found = grouped([&q, &k, &v], (4, 4), &mask);
    let expected = by_head([&q, &k, &v], 4, &mask);
    let hint = "four heads, four groups: every head has its own keys";
    expect(&found, &expected, hint);

    let found = grouped([&q, &first_k, &first_v], (4, 1), &mask);
    let [all_k, all_v] = [&k, &v].map(|x| quarters(x, &[0, 0, 0, 0]));
    let expected = by_head([&q, &all_k, &all_v], 4, &mask);
    let hint = "four heads, one group: all use the same keys and values";
    expect(&found, &expected, hint);

    let [two_k, two_v] = [&k, &v].map(|x| quarters(x, &[0, 1]));
    let found = grouped([&q, &two_k, &two_v], (4, 2), &mask);
    let [all_k, all_v] = [&k, &v].map(|x| quarters(x, &[0, 0, 1, 1]));
    let expected = by_head([&q, &all_k, &all_v], 4, &mask);
    let hint = "four heads, two groups: heads 0 and 1 use the first keys, \
                heads 2 and 3 the second";
    expect(&found, &expected, hint);

    let hidden = |_, j| if j < 2 { 0.0 } else { f64::NEG_INFINITY };
    let mask = Matrix::from_fn(3, 5, hidden);
    let found = grouped([&q, &two_k, &two_v], (4, 2), &mask);
    let expected = by_head([&q, &all_k, &all_v], 4, &mask);
    let hint = "the mask hides the last three of five keys. Does every head \
                get the mask?";
    expect(&found, &expected, hint);
}

fn every_head_has_rows_of_the_output_projection() {
    let found = [dmatrix![1.0, 2.0], dmatrix![3.0, 4.0]];
    let side_by_side = dmatrix![1.0, 2.0, 3.0, 4.0];
    let same = Matrix::identity(4, 4);
    let hint = "with the identity as W^O, the heads are side by side";
    expect(&combine(&found, &same), &side_by_side, hint);

    let w_o = Matrix::from_fn(4, 4, |i, j| (4 * i + j) as f64);
    let hint = "Concat(head_1, head_2) W^O: which numbers of W^O meet those \
                of head 2?";
    expect(&combine(&found, &w_o), &(side_by_side * &w_o), hint);
}
