//! What the examples of the book print: sections, values and tables. A page
//! shows a section by its title, and a value by its label.
//!
//! ```
//! use print::{section, table, value};
//!
//! section("Two prices");
//! table(["", "price"], [("apple", 10.0), ("chair", 2.5)].map(|(name, price)| {
//!     [name.to_string(), format!("{price:.2}")]
//! }));
//! value("the sum", 12.5);
//! ```

#![forbid(unsafe_code)]
#![deny(missing_debug_implementations, missing_docs)]

pub mod log;
mod number;

pub use number::grouped;

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether a section has begun.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Begins a section, which ends where the next one begins.
pub fn section(title: &str) {
    let gap = if BEGUN.swap(true, Relaxed) { "\n" } else { "" };
    println!("{gap}== {title}");
}

/// A number, or a word or two, that a page takes into a sentence.
pub fn value(label: &str, value: impl Display) {
    println!("{label} = {value}");
}

/// A table of N columns under their names. The cells of the first column
/// begin at its left, those of the others end at their right.
pub fn table<const N: usize>(
    names: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) {
    let mut lines = vec![names.map(str::to_owned)];
    lines.extend(rows);
    let wide =
        |j: usize| lines.iter().map(|line| line[j].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|j| wide(j).unwrap_or(0));
    for line in &lines {
        let cells =
            line.iter().zip(widths).enumerate().map(|(j, (cell, w))| {
                if j == 0 {
                    format!("{cell:w$}")
                } else {
                    format!("{cell:>w$}")
                }
            });
        let cells: Vec<String> = cells.collect();
        println!("{}", cells.join("  ").trim_end());
    }
}
