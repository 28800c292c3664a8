//! What the checks of the exercises share.

use all_you_need::tensor::Matrix;

/// Panics with a hint unless both matrices have one shape, and every cell is
/// within 10⁻⁹ of its counterpart.
#[track_caller]
pub fn expect(found: &Matrix, expected: &Matrix, hint: &str) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9;
    assert!(
        found.shape() == expected.shape()
            && found.iter().zip(expected).all(near),
        "{hint}\nfound:{found:.6}expected:{expected:.6}"
    );
}
