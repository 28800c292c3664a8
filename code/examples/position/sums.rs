//! A word and its position in one row: which of them is louder.

use all_you_need::plain::{Matrix, positions};
use all_you_need::tensor::Init;
use print::{Fixed, section, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// The mean length of the rows.
fn length(rows: &Matrix) -> f64 {
    rows.row_iter().map(|row| row.norm()).sum::<f64>() / rows.nrows() as f64
}

/// The word's part of the squares when a row of a new table, plain or times
/// √d, and that of a position are added.
pub fn word_and_position() {
    let d = 512;
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let table: Matrix = rng.uniform(100, d, 1.0 / (d as f64).sqrt());
    let position = length(&positions(100, d));
    let share = |word: f64| {
        let part = word * word / (word * word + position * position);
        format!("{:.1} %", 100.0 * part)
    };
    let scaled = &table * (d as f64).sqrt();
    let [row, scaled] = [&table, &scaled].map(length);
    section("At 512 columns");
    value("row at 512", row.fixed(2));
    value("share of the row at 512", share(row));
    value("row times the factor", scaled.fixed(0));
    value("its share", share(scaled));
    value("position at 512", position.fixed(0));
}
