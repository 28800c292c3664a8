//! What the checks of the exercises share.

use all_you_need::tensor::Matrix;

/// Panics with a hint unless both matrices have one shape, and every cell is
/// within 10⁻⁹ of its counterpart. Shows as many digits as tell them apart.
#[track_caller]
pub fn expect(found: &Matrix, expected: &Matrix, hint: &str) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9;
    let shown = |digits| format!("{found:.digits$}");
    let wanted = |digits| format!("{expected:.digits$}");
    let digits = if shown(6) == wanted(6) { 12 } else { 6 };
    assert!(
        found.shape() == expected.shape()
            && found.iter().zip(expected).all(near),
        "{hint}\nfound:{}expected:{}",
        shown(digits),
        wanted(digits)
    );
}
