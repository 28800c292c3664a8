//! Whether the losses follow power laws.

use super::recipes::{BUDGETS, WIDTHS};
use super::{layers, mean, size};
use print::{Fixed, grouped, most, section, table, value};

/// The straight line that is nearest to some points: its slope, and a point
/// on it.
fn line(points: &[(f64, f64)]) -> (f64, (f64, f64)) {
    let n = points.len() as f64;
    let mean =
        |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (mean_x, mean_y) = (mean(|at| at.0), mean(|at| at.1));
    let both = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y));
    let squares = points.iter().map(|(x, _)| (x - mean_x).powi(2));
    (both.sum::<f64>() / squares.sum::<f64>(), (mean_x, mean_y))
}

/// How many parameters a size has.
type Count = fn(usize) -> f64;

/// All of them.
fn all(width: usize) -> f64 {
    size(width)[0]
}

/// The lengths of training, by all parameters, and the longest once more
/// without those of the table.
fn ways() -> Vec<(String, usize, Count)> {
    let mut ways = BUDGETS.map(|n| (grouped(n), n, all as Count)).to_vec();
    let longest = BUDGETS[2];
    let name = format!("{}, without table", grouped(longest));
    ways.push((name, longest, layers));
    ways
}

/// The logarithms of a size, its parameters counted in this way, and of its
/// loss after so many updates.
fn at(count: Count, updates: usize, width: usize) -> (f64, f64) {
    (count(width).ln(), mean(width, updates).ln())
}

fn signed(slope: f64) -> String {
    slope.fixed(3).replace('-', "−")
}

/// How fast the loss falls with the size, on logarithmic axes: between
/// neighbours, and along the line through the four smaller sizes.
pub fn slopes() {
    section("Slopes");
    let rows = ways().into_iter().map(|(name, updates, count)| {
        let points = WIDTHS.map(|width| at(count, updates, width));
        let steps = points.windows(2).map(|two| signed(line(two).0));
        let [smaller @ .., _] = points;
        (name, steps.collect::<Vec<_>>(), signed(line(&smaller).0))
    });
    let between = WIDTHS.windows(2).map(|w| format!("{} to {}", w[0], w[1]));
    table(("updates", between.collect::<Vec<_>>(), "first four"), rows);
    section("Tables");
    let [smallest, .., largest] = WIDTHS;
    let table_of = |width| 100.0 * (1.0 - layers(width) / all(width));
    value("smallest, table", table_of(smallest).fixed(0));
    value("largest, table", table_of(largest).fixed(0));
}

/// What the line through the four smaller sizes says of a size.
fn said_by(count: Count, updates: usize, width: usize) -> f64 {
    let [smaller @ .., _] = WIDTHS;
    let (slope, (x, y)) = line(&smaller.map(|d| at(count, updates, d)));
    (y + slope * (at(count, updates, width).0 - x)).exp()
}

/// The same by all parameters.
pub fn said(updates: usize, width: usize) -> f64 {
    said_by(all, updates, width)
}

/// What the four smaller sizes say of the fifth, and how far they are
/// themselves from what they say.
pub fn predicted() {
    section("Predicted");
    let [smaller @ .., fifth] = WIDTHS;
    let fourth = smaller[3];
    let rows = ways().into_iter().map(|(name, updates, count)| {
        let said = said_by(count, updates, fifth);
        let found = mean(fifth, updates);
        let off = smaller.map(|width| {
            (mean(width, updates) - said_by(count, updates, width)).abs()
        });
        let step = mean(fourth, updates) - found;
        let numbers = [said, found, found - said, most(&off), step];
        (name, numbers.fixed(3))
    });
    let names = ["updates", "predicted", "measured", "too low by"];
    table((names, ["the four miss by", "the step was"]), rows);
}
