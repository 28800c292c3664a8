use all_you_need::layers::{
    FeedForward, LAYER_NORM_EPSILON, LayerNorm, Linear, Rowwise,
};
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::close;

#[path = "../../exercises/checks/layers.rs"]
mod check;

// Exercise 1
//
// Only (−1, 1) and (1, −1), and, thanks to ε, (0, 0) if the two numbers are
// equal. The mean is halfway between them, so both are equally far from it, and
// the only information left is which of them is larger.
#[test]
fn two_numbers_become_minus_one_and_one() {
    let x = dmatrix![3.0, 9.0; 900.0, 30.0; 4.0, 4.0];
    let expected = dmatrix![-1.0, 1.0; 1.0, -1.0; 0.0, 0.0];
    close(&x.standardize(), &expected, 1e-5);
}

// Exercise 2
//
// Nothing. The sublayer adds zeros, and the norm finds a row that already has
// mean 0 and variance 1. So training can switch this sublayer off by making
// $W_2$ and $b_2$ small.
#[test]
fn a_silent_sublayer_lets_the_row_through() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut network: FeedForward<Matrix> = FeedForward::new(5, 20, rng);
    network.outer.weight.fill(0.0);
    let norm: LayerNorm<Matrix> = LayerNorm::new(5, rng);
    let x: Matrix = rng.uniform(3, 5, 1.0);
    let x = norm.forward(&x);
    let out = norm.add_norm(&x, &network.forward(&x));
    close(&out, &x, 1e-4);
}

// Exercise 3
//
// The larger number is $b + \max(0, a - b)$. A ReLU would stop a negative
// $b$, so $b$ goes through two of them, as $\max(0, b) - \max(0, -b)$.

/// A feed-forward network from (a, b) to the larger of the two.
pub fn larger() -> FeedForward<Matrix> {
    FeedForward {
        inner: Linear {
            // a − b, b and −b
            weight: dmatrix![1.0, 0.0, 0.0; -1.0, 1.0, -1.0],
            bias: dmatrix![0.0, 0.0, 0.0],
        },
        outer: Linear {
            weight: dmatrix![1.0; 1.0; -1.0],
            bias: dmatrix![0.0],
        },
    }
}

// Exercise 4
//
// The squares were taken before the mean was subtracted, so the row was
// divided by its root mean square and not by its standard deviation. For a
// row with mean 0 the two are the same.

/// Gives each row mean 0 and variance 1.
pub fn standardize(x: &Matrix) -> Matrix {
    let mut x = x.clone();
    for mut row in x.row_iter_mut() {
        let mean = row.mean();
        row.add_scalar_mut(-mean);
        let variance = row.norm_squared() / row.ncols() as f64;
        row /= (variance + LAYER_NORM_EPSILON).sqrt();
    }
    x
}
