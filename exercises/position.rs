//! Exercises of the chapter on positions.

use all_you_need::position::sinusoidal;
use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/position.rs"]
mod check;

// Exercise 3

/// Rotary positions: turns the rows of some words by their positions. Row r
/// of `x`, n × d, is the word at `positions[r]`. In each row every pair of
/// columns 2i and 2i + 1 is turned by the angle pos · 10000^(−2i/d), from
/// (a, b) to (a cos − b sin, a sin + b cos). The result is n × d.
pub fn rotate(x: &Matrix, positions: &[usize]) -> Matrix {
    todo!("the angle of each pair, and the two new numbers")
}

// Exercise 4

/// The encodings of these positions, n × d, as `sinusoidal` makes them. There
/// is a mistake in it.
pub fn encode(positions: &[usize], d: usize) -> Matrix {
    Matrix::from_fn(positions.len(), d, |row, column| {
        let speed = 10000f64.powf(-(column as f64) / d as f64);
        let angle = positions[row] as f64 * speed;
        if column % 2 == 0 { angle.sin() } else { angle.cos() }
    })
}
