//! Exercises of the chapter on the encoder.

use all_you_need::attention::Mask;
use all_you_need::encoder::{Encoder, EncoderLayer};
use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/encoder.rs"]
mod check;

// Exercise 3

/// Which words have heard of which: an n × n matrix with a 1 in row i, column
/// j, if row i of the encoder's result changes when row j of `x`, n × d_model,
/// is changed, and 0 elsewhere.
pub fn heard(encoder: &Encoder<Matrix>, x: &Matrix, mask: &Mask) -> Matrix {
    todo!("change one row after the other, and compare what comes out")
}

// Exercise 4

/// An encoder layer, from n × d_model to n × d_model. There is a mistake in
/// it.
pub fn forward(
    layer: &EncoderLayer<Matrix>,
    x: &Matrix,
    mask: &Mask,
) -> Matrix {
    let attended = layer.attention.forward(x, x, mask);
    let y = layer.attention_norm.add_norm(x, &attended);
    let mapped = layer.feed_forward.forward(&y);
    layer.feed_forward_norm.add_norm(x, &mapped)
}
