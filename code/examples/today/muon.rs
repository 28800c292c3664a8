//! What Muon does to a gradient, direction by direction.

use all_you_need::nalgebra::dmatrix;
use all_you_need::plain::{Matrix, today as plain};
use print::{Fixed, fixed, grouped, section, table, value};

/// What a round of Muon makes of a strength.
fn round(s: f64) -> f64 {
    3.4445 * s - 4.7750 * s.powi(3) + 2.0315 * s.powi(5)
}

/// A strength after each of some rounds, and before them.
fn way(s: f64, rounds: usize) -> Vec<f64> {
    let next = |s: &f64| Some(round(*s));
    std::iter::successors(Some(s), next).take(rounds + 1).collect()
}

/// A strength after so many rounds.
pub fn after(s: f64, rounds: usize) -> f64 {
    way(s, rounds)[rounds]
}

/// A gradient that multiplies (1, 1) by 5 and (1, −1) by 0.5.
pub fn two_directions() {
    section("Two directions");
    let gradient = dmatrix![2.75, -2.25; 2.25, -2.75];
    let step = plain::muon(&gradient);
    let length = gradient.norm();
    let rows = [("(1, 1)", 1.0), ("(1, −1)", -1.0)].map(|(name, second)| {
        let row = dmatrix![1.0, second];
        let times = |matrix: &Matrix| (&row * matrix)[0];
        let [before, after] = [&gradient, &step].map(times);
        assert!((after - self::after(before / length, 5)).abs() < 1e-12);
        (name, before.fixed(1), (before / length).fixed(4), after.fixed(2))
    });
    let names = ["row", "strength", "divided by the length", "in the step"];
    table(names, rows);
    section("The length of that gradient");
    value("its length", length.fixed(2));
}

/// Strengths in Muon's rounds.
pub fn round_by_round() {
    section("Round by round");
    let rows = [1.0, 0.1, 0.01, 0.001].map(|s| fixed(&way(s, 7), 3));
    table(["at first", "1", "2", "3", "4", "5", "6", "7"], rows);
    section("Five rounds");
    let all: Vec<f64> = (1..=100_000).map(|i| f64::from(i) / 1e5).collect();
    let made = |s: &f64| after(*s, 5);
    let highest = all.iter().map(made).fold(0.0, f64::max);
    // From a hundredth on, and how far below that it is still true.
    let lowest = all[999..].iter().map(made).fold(f64::INFINITY, f64::min);
    let from = all.iter().rfind(|s| made(s) < lowest).expect("a weak one");
    value("lowest", lowest.fixed(2));
    value("highest", highest.fixed(2));
    value("from a part of", (0.01 / from).floor() * 100.0);
    value("times in five rounds", 3.4445f64.powi(5).fixed(0));
    value("1 without the last", grouped((3.4445f64 - 4.7750).fixed(2)));
    value("1 with it", round(1.0).fixed(2));
}
