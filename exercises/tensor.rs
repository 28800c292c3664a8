//! Exercises of the chapter on matrices.

use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/tensor.rs"]
mod check;

// Exercise 3

/// The product A B, computed by comparing: each cell is the dot product of a
/// row of A and a column of B. The matrices can be of any sizes that fit.
pub fn by_comparing(a: &Matrix, b: &Matrix) -> Matrix {
    todo!("for every cell, add up the products of its row and its column")
}

/// The product A B, computed by mixing: each row is a sum of rows of B.
pub fn by_mixing(a: &Matrix, b: &Matrix) -> Matrix {
    todo!("for every row, take the rows of B with the numbers of A's row")
}

// Exercise 4

/// The matrix with these rows, n × m. There are n rows of m numbers each, and
/// at least one. There is a mistake in it.
pub fn from_rows(rows: &[Vec<f64>]) -> Matrix {
    Matrix::from_vec(rows.len(), rows[0].len(), rows.concat())
}
