//! Two heads to compare with, and by how much slips miss them.

use super::reshaped;
use all_you_need::plain::{Heads, Matrix, attend, heads};
use all_you_need::tensor::Tensor;
use nalgebra::dmatrix;
use print::{Fixed, section, value};

#[path = "../shared/sines.rs"]
mod sines;

use sines::sines;

/// Three rows that ask two others, with matrices that are all different.
pub fn check(heads: fn(&Heads, &Matrix, &Matrix, &Matrix) -> Matrix) {
    let p = Heads(2, [1, 2, 3, 4].map(|k| sines(k, 4, 4)));
    let (x, y) = (sines(9, 3, 4), sines(10, 2, 4));
    let found = heads(&p, &x, &y, &Matrix::zeros(3, 2));
    let right = dmatrix![
        -0.1200, 0.2466, 0.7257, 0.9921;
        -0.4933, -0.4583, 0.0988, 0.7952;
        -0.2346, 0.0588, 0.5747, 0.9721
    ];
    assert!((found - right).amax() < 1e-4);
}

/// By how much wrong heads miss that test at least.
pub fn slips() {
    let (x, y, all) = (sines(9, 3, 4), sines(10, 2, 4), Matrix::zeros(3, 2));
    let [q, k, v, o] = [1, 2, 3, 4].map(|k| sines(k, 4, 4));
    let of = |q: &Matrix, k: &Matrix, v: &Matrix, o: &Matrix| {
        let p = Heads(2, [q, k, v, o].map(Matrix::clone));
        heads(&p, &x, &y, &all)
    };
    let p = Heads(2, [&q, &k, &v, &o].map(Matrix::clone));
    let right = of(&q, &k, &v, &o);
    let [asks, asked, gives] =
        [&x * &q, &y * &k, &y * &v].map(|m| reshaped(&m, 2));
    let found = [0, 1].map(|i| attend(&asks[i], &asked[i], &gives[i], &all));
    let wrong = [
        Matrix::concat(&found) * &o,
        of(&k, &q, &v, &o),
        of(&q, &v, &k, &o),
        of(&(&q / 2.0_f64.sqrt()), &k, &v, &o),
        of(&q, &k, &v, &Matrix::identity(4, 4)),
        heads(&p, &x, &x, &Matrix::zeros(3, 3)),
        heads(&Heads(1, p.1), &x, &y, &all),
    ];
    section("Wrong heads");
    let least = wrong.map(|z| (z - &right).amax()).into_iter();
    value("least difference", least.fold(f64::INFINITY, f64::min).fixed(3));
}
