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
//! print::numbers(&["apple"], &["price", "twice"], 1, |_, j| [10.0, 20.0][j]);
//! value("the sum", 12.5);
//! ```

#![forbid(unsafe_code)]
#![deny(missing_debug_implementations, missing_docs)]

pub mod log;
mod number;

pub use number::grouped;

use std::fmt::Display;
use std::iter;
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
    let names = names.map(str::to_owned).to_vec();
    aligned(names, rows.into_iter().map(Vec::from));
}

/// A table of numbers with these decimals: a name for each row, and for each
/// column.
pub fn numbers(
    rows: &[&str],
    columns: &[&str],
    decimals: usize,
    number: impl Fn(usize, usize) -> f64,
) {
    let names = [&[""], columns].concat().into_iter().map(str::to_owned);
    let line = |(i, name): (usize, &&str)| {
        let cell = |j| format!("{:.decimals$}", number(i, j));
        let cells = (0..columns.len()).map(cell);
        iter::once(name.to_string()).chain(cells).collect()
    };
    aligned(names.collect(), rows.iter().enumerate().map(line));
}

fn aligned(names: Vec<String>, rows: impl Iterator<Item = Vec<String>>) {
    let lines: Vec<Vec<String>> = iter::once(names).chain(rows).collect();
    let width = |j: usize| {
        let lengths = lines.iter().map(|line| line[j].chars().count());
        lengths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    for line in &lines {
        let mut text = format!("{:1$}", line[0], widths[0]);
        for (cell, width) in line.iter().zip(&widths).skip(1) {
            text += &format!("  {cell:>width$}");
        }
        println!("{}", text.trim_end());
    }
}
