//! How fast a core of the authors' machine multiplies.

use print::log::{number, read};

/// Multiply-adds in a second, in billions, as the bench of the chapter on
/// speed measured them: X W, for the 1380 rows of a part of a batch and a
/// matrix of 128 × 128.
pub fn billions_a_second() -> f64 {
    let mut lines = read("speed-steps").lines();
    let row = lines.find_map(|line| line.strip_prefix("product, X W\t"));
    let milliseconds = row.and_then(|row| row.split('\t').next());
    let milliseconds: f64 = number(milliseconds.expect("its time"));
    (1380 * 128 * 128) as f64 / milliseconds / 1e6
}
