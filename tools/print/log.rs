//! Tables that were measured once, and are read by the examples.
//!
//! Cells are divided by tabs, and the first line names the columns.
//!
//! ```
//! use print::log::{number, table};
//! use print::spread;
//!
//! let log = "seed\tloss\n1\t0.25\n2\t0.5\n3\t0.75\n";
//! let losses = table(log).map(|[_, loss]| number(loss));
//! let losses: Vec<f64> = losses.collect();
//! assert_eq!(losses, [0.25, 0.5, 0.75]);
//! assert_eq!(spread(&losses), (0.5, 0.25));
//! ```

use std::fs::read_to_string;
use std::str::FromStr;

const LOGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/logs");

/// What is in this file of `src/logs`. It is kept until the program ends.
///
/// # Panics
/// If there is none of this name.
pub fn file(name: &str) -> &'static str {
    let text = read_to_string(format!("{LOGS}/{name}"));
    text.unwrap_or_else(|error| panic!("{name}: {error}")).leak()
}

/// The log of this name.
///
/// # Panics
/// If there is none.
pub fn read(name: &str) -> &'static str {
    file(&format!("{name}.tsv"))
}

/// The logs of the seeds from 1 to N, by the name before the number.
///
/// # Panics
/// If one is missing.
pub fn seeds<const N: usize>(name: &str) -> [&'static str; N] {
    std::array::from_fn(|seed| read(&format!("{name}-{}", seed + 1)))
}

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
