//! Exercises of the chapter on heads.

use all_you_need::plain::{Matrix, attend};

#[cfg(test)]
#[path = "checks/heads.rs"]
mod check;

// Exercise 3

/// Grouped-query attention: h heads of queries share the keys and values of g
/// heads. The first h/g heads of queries attend with the first keys and
/// values, the next h/g with the next, and so on.
///
/// Queries are n × h·d_k, keys m × g·d_k, values m × g·d_v; the result is
/// n × h·d_v. h is a multiple of g. The mask, n × m, is the same for all.
pub fn grouped(
    [q, k, v]: [&Matrix; 3],
    (h, g): (usize, usize),
    mask: &Matrix,
) -> Matrix {
    todo!("begin with the loop of `heads`, and ask which keys a head uses")
}

// Exercise 4

/// Cuts n × h·d into h matrices of n × d: the columns of the first head, of
/// the second, and so on. There is a mistake in it.
pub fn cut(x: &Matrix, heads: usize) -> Vec<Matrix> {
    let (n, d) = (x.nrows(), x.ncols() / heads);
    // All numbers, row after row.
    let numbers: Vec<f64> = x.transpose().iter().copied().collect();
    let parts = numbers.chunks(n * d);
    parts.map(|part| Matrix::from_row_slice(n, d, part)).collect()
}
