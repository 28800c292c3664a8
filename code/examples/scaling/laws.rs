//! Whether the losses follow power laws.

use super::recipes::{BUDGETS, WIDTHS};
use super::{mean, size};
use print::{Fixed, grouped, section, table};

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

fn signed(slope: f64) -> String {
    slope.fixed(3).replace('-', "−")
}

/// How fast the loss falls, on logarithmic axes: with the size, between
/// neighbours, and with the length.
pub fn slopes() {
    section("Slopes with the size");
    let of_size = |updates: usize| {
        WIDTHS.windows(2).map(move |two| {
            let [a, b] = [two[0], two[1]].map(|width| at(width, updates));
            signed(line(&[a, b]).0)
        })
    };
    let between = WIDTHS.windows(2).map(|w| format!("{} to {}", w[0], w[1]));
    let names: Vec<String> =
        std::iter::once("updates".to_owned()).chain(between).collect();
    let rows = BUDGETS.map(|updates| {
        (grouped(updates), of_size(updates).collect::<Vec<_>>())
    });
    table(names, rows);
    section("Slopes with the length");
    let of_length = |width: usize| {
        BUDGETS.windows(2).map(move |two| {
            let at = |n: usize| ((n as f64).ln(), mean(width, n).ln());
            signed(line(&[two[0], two[1]].map(at)).0)
        })
    };
    let between =
        BUDGETS.windows(2).map(|n| n.iter().map(grouped).collect::<Vec<_>>());
    let names: Vec<String> = std::iter::once("rows of".to_owned())
        .chain(between.map(|n| n.join(" to ")))
        .collect();
    let rows = WIDTHS.map(|d| (d, of_length(d).collect::<Vec<_>>()));
    table(names, rows);
}

/// What the line through the four smaller sizes says of a size.
pub fn said(updates: usize, width: usize) -> f64 {
    let [smaller @ .., _] = WIDTHS;
    let (slope, (x, y)) = line(&smaller.map(|width| at(width, updates)));
    (y + slope * (at(width, updates).0 - x)).exp()
}

/// What the four smaller sizes say of the fifth.
pub fn predicted() {
    section("Predicted");
    let [.., fourth, fifth] = WIDTHS;
    let rows = BUDGETS.map(|updates| {
        let (said, found) = (said(updates, fifth), mean(fifth, updates));
        let step = mean(fourth, updates) - found;
        let losses = [mean(fourth, updates), said, found];
        let off = [found - said, step];
        (grouped(updates), losses.fixed(3), off.fixed(3))
    });
    let names = ["updates", "fourth size", "fifth, predicted", "measured"];
    table((names, ["too low by", "the step was"]), rows);
}
