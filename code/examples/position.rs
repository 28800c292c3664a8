//! Order, positions and what becomes of both: `cargo run --example position`

use all_you_need::plain::{Heads, Matrix, embed, heads, positions};
use all_you_need::position::shift;
use all_you_need::tensor::Init;
use all_you_need::tokens::{Vocabulary, words};
use nalgebra::dmatrix;
use print::{Fixed, fixed, section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::f64::consts::TAU;

#[path = "position/sums.rs"]
mod sums;

fn main() {
    two_orders();
    plain_numbers();
    digits();
    a_sum();
    one_step();
    dot_products();
    taken_apart();
    four_rules();
    sums::word_and_position();
}

const SENTENCE: &str = "the cat jumped over the fence";
const SWAPPED: &str = "the fence jumped over the cat";

/// What random heads give *jumped* in both sentences, with positions or
/// without.
fn jumped(with_positions: bool) -> [Matrix; 2] {
    let (n, d) = (6, 16);
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let table: Matrix = rng.uniform(5, d, 1.0); // of length √d, as `embed` makes them
    let p = Heads(4, [0; 4].map(|_| rng.uniform(d, d, 0.25)));
    let vocabulary = Vocabulary::of(&words(SENTENCE));
    [SENTENCE, SWAPPED].map(|sentence| {
        let ids = vocabulary.encode(&words(sentence)).expect("known words");
        let ids: Vec<_> = ids.iter().map(|&id| id as usize).collect();
        let positions = positions(n, d) * f64::from(with_positions);
        let x = table.select_rows(&ids) + positions;
        let result = heads(&p, &x, &x, &Matrix::zeros(n, n));
        result.rows(2, 1).into_owned()
    })
}

fn two_orders() {
    section("Two orders");
    let line = |(sentence, row): (&'static str, Matrix)| {
        (sentence, fixed(row.columns(0, 4), 4), "…")
    };
    let sentences = [SENTENCE, SWAPPED];
    let names = ["jumped gets", "1", "2", "3", "4", ""];
    table(names, sentences.into_iter().zip(jumped(false)).map(line));
    let apart = |[a, b]: [Matrix; 2]| (a - b).amax();
    section("Two orders, in the text");
    assert!(apart(jumped(false)) < 1e-12);
    value("without positions", "less than 10⁻¹²");
    let largest = jumped(true)[0].amax();
    value("with positions", apart(jumped(true)).fixed(2));
    value("the largest number", largest.fixed(2));
}

/// What a plain number would do to a word: rows of 512.
fn plain_numbers() {
    let fifty = Matrix::from_element(1, 512, 50.0);
    section("Plain numbers");
    value("fifty in every column, length", fifty.norm().fixed(0));
}

fn digits() {
    section("Binary digits");
    for position in 0..8 {
        println!("{position}  {position:03b}");
    }
}

/// A word of four numbers on its way to position 1.
fn a_sum() {
    let (row, factor) = (dmatrix![0.5, -0.2, 0.1, 0.4], 4f64.sqrt());
    let position = positions(2, 4).rows(1, 1).into_owned();
    let x = embed(&row, &[0, 0]).rows(1, 1).into_owned();
    let scaled = &row * factor;
    section("A word at position 1");
    let line = |(name, row): (&'static str, &Matrix)| (name, fixed(row, 2));
    let lines = [
        ("row of the table", &row),
        ("times √4", &scaled),
        ("position 1", &position),
        ("sum", &x),
    ];
    table(["column", "0", "1", "2", "3"], lines.map(line));
}

fn one_step() {
    section("One step, for two hands");
    let step = shift(1, 4);
    let [first, rest @ ..] = [0, 1, 2, 3].map(|i| fixed(step.row(i), 4));
    table(first, rest);
}

fn dot_products() {
    let pe = positions(200, 512);
    let dot = |p: usize, q: usize| pe.row(p).dot(&pe.row(q)).fixed(1);
    section("Dot products");
    let row = |k: usize| (k, dot(3, 3 + k), dot(100, 100 + k));
    table(["distance", "from 3", "from 100"], [0, 1, 2, 5, 20, 50].map(row));
    let one = pe.row(1);
    let turn = TAU / one[510].atan2(one[511]);
    section("The last of 256 hands");
    value("longest, in units of 2π", (turn / TAU).fixed(1));
}

/// The row of the table that is nearest to this row.
fn nearest(row: &Matrix, table: &Matrix) -> usize {
    let distance = |i: &usize| (row - table.rows(*i, 1)).norm();
    let rows = 0..table.nrows();
    rows.min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("a row")
}

/// Can a sum be taken apart? 3,000 times a word of 1,000 at one of 50
/// positions.
fn taken_apart() {
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    section("Taken apart again");
    let line = |d: usize| {
        let words: Matrix = rng.uniform(1000, d, 1.0);
        let all = positions(50, d);
        let (mut right, mut placed) = (0, 0);
        for _ in 0..3000 {
            let word = rng.random_range(0..1000);
            let position = rng.random_range(0..50);
            let sum = words.rows(word, 1) + all.rows(position, 1);
            let found = nearest(&sum, &words);
            let rest = sum - words.rows(found, 1);
            right += usize::from(found == word);
            placed += usize::from(nearest(&rest, &all) == position);
        }
        let share = |hits: usize| (hits as f64 / 3000.0).percent(0);
        (d, share(right), share(placed))
    };
    table(
        ["columns", "words found", "positions found"],
        [4, 16, 64].map(line),
    );
}

/// Fails for the three slips in the formula.
pub fn check(positions: impl Fn(usize, usize) -> Matrix) {
    let right = [
        [0.0000, 1.0000, 0.0000, 1.0000],
        [0.8415, 0.5403, 0.0100, 1.0000],
        [0.9093, -0.4161, 0.0200, 0.9998],
    ];
    let found = positions(3, 4); // three positions, two hands
    for (p, row) in right.iter().enumerate() {
        for (i, number) in row.iter().enumerate() {
            assert!((found[(p, i)] - number).abs() < 1e-4);
        }
    }
    // The third hand of four, at place 2.
    assert!((positions(3, 8)[(2, 4)] - 0.0200).abs() < 1e-4);
}

/// A rule for positions: n × d.
type Rule = fn(usize, usize) -> Matrix;

fn wave(even: bool, angle: f64) -> f64 {
    if even { angle.sin() } else { angle.cos() }
}

fn power(i: usize, d: usize) -> f64 {
    10000f64.powf((i - i % 2) as f64 / d as f64)
}

/// The paper's rule and three slips.
const RULES: [(&str, Rule); 4] = [
    ("sin(pos / 10000^(2i/d))", positions),
    ("odd and even positions", |n, d| {
        Matrix::from_fn(n, d, |p, i| wave(p % 2 == 0, p as f64 / power(i, d)))
    }),
    ("sin(pos) / 10000^(2i/d)", |n, d| {
        Matrix::from_fn(n, d, |p, i| wave(i % 2 == 0, p as f64) / power(i, d))
    }),
    ("2i/d in whole numbers", |n, d| {
        let whole = |i: usize| 10000f64.powi(((i - i % 2) / d) as i32);
        Matrix::from_fn(n, d, |p, i| wave(i % 2 == 0, p as f64 / whole(i)))
    }),
];

fn four_rules() {
    section("Four rules");
    let line = |(name, rule): (&'static str, Rule)| {
        let (one, many) = (rule(2, 4), rule(45, 64));
        let apart = (many.row(0) - many.row(44)).norm();
        (name, fixed(one.row(1), 4), apart.fixed(2))
    };
    let names =
        ["position 1", "sin", "cos", "sin", "cos", "distance, 0 to 44"];
    table(names, RULES.map(line));
    check(positions);
}
