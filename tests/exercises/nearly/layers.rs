use all_you_need::layers::{FeedForward, Linear};
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

#[path = "../../../exercises/checks/layers.rs"]
mod check;

/// Right until b is below −10,000,000: the bias does not lift it any more.
pub fn larger() -> FeedForward<Matrix> {
    FeedForward {
        inner: Linear {
            weight: dmatrix![1.0, 0.0; -1.0, 1.0],
            bias: dmatrix![0.0, 1e7],
        },
        outer: Linear { weight: dmatrix![1.0; 1.0], bias: dmatrix![-1e7] },
    }
}

/// Divides by the standard deviation, and does not say anything of ε.
pub fn standardize(x: &Matrix) -> Matrix {
    let mut x = x.clone();
    for mut row in x.row_iter_mut() {
        let mean = row.mean();
        row.add_scalar_mut(-mean);
        let deviation = row.variance().sqrt();
        row /= deviation;
    }
    x
}
