//! A norm to compare with: what comes out of it, and out of wrong ones.

use all_you_need::plain::add_norm;
use nalgebra::dmatrix;
use print::{Fixed, section, table};

/// The rows (3, 9, 11, 17) and (5.000001, 5, 5, 5), as sums, in `f64`.
pub fn check() {
    let x = dmatrix![1.0, 5.0, 7.0, 11.0; 2.000001, 2.0, 2.0, 2.0];
    let made = dmatrix![2.0, 4.0, 4.0, 6.0; 3.0, 3.0, 3.0, 3.0];
    let norm = [dmatrix![1.0, 2.0, 3.0, 4.0], dmatrix![0.0, 0.0, 0.5, 0.0]];
    let found = add_norm(&norm, &x, &made);
    let right = dmatrix![-1.4, -0.4, 1.1, 5.6];
    assert!((found.rows(0, 1) - right).amax() < 1e-4);
    assert!((found[(1, 0)] - 0.0002).abs() < 1e-4);
}

/// The two numbers by norms that are slightly wrong.
pub fn slips() {
    type Norm = fn(mean: f64, squares: f64, x: f64) -> f64;
    let norms: [(&str, Norm); 4] = [
        ("√(σ² + ε)", |mean, squares, x| {
            (x - mean) / (squares / 4.0 + 1e-5).sqrt()
        }),
        ("a sample's σ, n − 1", |mean, squares, x| {
            (x - mean) / (squares / 3.0 + 1e-5).sqrt()
        }),
        ("σ + ε", |mean, squares, x| {
            (x - mean) / ((squares / 4.0).sqrt() + 1e-5)
        }),
        ("σ without ε", |mean, squares, x| {
            (x - mean) / (squares / 4.0).sqrt()
        }),
    ];
    let rows = [[3.0, 9.0, 11.0, 17.0], [5.000001, 5.0, 5.0, 5.0]];
    section("Four divisors");
    let line = |(name, norm): (&'static str, Norm)| {
        let [one, two] = rows.map(|row| {
            let mean = row.iter().sum::<f64>() / 4.0;
            let squares = row.map(|x| (x - mean).powi(2)).iter().sum();
            norm(mean, squares, row[0])
        });
        (name, one.fixed(2), two.fixed(4))
    };
    table(["", "(3, 9, 11, 17)", "(5.000001, 5, 5, 5)"], norms.map(line));
}
