//! Exercises of the chapter on scaling.

#[cfg(test)]
#[path = "checks/scaling.rs"]
mod check;

// Exercise 2

/// The exponent of the power law that is nearest to some points (x, y), all
/// above 0, where distances are measured between the logarithms of y: the
/// slope of the line of least squares through (ln x, ln y). There are at least
/// two different x.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    todo!(
        "the mean of all ln x, that of all ln y, and a quotient of two sums"
    )
}

// Exercise 3

/// What a power law with this exponent, through the middle of the points,
/// predicts at x. There is a mistake in it.
pub fn predicted(points: &[(f64, f64)], exponent: f64, x: f64) -> f64 {
    let n = points.len() as f64;
    let middle_x = points.iter().map(|at| at.0).sum::<f64>() / n;
    let middle_y = points.iter().map(|at| at.1).sum::<f64>() / n;
    middle_y * (x / middle_x).powf(exponent)
}
