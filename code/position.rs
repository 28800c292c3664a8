//! Positional encoding: the place of a word as a row of sines and cosines.
//!
//! ```
//! use all_you_need::position::{shift, sinusoidal};
//!
//! // From position 3 to position 5, by the matrix that moves by 2.
//! let moved = sinusoidal(&[3], 8) * shift(2, 8);
//! assert!((moved - sinusoidal(&[5], 8)).norm() < 1e-9);
//! ```

use crate::tensor::{Matrix, check_size};
use nalgebra::matrix;

/// How fast pair `i` of `d / 2` turns: 10000^(−2i/d) radians per position.
fn frequency(i: usize, d: usize) -> f64 {
    10000f64.powf(-2.0 * i as f64 / d as f64)
}

fn check_width(rows: usize, d: usize) {
    check_size((rows, d));
    assert!(
        d.is_multiple_of(2),
        "sines and cosines come in pairs: {d} is odd"
    );
}

/// The encodings of these positions, one per row: n × d (§3.5).
///
/// PE(pos, 2i) = sin(pos · 10000^(−2i/d)),
/// PE(pos, 2i+1) = cos(pos · 10000^(−2i/d))
///
/// # Panics
/// If `d` is odd, or there would be more than 2³⁰ numbers.
#[must_use]
pub fn sinusoidal(positions: &[usize], d: usize) -> Matrix {
    check_width(positions.len(), d);
    Matrix::from_fn(positions.len(), d, |row, column| {
        let angle = positions[row] as f64 * frequency(column / 2, d);
        if column % 2 == 0 { angle.sin() } else { angle.cos() }
    })
}

/// The matrix that moves every encoding `k` positions on: d × d, with
/// PE(pos + k) = PE(pos) · shift(k) for every pos.
///
/// # Panics
/// If `d` is odd, or there would be more than 2³⁰ numbers.
#[must_use]
pub fn shift(k: usize, d: usize) -> Matrix {
    check_width(d, d);
    let mut shift = Matrix::zeros(d, d);
    for i in 0..d / 2 {
        let (sin, cos) = (k as f64 * frequency(i, d)).sin_cos();
        let turn = matrix![cos, -sin; sin, cos];
        shift.fixed_view_mut::<2, 2>(2 * i, 2 * i).copy_from(&turn);
    }
    shift
}
