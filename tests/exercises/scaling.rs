#[path = "../../exercises/checks/scaling.rs"]
mod check;

// Exercise 1
//
// With an exponent of −0.07 the loss is 1 % lower for a model $0.99^{-1/0.07}$
// = 1.15 times as large, and 10 % lower for one 4.5 times as large. So 1 %
// takes 0.15 of a model more, and 10 % take 3.5 models, 23 times as much,
// because each further per cent takes the same factor.
#[test]
fn ten_per_cent_cost_more_than_ten_times_one() {
    let times = |left: f64| left.powf(-1.0 / 0.07);
    assert!((times(0.99) - 1.154).abs() < 1e-3, "{}", times(0.99));
    assert!((times(0.9) - 4.505).abs() < 1e-3, "{}", times(0.9));
}

// Exercise 2
//
// On logarithmic axes a power law is a straight line, and its exponent is the
// slope. The constant in front only moves the line up or down.

/// The slope of the line of least squares through the logarithms.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let mean_x = logs.iter().map(|at| at.0).sum::<f64>() / n;
    let mean_y = logs.iter().map(|at| at.1).sum::<f64>() / n;
    let both = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y));
    let squares = logs.iter().map(|(x, _)| (x - mean_x).powi(2));
    both.sum::<f64>() / squares.sum::<f64>()
}

// Exercise 3
//
// The line goes through the mean of the logarithms, and the mean of the
// numbers is another place: of 1, 4 and 100 it is 35, and on the logarithmic
// axis the middle is 7.4. With a single point both are the same.

/// What a power law with this exponent predicts at x.
pub fn predicted(points: &[(f64, f64)], exponent: f64, x: f64) -> f64 {
    let n = points.len() as f64;
    let middle = |of: fn(&(f64, f64)) -> f64| {
        let logs = points.iter().map(|at| of(at).ln());
        (logs.sum::<f64>() / n).exp()
    };
    middle(|at| at.1) * (x / middle(|at| at.0)).powf(exponent)
}
