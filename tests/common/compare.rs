//! Comparisons of matrices that no NaN can pass.

use all_you_need::tensor::Matrix;

/// The largest absolute value of these numbers. NaN if one of them is NaN,
/// so that neither `<` nor `>` holds of it; 0 if there are none.
pub fn largest<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    let larger = |largest: f64, x: &f64| {
        let keep = largest.is_nan() || largest >= x.abs();
        if keep { largest } else { x.abs() }
    };
    numbers.into_iter().fold(0.0, larger)
}

/// Panics unless both matrices have one shape, and every cell is within
/// `tolerance` of its counterpart, which NaN is of nothing.
#[track_caller]
pub fn close(found: &Matrix, expected: &Matrix, tolerance: f64) {
    assert_eq!(found.shape(), expected.shape());
    let mut cells = found.iter().zip(expected);
    let within = cells.all(|(a, b)| (a - b).abs() <= tolerance);
    let gap = largest(&(found - expected));
    assert!(within, "apart by {gap:e}:{found}{expected}");
}
