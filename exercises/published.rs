//! Exercises of the chapter on published models.

use all_you_need::plain::Matrix;

#[cfg(test)]
#[path = "checks/published.rs"]
mod check;

// Exercise 2

/// W^Q or W^K of heads with d_k columns each, from a file whose neighbours,
/// columns 2i and 2i + 1 of a head, are turned together. Puts the columns
/// where [`turn`](all_you_need::plain::published::turn) looks for the two of
/// a pair: i and i + d_k/2.
pub fn halves(d_k: usize, w: &Matrix) -> Matrix {
    todo!("heads of {d_k} of the {} columns", w.ncols())
}
