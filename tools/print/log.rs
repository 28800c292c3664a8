//! Tables that were measured once, and are read by the examples.
//!
//! Cells are divided by tabs, and the first line names the columns.
//!
//! ```
//! use print::log::{number, spread, table};
//!
//! let log = "seed\tloss\n1\t0.25\n2\t0.5\n3\t0.75\n";
//! let losses = table(log).map(|[_, loss]| number(loss));
//! let losses: Vec<f64> = losses.collect();
//! assert_eq!(losses, [0.25, 0.5, 0.75]);
//! assert_eq!(spread(&losses), (0.5, 0.25));
//! ```

use std::str::FromStr;

/// The rows of a table, each with N cells, without the line that names the columns.
///
/// # Panics
/// When a row is reached that has fewer cells, or more.
pub fn table<const N: usize>(log: &str) -> impl Iterator<Item = [&str; N]> {
    log.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cells = cells.try_into();
        cells.unwrap_or_else(|_| panic!("{N} cells, not “{line}”"))
    })
}

/// The number in a cell.
///
/// # Panics
/// If it is no number of this type.
pub fn number<T: FromStr>(cell: &str) -> T {
    cell.parse().unwrap_or_else(|_| panic!("a number, not “{cell}”"))
}

/// The mean of these numbers and their standard deviation, which is that of a sample: its square is the sum of the
/// squared distances from the mean, divided by n − 1.
///
/// # Panics
/// If there are fewer than two numbers.
pub fn spread(numbers: &[f64]) -> (f64, f64) {
    let n = numbers.len() as f64;
    assert!(n > 1.0, "a standard deviation needs two numbers");
    let mean = numbers.iter().sum::<f64>() / n;
    let squares = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    (mean, (squares / (n - 1.0)).sqrt())
}
