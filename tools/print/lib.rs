//! What the examples of the book print: sections, values and tables. A page
//! shows a section by its title, and a value by its label.
//!
//! ```
//! use print::{Fixed, section, table, value};
//!
//! let shop = [("apple", 10.0, [0.4, 1.0]), ("chair", 2.5, [0.0, 45.0])];
//! section("A shop");
//! let rows = shop.map(|(name, price, sizes)| (name, price, sizes.fixed(2)));
//! table(("", "price", ["sweet", "high"]), rows);
//! value("the sum", 12.5.fixed(2));
//! ```
//!
//! A row is a tuple of [`Cells`]. Numbers are [`Fixed`] to some decimals,
//! [`grouped`] by threes, or taken from a [`log`].

#![forbid(unsafe_code)]
#![deny(missing_debug_implementations, missing_docs)]

mod cells;
pub mod log;
mod number;
mod sample;

pub use cells::Cells;
pub use number::{Fixed, fixed, grouped, size};
pub use sample::{least, mean, median, most, plus_minus, spread};

use std::fmt::Display;
use std::iter;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether something has been printed, from which a section needs a gap.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Begins a section, which ends where the next one begins.
pub fn section(title: &str) {
    let gap = if BEGUN.swap(true, Relaxed) { "\n" } else { "" };
    println!("{gap}== {title}");
}

/// A number, or a word or two, that a page takes into a sentence.
pub fn value(label: impl Display, value: impl Display) {
    BEGUN.store(true, Relaxed);
    println!("{label} = {value}");
}

/// A text in lines of at most 72 characters, each after four spaces.
///
/// ```
/// assert_eq!(print::folded("one two"), "    one two");
/// assert!(print::folded(&"word ".repeat(30)).lines().count() == 3);
/// ```
#[must_use]
pub fn folded(text: &str) -> String {
    const WIDTH: usize = 72;
    let (mut lines, mut width) = (String::from("   "), 3);
    for word in text.split_whitespace() {
        let letters = word.chars().count() + 1;
        if width + letters > WIDTH {
            lines += "\n   ";
            width = 3;
        }
        lines += &format!(" {word}");
        width += letters;
    }
    lines
}

/// A table of columns under their names. The cells of the first column begin
/// at its left, those of the others end at their right.
///
/// # Panics
/// If a row has not a cell for each name.
pub fn table(names: impl Cells, rows: impl IntoIterator<Item: Cells>) {
    let row = |cells: &dyn Cells| {
        let mut row = Vec::new();
        cells.put(&mut row);
        row
    };
    let rows = rows.into_iter().map(|cells| row(&cells));
    let lines: Vec<_> = iter::once(row(&names)).chain(rows).collect();
    for line in &lines {
        assert_eq!(line.len(), lines[0].len(), "{line:?}");
    }
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
