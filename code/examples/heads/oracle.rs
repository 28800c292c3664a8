//! Two heads to compare with, and by how much slips miss them.

use super::reshaped;
use all_you_need::plain::{Heads, Matrix, attend, heads};
use all_you_need::tensor::Tensor;
use nalgebra::dmatrix;
use print::{Fixed, section, value};

#[path = "../shared/sines.rs"]
mod sines;

use sines::sines;

/// Two heads, with keys of 3 columns and values of 5. Two rows ask four
/// others; the first may not see the last.
fn sine_heads() -> (Heads, [Matrix; 3]) {
    let of_sizes = [(1, 4, 6), (2, 4, 6), (3, 4, 10), (4, 10, 4)];
    let p = Heads(2, of_sizes.map(|(k, n, m)| sines(k, n, m)));
    let mut mask = Matrix::zeros(2, 4);
    mask[(0, 3)] = f64::NEG_INFINITY;
    (p, [sines(9, 2, 4), sines(10, 4, 4), mask])
}

/// What these heads find.
pub fn check(heads: fn(&Heads, &Matrix, &Matrix, &Matrix) -> Matrix) {
    let (p, [x, y, mask]) = sine_heads();
    let right = dmatrix![
        -0.2015, 0.2704, 0.5064, 0.5558;
        0.0125, 0.5971, 0.5956, -0.2944
    ];
    let found = heads(&p, &x, &y, &mask);
    assert!((&found - right).amax() < 1e-4, "{found:.4}");
}

/// By how much wrong heads miss that test at least.
pub fn slips() {
    let (p, [x, y, mask]) = sine_heads();
    let right = heads(&p, &x, &y, &mask);
    let Heads(h, [q, k, v, o]) = &p;
    let of = |q: &Matrix, k: &Matrix| {
        let p = Heads(*h, [q, k, v, o].map(Matrix::clone));
        heads(&p, &x, &y, &mask)
    };
    let [asks, asked, gives] =
        [&x * q, &y * k, &y * v].map(|m| reshaped(&m, *h));
    let found = [0, 1].map(|i| attend(&asks[i], &asked[i], &gives[i], &mask));
    let divided_by = |d: f64| of(&(q * (3.0 / d).sqrt()), k);
    let wrong = [
        Matrix::concat(&found) * o,
        of(k, q),
        divided_by(6.0),
        divided_by(5.0),
        divided_by(4.0),
        divided_by(2.0),
        heads(&p, &x, &y, &Matrix::zeros(2, 4)),
    ];
    section("Wrong heads");
    let least = wrong.map(|z| (z - &right).amax()).into_iter();
    value("least difference", least.fold(f64::INFINITY, f64::min).fixed(3));
}
