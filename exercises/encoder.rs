//! Exercises of the chapter on the encoder.

use all_you_need::plain::{
    EncoderLayer, Matrix, add_norm, feed_forward, heads,
};

#[cfg(test)]
#[path = "checks/encoder.rs"]
mod check;

// Exercise 3

/// Which words have heard of which: an n × n matrix with a 1 in row i, column
/// j, if row i of the result changes when row j of `x`, n × d_model, is
/// changed, and 0 elsewhere. `encoder` makes n × d_model of n × d_model.
pub fn heard(encoder: impl Fn(&Matrix) -> Matrix, x: &Matrix) -> Matrix {
    todo!("change one row after the other, and compare what comes out")
}

// Exercise 4

/// An encoder layer, from n × d_model to n × d_model. There is a mistake in
/// it.
pub fn forward(p: &EncoderLayer, x: &Matrix, mask: &Matrix) -> Matrix {
    let y = add_norm(&p.1, x, &heads(&p.0, x, x, mask));
    add_norm(&p.1, &y, &feed_forward(&p.2, &y))
}
