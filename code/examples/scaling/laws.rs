//! Whether the losses follow power laws.

use super::recipes::{BUDGETS, WIDTHS};
use super::{layers, mean, on_what_it_reads, size};
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

/// The loss of a size after so many updates.
type Loss = fn(usize, usize) -> f64;

/// The logarithms of a size, its parameters counted in this way, and of its
/// loss after so many updates.
fn at(count: Count, loss: Loss, updates: usize, width: usize) -> (f64, f64) {
    (count(width).ln(), loss(width, updates).ln())
}

fn signed(slope: f64) -> String {
    slope.fixed(3).replace('-', "−")
}

/// How fast the loss falls with the size, on logarithmic axes: between
/// neighbours, and along the line through the four smaller sizes.
pub fn slopes() {
    section("Slopes");
    let rows = ways().into_iter().map(|(name, updates, count)| {
        let points = WIDTHS.map(|width| at(count, mean, updates, width));
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
fn said_by(count: Count, loss: Loss, updates: usize, width: usize) -> f64 {
    let [smaller @ .., _] = WIDTHS;
    let (slope, (x, y)) = line(&smaller.map(|d| at(count, loss, updates, d)));
    (y + slope * (count(width).ln() - x)).exp()
}

/// The same by all parameters, of the loss on held-out captions.
pub fn said(updates: usize, width: usize) -> f64 {
    said_by(all, mean, updates, width)
}

/// How much more than they say the fifth size has, and the farthest that one
/// of the four is from what they say.
fn misses(count: Count, loss: Loss, updates: usize) -> [f64; 2] {
    let miss =
        |width| loss(width, updates) - said_by(count, loss, updates, width);
    let [smaller @ .., fifth] = WIDTHS;
    [miss(fifth), most(&smaller.map(|width| miss(width).abs()))]
}

/// What the four smaller sizes say of the fifth, and how far they are
/// themselves from what they say.
pub fn predicted() {
    section("Predicted");
    let [smaller @ .., fifth] = WIDTHS;
    let fourth = smaller[3];
    let rows = ways().into_iter().map(|(name, updates, count)| {
        let said = said_by(count, mean, updates, fifth);
        let found = mean(fifth, updates);
        let [by, four] = misses(count, mean, updates);
        let step = mean(fourth, updates) - found;
        (name, [said, found, by, four, step].fixed(3))
    });
    let names = ["updates", "predicted", "measured", "too low by"];
    table((names, ["the four miss by", "the step was"]), rows);
    section("On what they read");
    let [by, four] = misses(all, on_what_it_reads, BUDGETS[2]);
    value("on what they read, too low by", by.fixed(3));
    value("on what they read, the four miss by", four.fixed(3));
}
