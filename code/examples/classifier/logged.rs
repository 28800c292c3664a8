//! What `src/logs/classifier.sh` has measured.

use print::least;
use print::log::{self, number, table};
use std::sync::LazyLock;

/// The logs of five seeds.
pub type Logs = LazyLock<[&'static str; 5]>;

pub static RUNS: Logs = Logs::new(|| log::seeds("classifier-run"));
pub static COMPARED: Logs = Logs::new(|| log::seeds("classifier-compared"));
pub static RIVALS: Logs = Logs::new(|| log::seeds("classifier-rivals"));

/// The row of a log that says this.
fn row(log: &'static str, what: &str) -> [&'static str; 7] {
    let row = table::<7>(log).find(|row| row[0] == what);
    row.expect("a row of this")
}

/// How many percent of each kind a model of each seed gets right.
pub fn right(logs: &Logs, what: &str) -> [Vec<f64>; 4] {
    let rows = logs.map(|log| {
        row(log, what).map(|cell| 100.0 * cell.parse().unwrap_or(f64::NAN))
    });
    [3, 4, 5, 6].map(|column| rows.iter().map(|row| row[column]).collect())
}

/// The loss at the end, for each seed.
pub fn losses(logs: &Logs, what: &str) -> Vec<f64> {
    logs.map(|log| number(row(log, what)[2])).to_vec()
}

/// Nine of ten, in per cent.
pub const ENOUGH: f64 = 90.0;

/// The points of a curve: a share in per cent after so many updates.
pub type Curve = Vec<(f64, f64)>;

/// The share of validation reviews that are right, for each kind, as the mean
/// of all runs.
pub fn curves() -> [Curve; 4] {
    let runs = RUNS.map(|log| -> Vec<[f64; 7]> {
        let rows = table::<7>(log).filter(|row| row[0] == "validation");
        rows.map(|row| row.map(|cell| cell.parse().unwrap_or(0.0))).collect()
    });
    [0, 1, 2, 3].map(|kind| {
        let each = 0..runs[0].len();
        let mean = |row: usize| {
            let sum: f64 = runs.iter().map(|run| run[row][3 + kind]).sum();
            (runs[0][row][1], 100.0 * sum / runs.len() as f64)
        };
        each.map(mean).collect()
    })
}

/// The first update from which a curve stays at [`ENOUGH`] or above.
pub fn from(curve: &Curve) -> f64 {
    let below = curve.iter().rposition(|(_, right)| *right < ENOUGH);
    curve[below.map_or(0, |row| row + 1)].0
}

/// The lowest point of a curve.
pub fn lowest(curve: &Curve) -> f64 {
    least(&Vec::from_iter(curve.iter().map(|at| at.1)))
}
