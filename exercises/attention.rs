//! Exercises of the chapter on attention.

use all_you_need::plain::softmax;
use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/attention.rs"]
mod check;

// Exercise 2

/// Attention(Q, K, V) in loops, without a mask. Queries are n × d_k, keys
/// m × d_k, values m × d_v; the result is n × d_v.
pub fn in_loops(q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    todo!("loop over queries, keys, and columns of the values")
}

// Exercise 3

/// Attention(Q, K, V), without a mask. There is a mistake in it.
pub fn attended(q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    let scores = q * k.transpose() / (v.ncols() as f64).sqrt();
    softmax(&scores) * v
}
