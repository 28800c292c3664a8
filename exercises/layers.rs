//! Exercises of the chapter on the parts of a layer.

use all_you_need::layers::{
    FeedForward, LAYER_NORM_EPSILON, Linear, Rowwise,
};
use all_you_need::tensor::{Matrix, Tensor};
use nalgebra::dmatrix;

#[cfg(test)]
#[path = "checks/layers.rs"]
mod check;

// Exercise 3

/// A feed-forward network from (a, b), n × 2, to the larger of the two,
/// n × 1.
pub fn larger() -> FeedForward<Matrix> {
    todo!("two matrices and two biases; three hidden units are enough")
}

// Exercise 4

/// RMSNorm: every row of `x`, n × d, divided by √(m + ε), where m is the mean
/// of the squares of its numbers and ε is `LAYER_NORM_EPSILON`. The result is
/// multiplied, cell by cell, with `gain`, 1 × d. Nothing is subtracted.
pub fn rms_norm(x: &Matrix, gain: &Matrix) -> Matrix {
    todo!()
}

/// GELU, cell by cell: ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))).
pub fn gelu(x: &Matrix) -> Matrix {
    todo!()
}

/// A sublayer with its norm in front and the residual connection around both:
/// x + Sublayer(Norm(x)), all n × d.
pub fn pre_norm(
    x: &Matrix,
    norm: impl Fn(&Matrix) -> Matrix,
    sublayer: impl Fn(&Matrix) -> Matrix,
) -> Matrix {
    todo!()
}

// Exercise 5

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
