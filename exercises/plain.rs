//! Exercises of the chapter with the model in a hundred lines.

use all_you_need::plain::{
    EncoderLayer, Heads, Matrix, add_norm, feed_forward, heads, softmax,
};

#[cfg(test)]
#[path = "checks/plain.rs"]
mod check;

// Exercise 2

/// A layer of the encoder in pre-norm order, with the same parameters. The
/// norm above the whole stack is somebody else's.
pub fn pre_norm(p: &EncoderLayer, x: &Matrix, mask: &Matrix) -> Matrix {
    todo!("x + what a sublayer makes of LayerNorm(x), twice")
}

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
