use all_you_need::embedding::Embedding;
use all_you_need::position::{shift, sinusoidal};
use all_you_need::tensor::Matrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::close;

#[path = "../../exercises/checks/position.rs"]
mod check;

// Exercise 1
//
// Two positions and three are five, so the product is `shift(5, d)`: the
// angles of each hand add up. To go three positions back each hand turns by
// minus its angle, which changes the sign of the sines only, and the result
// is the transpose of `shift(3, d)`.
#[test]
fn turns_add_up_and_the_transpose_goes_back() {
    let d = 64;
    let five = shift(2, d) * shift(3, d);
    close(&five, &shift(5, d), 1e-14);
    let back = sinusoidal(&[7], d) * shift(3, d).transpose();
    close(&back, &sinusoidal(&[4], d), 1e-14);
}

// Exercise 2
//
// An `Embedding` whose tokens are positions: 50 · 16 = 800 numbers to learn.
// The table has no row for a fifty-first word, so the program panics.
#[test]
#[should_panic(expected = "no row 50 among 50")]
fn a_learned_table_ends() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let learned: Embedding<Matrix> = Embedding::new(50, 16, rng);
    assert_eq!(learned.table.shape(), (50, 16));
    assert_eq!(learned.embed(&[0, 1, 2]).shape(), (3, 16));
    let _ = learned.embed(&[50]);
}

// Exercise 3
//
// The two columns of a pair are computed from the same two numbers and the
// same angle. In a dot product of two rotated rows only the difference of
// their angles is left, so it depends on the two words and their distance.

/// Turns each pair of columns by the angle of the row's position.
pub fn rotate(x: &Matrix, positions: &[usize]) -> Matrix {
    let (n, d) = x.shape();
    Matrix::from_fn(n, d, |row, column| {
        let i = column / 2;
        let speed = 10000f64.powf(-2.0 * i as f64 / d as f64);
        let (sin, cos) = (positions[row] as f64 * speed).sin_cos();
        let (a, b) = (x[(row, 2 * i)], x[(row, 2 * i + 1)]);
        if column % 2 == 0 { a * cos - b * sin } else { a * sin + b * cos }
    })
}

// Exercise 4
//
// The two columns of a hand got different speeds, because the exponent was
// made from the number of the column and not from that of the pair. The rows
// still look right, but no matrix moves all of them by one.

/// The encodings of these positions, n × d.
pub fn encode(positions: &[usize], d: usize) -> Matrix {
    Matrix::from_fn(positions.len(), d, |row, column| {
        let pair = column / 2;
        let speed = 10000f64.powf(-2.0 * pair as f64 / d as f64);
        let angle = positions[row] as f64 * speed;
        if column % 2 == 0 { angle.sin() } else { angle.cos() }
    })
}
