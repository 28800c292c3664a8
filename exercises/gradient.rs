//! Exercises of the chapter on gradients.

use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/gradient.rs"]
mod check;

/// A number on a tape, which is a list of them here: its value, and for each
/// of its inputs the place on the tape and the slope.
pub type Entry = (f64, Vec<(usize, f64)>);

// Exercise 2

/// Writes down e to the power of the number at `a`, and returns its place.
pub fn exp(tape: &mut Vec<Entry>, a: usize) -> usize {
    todo!("push the value, with the place and the slope of its input")
}

/// Writes down the number at `a` divided by that at `b`, and returns its
/// place.
pub fn div(tape: &mut Vec<Entry>, a: usize, b: usize) -> usize {
    todo!("push the value, with the places and the slopes of both inputs")
}

// Exercise 3

/// The gradient of the scores, from the weights p = softmax(scores) and
/// their gradient g, row by row. There is a mistake in it.
pub fn softmax_backward(p: &Matrix, g: &Matrix) -> Matrix {
    let mut gradient = p.component_mul(g);
    for (mut row, p) in gradient.row_iter_mut().zip(p.row_iter()) {
        let mean = row.mean();
        row -= p * mean;
    }
    gradient
}
