//! Whether the losses follow power laws.

use super::recipes::{BUDGETS, WIDTHS};
use super::{layers, mean, size};
use print::{Fixed, grouped, section, table, value};

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

/// The logarithms of a size and of its loss after so many updates.
fn at(width: usize, updates: usize) -> (f64, f64) {
    (size(width)[0].ln(), mean(width, updates).ln())
}

/// The same, with the parameters of the layers alone.
fn without_table(width: usize, updates: usize) -> (f64, f64) {
    (layers(width).ln(), mean(width, updates).ln())
}

fn without_table_named(updates: usize) -> String {
    format!("{}, without table", grouped(updates))
}

fn signed(slope: f64) -> String {
    slope.fixed(3).replace('-', "−")
}

/// How fast the loss falls with the size, on logarithmic axes: between
/// neighbours, and along the line through the four smaller sizes.
pub fn slopes() {
    section("Slopes");
    let row = |name: String, at: &dyn Fn(usize) -> (f64, f64)| {
        let points = WIDTHS.map(at);
        let steps = points.windows(2).map(|two| signed(line(two).0));
        let [smaller @ .., _] = points;
        (name, steps.collect::<Vec<_>>(), signed(line(&smaller).0))
    };
    let between = WIDTHS.windows(2).map(|w| format!("{} to {}", w[0], w[1]));
    let longest = BUDGETS[2];
    let mut rows =
        BUDGETS.map(|n| row(grouped(n), &|width| at(width, n))).to_vec();
    let name = without_table_named(longest);
    rows.push(row(name, &|width| without_table(width, longest)));
    table(("updates", between.collect::<Vec<_>>(), "first four"), rows);
    section("Tables");
    let [smallest, .., largest] = WIDTHS;
    let table_of = |width| 100.0 * (1.0 - layers(width) / size(width)[0]);
    value("smallest, table", table_of(smallest).fixed(0));
    value("largest, table", table_of(largest).fixed(0));
}

/// What the line through the four smaller sizes says of a size, if this says
/// where they are.
fn said_by(at: impl Fn(usize) -> (f64, f64), width: usize) -> f64 {
    let [smaller @ .., _] = WIDTHS;
    let (slope, (x, y)) = line(&smaller.map(&at));
    (y + slope * (at(width).0 - x)).exp()
}

/// The same of runs of this length, by all parameters.
pub fn said(updates: usize, width: usize) -> f64 {
    said_by(|width| at(width, updates), width)
}

/// What the four smaller sizes say of the fifth.
pub fn predicted() {
    section("Predicted");
    let [.., fourth, fifth] = WIDTHS;
    let row = |name: String, updates: usize, said: f64| {
        let found = mean(fifth, updates);
        let step = mean(fourth, updates) - found;
        let losses = [mean(fourth, updates), said, found];
        let off = [found - said, step];
        (name, losses.fixed(3), off.fixed(3))
    };
    let mut rows =
        BUDGETS.map(|n| row(grouped(n), n, said(n, fifth))).to_vec();
    let longest = BUDGETS[2];
    let said = said_by(|width| without_table(width, longest), fifth);
    rows.push(row(without_table_named(longest), longest, said));
    let names = ["updates", "fourth size", "fifth, predicted", "measured"];
    table((names, ["too low by", "the step was"]), rows);
}
