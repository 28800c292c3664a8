//! Exercises of the chapter on scaling.

#[cfg(test)]
#[path = "checks/scaling.rs"]
mod check;

// Exercise 2

/// Which of several lines is lowest at this work. Each line has points (work,
/// loss) in the order of their work, and is straight between them over the
/// logarithm of the work. A line that begins later or ends earlier is left
/// out; `None` if that leaves none.
pub fn best(lines: &[Vec<(f64, f64)>], work: f64) -> Option<usize> {
    todo!("between which two points of a line is this work, and where?")
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
