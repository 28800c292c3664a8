use all_you_need::attention::{Mask, attention};
use all_you_need::plain::{
    EncoderLayer, Heads, Matrix, add_norm, feed_forward, heads,
};
use nalgebra::dmatrix;

use crate::common::compare::close;

#[path = "../../exercises/checks/encoder.rs"]
mod check;

// Exercise 1
//
// The same row for both, $(-0.71, -0.71, 1.41)$. The network writes into the
// third column only, and the norm makes one row of all rows $(0, 0, a)$ with
// $a > 0$. What the two words were is lost: the sum had kept it.
#[test]
fn without_the_second_sum_both_words_are_alike() {
    let (zero, same) = (Matrix::zeros(3, 3), Matrix::identity(3, 3));
    let norm = [dmatrix![1.0, 1.0, 1.0], dmatrix![0.0, 0.0, 0.0]];
    let look = Heads(1, [zero.clone(), zero, same.clone(), same]);
    let think = [
        dmatrix![1.0, -1.0; -1.0, 1.0; 0.0, 0.0],
        dmatrix![0.0, 0.0],
        dmatrix![0.0, 0.0, 1.0; 0.0, 0.0, 1.0],
        dmatrix![0.0, 0.0, 0.0],
    ];
    let x = dmatrix![3.0, -1.0, 0.0; -2.0, 2.0, 0.0];
    let y = add_norm(&norm, &x, &heads(&look, &x, &x, &Matrix::zeros(2, 2)));
    let z = add_norm(&norm, &Matrix::zeros(2, 3), &feed_forward(&think, &y));
    let row = [-0.5f64.sqrt(), -0.5f64.sqrt(), 2f64.sqrt()];
    close(&z, &Matrix::from_fn(2, 3, |_, j| row[j]), 1e-4);
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
// In the paper's encoder every word has heard of all after one layer. Under a
// mask that shows each word itself and the next one, the first word has heard
// of the second after one layer and of the third after two. To find it out we
// run the encoder once on the rows as they are, and then once for each word,
// with a single number of its row changed. A row of the result that is not the
// same as before has heard of that word.

/// 1 where word i has heard of word j.
pub fn heard(encoder: impl Fn(&Matrix) -> Matrix, x: &Matrix) -> Matrix {
    let (n, before) = (x.nrows(), encoder(x));
    let mut heard = Matrix::zeros(n, n);
    for j in 0..n {
        let mut changed = x.clone();
        changed[(j, 0)] += 1.0;
        let after = encoder(&changed);
        for i in 0..n {
            heard[(i, j)] = f64::from(after.row(i) != before.row(i));
        }
    }
    heard
}

// Exercise 4
//
// Both norms were the first. Gains start as ones and biases as zeros, so
// before training the two norms are alike, and only then.

/// An encoder layer, from n × d_model to n × d_model.
pub fn forward(p: &EncoderLayer, x: &Matrix, mask: &Matrix) -> Matrix {
    let y = add_norm(&p.1, x, &heads(&p.0, x, x, mask));
    add_norm(&p.3, &y, &feed_forward(&p.2, &y))
}
