//! The matrices of the layers and models to compare with.

use all_you_need::plain::Matrix;

/// Numbers that any program can make.
pub fn sines(k: usize, rows: usize, columns: usize) -> Matrix {
    let cell = |i, j| ((k + 3 * i + 5 * j + 7 * i * j) as f64).sin();
    Matrix::from_fn(rows, columns, cell)
}
