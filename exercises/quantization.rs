//! Exercises of the chapter on quantization.

use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/quantization.rs"]
mod check;

// Exercise 2

/// A matrix with each number rounded to one of the levels from −`highest` to
/// `highest`. Each `size` numbers of a row, side by side, have a scale of
/// their own; the last of a row may be fewer.
pub fn in_groups(w: &Matrix, size: usize, highest: f64) -> Matrix {
    todo!("a scale for each group of a row, then round as the chapter does")
}

// Exercise 3

/// A row with each number rounded to a multiple of the scale. There is a
/// mistake in it.
pub fn rounded(row: &[f64]) -> Vec<f64> {
    let largest = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let scale = largest / 128.0;
    let level = |x: &f64| (x / scale).round() as i8;
    row.iter().map(|x| f64::from(level(x)) * scale).collect()
}
