use all_you_need::plain::{
    self, EncoderLayer, Heads, Matrix, Model, Norm, add_norm, feed_forward,
    heads, softmax,
};
use all_you_need::tensor::Init;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::largest;

#[path = "../../exercises/checks/plain.rs"]
mod check;

// Exercise 1
//
// 1 + 2 + … + 8 = 36, of which 28 have been computed before. For t tokens and
// the end it is (t + 1)(t + 2)/2, so a sentence of twice the length costs about four
// times as much. The mask makes them superfluous: a row depends on none below it,
// so it comes out as before, and could have been kept.
#[test]
fn rows_that_were_computed_come_out_as_before() {
    assert_eq!((1..=8).sum::<usize>(), 36);
    assert_eq!((1..=7).sum::<usize>(), 28);
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut random = |rows, columns| rng.uniform(rows, columns, 1.0);
    let look = Heads(2, [(); 4].map(|()| random(8, 8)));
    let read = Heads(2, [(); 4].map(|()| random(8, 8)));
    let norm = || [Matrix::from_element(1, 8, 1.0), Matrix::zeros(1, 8)];
    let think = [random(8, 9), random(1, 9), random(9, 8), random(1, 8)];
    let (y, z) = (random(5, 8), random(3, 8));
    let layer = (look, norm(), read, norm(), think, norm());
    let five = plain::decoder_layer(&layer, &y, &z);
    let four = plain::decoder_layer(&layer, &y.rows(0, 4).into(), &z);
    assert!(largest(&(five.rows(0, 4) - four)) < 1e-12);
}

// Exercise 2
//
// `add_norm` with nothing added is the norm alone.

/// A layer of the encoder in pre-norm order, with the same parameters.
pub fn pre_norm(p: &EncoderLayer, x: &Matrix, mask: &Matrix) -> Matrix {
    let (look, norm1, think, norm2) = p;
    let normed = |norm: &Norm, x: &Matrix| add_norm(norm, x, &(x * 0.0));
    let seen = normed(norm1, x);
    let y = x + heads(look, &seen, &seen, mask);
    &y + feed_forward(think, &normed(norm2, &y))
}

// Exercise 3
//
// It is `attend` without the values, for one head.

/// The weights of head i, from 0, n × m, when the rows of x attend to those of
/// y.
pub fn weights(
    p: &Heads,
    i: usize,
    x: &Matrix,
    y: &Matrix,
    mask: &Matrix,
) -> Matrix {
    let Heads(h, [w_q, w_k, ..]) = p;
    let d_k = w_q.ncols() / h;
    let own = |w: &Matrix| w.columns(i * d_k, d_k).into_owned();
    let scores = x * own(w_q) * (y * own(w_k)).transpose();
    softmax(&(scores / (d_k as f64).sqrt() + mask))
}

// Exercise 4
//
// The table is used twice. The rows that go in are those of before, but the
// logits, which are products with the same table, are √d times as large.
// Greedy search still takes the largest, so its translation stays; but the
// probabilities are those of a temperature of 1/√d, nearly always 1 for one
// token, and a beam or a draw finds something else. The logits have to be
// divided by √d.
#[test]
fn a_table_that_is_larger_makes_larger_logits() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let table: Matrix = rng.uniform(6, 16, 0.25);
    let model = Model(table.clone(), vec![], vec![]);
    let z = plain::encode(&model, &[1, 2]);
    let logits = plain::decode(&model, &[0, 3], &z);
    let root = 4.0;
    let larger = &table * root;
    let rows = larger.select_rows(&[0, 3]) + plain::positions(2, 16);
    let theirs = rows * larger.transpose();
    assert!(largest(&(&theirs / root - &logits)) < 1e-12);
    assert!(largest(&(theirs - logits)) > 0.1);
}
