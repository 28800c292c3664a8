//! Exercises of the chapter on the parts of a layer.

use all_you_need::layers::{FeedForward, LAYER_NORM_EPSILON, Linear};
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

#[cfg(test)]
#[path = "checks/layers.rs"]
mod check;

// Exercise 3

/// A feed-forward network from (a, b), n × 2, to the larger of the two,
/// n × 1. It is the crate's: `inner` and `outer` are a `Linear` each, with a
/// `weight` and a `bias`.
pub fn larger() -> FeedForward<Matrix> {
    todo!("two matrices and two biases; three hidden units are enough")
}

// Exercise 4

/// Gives each row mean 0 and variance 1, as a layer norm does before γ and β.
/// There is a mistake in it.
pub fn standardize(x: &Matrix) -> Matrix {
    let mut x = x.clone();
    for mut row in x.row_iter_mut() {
        let mean = row.mean();
        let variance = row.norm_squared() / row.ncols() as f64;
        row.add_scalar_mut(-mean);
        row /= (variance + LAYER_NORM_EPSILON).sqrt();
    }
    x
}
