//! Words and places in one row: which of them is louder.

use super::check_sum;
use all_you_need::plain::{Matrix, embed, positions};
use all_you_need::tensor::Init;
use print::{Fixed, fixed, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// A random table whose rows have about length 1.
fn random(vocabulary: usize, d: usize) -> Matrix {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    rng.uniform(vocabulary, d, 1.0 / (d as f64).sqrt())
}

/// The cosine of the angle between two rows.
fn cosine(a: &Matrix, b: &Matrix) -> f64 {
    a.dot(b) / (a.norm() * b.norm())
}

/// The mean length of the rows.
fn length(rows: &Matrix) -> f64 {
    rows.row_iter().map(|row| row.norm()).sum::<f64>() / rows.nrows() as f64
}

/// How long words are in a new table, plain and times √d, and how long the
/// rows of places are.
pub fn lengths(d: usize) -> [f64; 3] {
    let (table, ids) = (random(100, d), Vec::from_iter(0..100));
    let scaled = embed(&table, &ids) - positions(100, d);
    [length(&table), length(&scaled), length(&positions(100, d))]
}

/// The word's part of the squares, in percent, when both are added.
fn share(word: f64, place: f64) -> f64 {
    100.0 * word * word / (word * word + place * place)
}

pub fn word_and_place() {
    section("Word and place");
    let line = |d: usize| {
        let [row, scaled, place] = lengths(d);
        let percent = |word| format!("{:.1} %", share(word, place));
        let (row, own) = (row.fixed(2), percent(row));
        (d, row, own, scaled.fixed(1), percent(scaled), place.fixed(1))
    };
    let names = ["columns", "row", "share", "row × √d", "share", "place"];
    table(names, [8, 32, 128, 512, 2048].map(line));
    let [row, _, place] = lengths(512);
    section("At 512 columns");
    value("row at 512", row.fixed(2));
    value("share of the row at 512", format!("{:.1} %", share(row, place)));
    value("place at 512", place.fixed(0));
}

/// What is more alike: one word in two places, or two words in one?
pub fn two_places() {
    let (d, places) = (512, positions(31, 512));
    let words = random(5, d);
    let row = |factor: f64, (word, place): (usize, usize)| {
        words.rows(word, 1) * factor + places.rows(place, 1)
    };
    let line = |(name, a, b): (&'static str, _, _)| {
        let alike = |factor| cosine(&row(factor, a), &row(factor, b));
        (name, [1.0, (d as f64).sqrt()].map(alike).fixed(2))
    };
    let (cat, fence) = (1, 4);
    section("Two words, two places");
    let pairs = [
        ("cat at 3 and cat at 30", (cat, 3), (cat, 30)),
        ("cat at 3 and fence at 3", (cat, 3), (fence, 3)),
        ("cat at 3 and fence at 30", (cat, 3), (fence, 30)),
    ];
    table(["", "row", "row × √d"], pairs.map(line));
}

/// An embedding of tokens, with their places.
type Embed = fn(&Matrix, &[usize]) -> Matrix;

pub fn two_slips() {
    let slips: [(&str, Embed); 3] = [
        ("(§3.4)", embed),
        ("no factor", |table, tokens| {
            let (n, d) = (tokens.len(), table.ncols());
            table.select_rows(tokens) + positions(n, d)
        }),
        ("places, too", |table, tokens| {
            let (n, d) = (tokens.len(), table.ncols());
            (table.select_rows(tokens) + positions(n, d)) * (d as f64).sqrt()
        }),
    ];
    section("Two slips");
    for (name, embed) in slips {
        let row = embed(&Matrix::identity(9, 4), &[2]);
        println!("{name:12} {}", fixed(&row, 0).join(" "));
    }
    check_sum(embed);
}
