//! Exercises of the chapter with the model in a hundred lines.

use all_you_need::plain::{Heads, Matrix, softmax};

#[cfg(test)]
#[path = "checks/plain.rs"]
mod check;

// Exercise 3

/// The weights of head i, from 0, n × m, when the rows of x attend to those of
/// y.
pub fn weights(
    p: &Heads,
    i: usize,
    x: &Matrix,
    y: &Matrix,
    mask: &Matrix,
) -> Matrix {
    todo!("the columns of W^Q and W^K that are this head's, and softmax")
}
