//! What is said of several numbers.

use crate::Fixed;

/// Their mean.
///
/// # Panics
/// If there are none.
pub fn mean(numbers: &[f64]) -> f64 {
    assert!(!numbers.is_empty(), "a mean needs a number");
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// The lowest of them.
pub fn least(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The highest of them.
pub fn most(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The one in the middle, or the mean of the two there.
///
/// # Panics
/// If there are none.
pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
        _ => sorted[middle],
    }
}

/// Their mean and their standard deviation, which is that of a sample: its
/// square is the sum of the squared distances from the mean, divided by n − 1.
///
/// # Panics
/// If there are fewer than two numbers.
pub fn spread(numbers: &[f64]) -> (f64, f64) {
    let n = numbers.len() as f64;
    assert!(n > 1.0, "a standard deviation needs two numbers");
    let mean = mean(numbers);
    let squares = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    (mean, (squares / (n - 1.0)).sqrt())
}

/// Both as a text: `12.3 ± 0.4`.
///
/// # Panics
/// If there are fewer than two numbers.
pub fn plus_minus(numbers: &[f64], decimals: usize) -> String {
    let (mean, deviation) = spread(numbers);
    [mean, deviation].fixed(decimals).join(" ± ")
}
