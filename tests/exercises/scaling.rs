#[path = "../../exercises/checks/scaling.rs"]
mod check;

// Exercise 1
//
// With an exponent of −0.08 the loss is 1 % lower for a model $0.99^{-1/0.08}$
// = 1.13 times as large, and 10 % lower for one 3.7 times as large. So 1 %
// costs an extra 0.13 of a model, and 10 % an extra 2.7 models, 20 times as
// much, because each further per cent of the loss that is left multiplies the
// model by about the same factor.
#[test]
fn ten_per_cent_cost_more_than_ten_times_one() {
    let times = |left: f64| left.powf(-1.0 / 0.08);
    assert!((times(0.99) - 1.134).abs() < 1e-3, "{}", times(0.99));
    assert!((times(0.9) - 3.732).abs() < 1e-3, "{}", times(0.9));
}

// Exercise 2
//
// A work between two points of a line is a part of the way from the one to the
// other, measured in logarithms, and the loss has gone the same part of its
// way. At the end, the lowest of the lines that are there is the best.

/// Which of several lines is lowest at this work. Each line has points (work,
/// loss) in the order of their work, and is straight between them over the
/// logarithm of the work. A line that begins later or ends earlier is left
/// out; `None` if that leaves none.
pub fn best(lines: &[Vec<(f64, f64)>], work: f64) -> Option<usize> {
    let loss = |line: &Vec<(f64, f64)>| {
        let mut pairs = line.windows(2);
        let pair = pairs.find(|p| (p[0].0..=p[1].0).contains(&work))?;
        let [(from, high), (to, low)] = [pair[0], pair[1]];
        Some(high + (low - high) * (work / from).ln() / (to / from).ln())
    };
    let here = lines.iter().enumerate();
    let here = here.filter_map(|(i, line)| Some((i, loss(line)?)));
    Some(here.min_by(|a, b| a.1.total_cmp(&b.1))?.0)
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
