//! A norm to compare with: what comes out of it, and out of wrong ones.

use all_you_need::plain::{Matrix, add_norm};
use nalgebra::dmatrix;
use print::{Fixed, section, table};

/// A norm with gains of 1 and biases of 0 gives these numbers.
pub fn check() {
    let x = dmatrix![3.0, 9.0, 11.0, 17.0; 5.000001, 5.0, 5.0, 5.0];
    let norm = [Matrix::from_element(1, 4, 1.0), Matrix::zeros(1, 4)];
    let nothing_made = Matrix::zeros(2, 4);
    let found = add_norm(&norm, &x, &nothing_made);
    assert!((found[(0, 0)] - -1.4).abs() < 1e-4);
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
