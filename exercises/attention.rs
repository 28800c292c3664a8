//! Exercises of the chapter on attention.

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

// Exercise 4

/// Softmax along each row. There is a mistake in it.
pub fn softmax_rows(scores: &Matrix) -> Matrix {
    let mut weights = scores.map(f64::exp);
    let mut sum = 0.0;
    for mut row in weights.row_iter_mut() {
        for exponential in row.iter() {
            sum += exponential;
        }
        row /= sum;
    }
    weights
}
