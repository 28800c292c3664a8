//! Exercises of the chapter on matrices.

use all_you_need::tensor::{Matrix, Tensor};

#[cfg(test)]
#[path = "checks/tensor.rs"]
mod check;

// Exercise 3

/// A tensor without numbers, which writes formulas down.
#[derive(Clone, Debug)]
pub struct Name(pub String);

/// A and B are the names of tensors.
impl Tensor for Name {
    fn shape(&self) -> (usize, usize) {
        unimplemented!("a name has no size")
    }

    /// `(A B)`
    fn matmul(&self, other: &Self) -> Self {
        Name(format!("({} {})", self.0, other.0))
    }

    /// `Aᵀ`
    fn transpose(&self) -> Self {
        todo!()
    }

    /// `(A + B)`
    fn add(&self, other: &Self) -> Self {
        todo!()
    }

    /// `0.5 A`
    fn scale(&self, factor: f64) -> Self {
        todo!()
    }

    /// `A[2, 0]`
    fn gather(&self, rows: &[usize]) -> Self {
        todo!()
    }

    /// `A_1` and `A_2`
    fn chunk(&self, chunks: usize) -> Vec<Self> {
        todo!()
    }

    /// `[A, B]`
    fn concat(parts: &[Self]) -> Self {
        todo!()
    }

    /// `C`
    fn constant(&self, _: &Matrix) -> Self {
        Name("C".into())
    }
}

// Exercise 4

/// The matrix with these rows, n × m. There are n rows of m numbers each, and
/// at least one. There is a mistake in it.
pub fn from_rows(rows: &[Vec<f64>]) -> Matrix {
    Matrix::from_vec(rows.len(), rows[0].len(), rows.concat())
}
