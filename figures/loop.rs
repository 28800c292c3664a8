//! The figure of the chapter on the loop with its threads.

use plot::{Diagram, Hue, Side};
use std::ops::Range;

/// How many parts a batch has.
const PARTS: usize = 4;

/// Who may have which branch, for so many threads. The one that comes to a
/// sum takes its first half, and one that is idle may take the second.
const SHARES: [&[(&str, Range<usize>)]; 4] = [
    &[("A", 0..4)],
    &[("A", 0..2), ("B", 2..4)],
    &[("A", 0..1), ("C", 1..2), ("B", 2..4)],
    &[("A", 0..1), ("C", 1..2), ("B", 2..3), ("D", 3..4)],
];

/// The middle above these parts.
fn middle(parts: &Range<usize>) -> f64 {
    7.5 + 4.9 * (parts.start + parts.end - 1) as f64 / 2.0
}

/// As wide as these parts.
fn width(parts: &Range<usize>) -> f64 {
    4.9 * parts.len() as f64 - 0.6
}

/// The tree of the sums, and below it the threads that have its branches.
pub fn draw() {
    let said = SHARES.iter().map(|shares| {
        let each = shares.iter().map(|(thread, parts)| {
            let Range { start, end } = parts;
            match parts.len() {
                1 => format!("{thread} part {start}"),
                _ => format!("{thread} parts {start} to {}", end - 1),
            }
        });
        let each = each.collect::<Vec<_>>().join(", ");
        format!("With {}: {each}.", threads(shares.len()))
    });
    let said = said.collect::<Vec<_>>().join(" ");
    let description = format!(
        "The gradients of {PARTS} parts are added in pairs, and then the two \
         sums. Below it a row of threads for each number of them. {said}"
    );
    let mut figure =
        Diagram::new("One tree and its threads", &description, 25.0, 16.4);
    let whole = figure.block(
        (middle(&(0..PARTS)), 1.2),
        (8.4, 1.6),
        "the gradient of the batch",
        Hue::OURS,
    );
    for pair in [0..2, 2..4] {
        let at = (middle(&pair), 4.2);
        let text = format!("*g*{} + *g*{}", low(pair.start), low(pair.end - 1));
        let sum = figure.block(at, (4.9, 1.6), &text, Hue::Rule);
        join(&mut figure, sum.top(), whole.bottom());
        for i in pair {
            let part = i..i + 1;
            let at = (middle(&part), 7.6);
            let text = format!("part {i}\n*g*{}", low(i));
            let part = figure.block(at, (width(&part), 2.2), &text, Hue::Rule);
            join(&mut figure, part.top(), sum.bottom());
        }
    }
    for (row, shares) in SHARES.iter().enumerate() {
        let y = 10.0 + 1.8 * row as f64;
        figure.note((0.3, y), Side::Right, &threads(shares.len()));
        for (thread, parts) in *shares {
            let size = (width(parts), 1.3);
            figure.block((middle(parts), y), size, thread, Hue::Rule);
        }
    }
    plot::save("loop-tree", &figure.draw());
}

fn threads(n: usize) -> String {
    format!("{n} thread{}", if n == 1 { "" } else { "s" })
}

/// A digit as an index.
fn low(i: usize) -> char {
    char::from_u32(0x2080 + i as u32).expect("a digit")
}

/// A line from the top of a block to the sum above it.
fn join(figure: &mut Diagram, from: (f64, f64), to: (f64, f64)) {
    let y = (from.1 + to.1) / 2.0;
    figure.line(&[from, (from.0, y), (to.0, y), to], Hue::Rule);
}
