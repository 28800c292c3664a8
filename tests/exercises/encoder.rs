use all_you_need::attention::{Mask, attention};
use all_you_need::encoder::{Encoder, EncoderLayer};
use all_you_need::plain::{Heads, encoder_layer};
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

use crate::common::compare::close;

#[path = "../../exercises/checks/encoder.rs"]
mod check;

// Exercise 1
//
// What went in. The rows (1, −1) and (−1, 1) have the mean (0, 0), so the
// attention adds nothing; the network makes them (3, −1) and (−1, 3) again;
// and the norm takes that back.
#[test]
fn a_second_copy_changes_nothing() {
    let (zero, same) = (Matrix::zeros(2, 2), Matrix::identity(2, 2));
    let norm = || [dmatrix![1.0, 1.0], dmatrix![0.0, 0.0]];
    let look = Heads(1, [zero.clone(), zero, same.clone(), same.clone()]);
    let (bend, none) = (dmatrix![1.0, -1.0; -1.0, 1.0], dmatrix![0.0, 0.0]);
    let layer = (look, norm(), [bend, none.clone(), same, none], norm());
    let up = |x| encoder_layer(&layer, &x, &Matrix::zeros(2, 2));
    let once = up(dmatrix![3.0, -1.0; -2.0, 2.0]);
    close(&once, &dmatrix![1.0, -1.0; -1.0, 1.0], 1e-4);
    close(&up(once.clone()), &once, 1e-4);
}

// Exercise 2
//
// 65 women. Each layer doubles the number of generations, so six layers
// lead 64 generations up, and the oldest is the sixty-fifth.
#[test]
fn six_layers_lead_64_generations_up() {
    let oldest_known = |n: usize, layers: usize| {
        let who = Matrix::identity(n, n);
        let mother: Vec<usize> = (0..n).map(|i| (i + 1).min(n - 1)).collect();
        let mut known = who.select_rows(&mother);
        for _ in 0..layers {
            let loudly = &known * 1000.0;
            known = attention(&loudly, &who, &known, &Mask::none(n, n));
        }
        known.row(0).transpose().argmax().0
    };
    assert_eq!(oldest_known(9, 3), 8);
    assert_eq!(oldest_known(65, 6), 64);
    assert_eq!(oldest_known(66, 6), 64);
}

// Exercise 3
//
// We run the encoder once on the rows as they are, and then once for each
// word, with a single number of its row changed. A row of the result that is
// not the same as before has heard of that word.

/// 1 where word i has heard of word j.
pub fn heard(encoder: &Encoder<Matrix>, x: &Matrix, mask: &Mask) -> Matrix {
    let n = x.nrows();
    let before = encoder.forward(x, mask);
    let mut heard = Matrix::zeros(n, n);
    for j in 0..n {
        let mut changed = x.clone();
        changed[(j, 0)] += 1.0;
        let after = encoder.forward(&changed, mask);
        for i in 0..n {
            heard[(i, j)] = f64::from(after.row(i) != before.row(i));
        }
    }
    heard
}

// Exercise 4
//
// The second residual connection started from `x` and not from `y`, so it
// went around the attention as well. What a word had heard reached the result
// only through the feed-forward network.

/// An encoder layer, from n × d_model to n × d_model.
pub fn forward(
    layer: &EncoderLayer<Matrix>,
    x: &Matrix,
    mask: &Mask,
) -> Matrix {
    let attended = layer.attention.forward(x, x, mask);
    let y = layer.attention_norm.add_norm(x, &attended);
    let mapped = layer.feed_forward.forward(&y);
    layer.feed_forward_norm.add_norm(&y, &mapped)
}
