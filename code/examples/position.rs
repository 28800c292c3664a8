//! Order, positions and what becomes of both: `cargo run --example position`

use all_you_need::plain::{Heads, Matrix, embed, heads, positions};
use all_you_need::position::shift;
use all_you_need::tensor::Init;
use all_you_need::tokens::{Vocabulary, words};
use nalgebra::dmatrix;
use print::{section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::f64::consts::TAU;

fn main() {
    two_orders();
    plain_numbers();
    digits();
    four_positions();
    a_sum();
    one_step();
    dot_products();
    taken_apart();
    columns_in_order();
    four_rules();
    word_and_place();
    two_places();
    two_slips();
}

/// Random numbers of mean 0 and variance 1.
fn noise(rows: usize, columns: usize, rng: &mut ChaCha8Rng) -> Matrix {
    Init::uniform(rng, rows, columns, 1.0)
}

const SENTENCE: &str = "the cat jumped over the fence";
const SWAPPED: &str = "the fence jumped over the cat";

/// What random heads give *jumped* in both sentences, with positions or
/// without.
fn jumped(with_positions: bool) -> [Matrix; 2] {
    let (n, d) = (6, 16);
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let table = noise(5, d, rng); // of length √d, as `embed` makes them
    let p = Heads(4, [0; 4].map(|_| noise(d, d, rng) / 4.0));
    let vocabulary = Vocabulary::of(&words(SENTENCE));
    [SENTENCE, SWAPPED].map(|sentence| {
        let ids = vocabulary.encode(&words(sentence)).expect("known words");
        let ids: Vec<_> = ids.iter().map(|&id| id as usize).collect();
        let places = positions(n, d) * f64::from(with_positions);
        let x = table.select_rows(&ids) + places;
        let result = heads(&p, &x, &x, &Matrix::zeros(n, n));
        result.rows(2, 1).into_owned()
    })
}

fn two_orders() {
    section("Two orders");
    let line = |(sentence, row): (&str, Matrix)| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|j| format!("{:.4}", row[j]));
        [sentence.to_owned(), a, b, c, d, "…".to_owned()]
    };
    let sentences = [SENTENCE, SWAPPED];
    let names = ["jumped gets", "1", "2", "3", "4", ""];
    table(names, sentences.into_iter().zip(jumped(false)).map(line));
    let apart = |[a, b]: [Matrix; 2]| (a - b).amax();
    section("Two orders, in the text");
    assert!(apart(jumped(false)) < 1e-12);
    value("without positions", "less than 10⁻¹²");
    let largest = jumped(true)[0].amax();
    value("with positions", format!("{:.2}", apart(jumped(true))));
    value("the largest number", format!("{largest:.2}"));
}

/// What a plain number would do to a word: rows of 512.
fn plain_numbers() {
    let fifty = Matrix::from_element(1, 512, 50.0);
    section("Plain numbers");
    value("fifty in every column, length", format!("{:.0}", fifty.norm()));
    value("an embedded word, length", format!("{:.0}", 512f64.sqrt()));
}

fn digits() {
    section("Binary digits");
    for position in 0..8 {
        println!("{position}  {position:03b}");
    }
}

fn four_positions() {
    section("Four positions, two hands");
    let line = |(p, row): (usize, Vec<f64>)| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|j| format!("{:.4}", row[j]));
        [p.to_string(), a, b, c, d]
    };
    let pe = positions(4, 4);
    let rows = pe.row_iter().map(|row| row.iter().copied().collect());
    let names = ["position", "sin", "cos", "sin", "cos"];
    table(names, rows.enumerate().map(line));
}

/// A word of four numbers on its way to place 1.
fn a_sum() {
    let (row, factor) = (dmatrix![0.5, -0.2, 0.1, 0.4], 4f64.sqrt());
    let place = positions(2, 4).rows(1, 1).into_owned();
    let x = embed(&row, &[0, 0]).rows(1, 1).into_owned();
    let scaled = &row * factor;
    section("A word at place 1");
    let line = |(name, row): (&str, &Matrix)| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|j| format!("{:.2}", row[j]));
        [name.to_owned(), a, b, c, d]
    };
    let lines = [
        ("row of the table", &row),
        ("times √4", &scaled),
        ("place 1", &place),
        ("sum", &x),
    ];
    table(["column", "0", "1", "2", "3"], lines.map(line));
}

fn one_step() {
    section("One step, for two hands");
    let step = shift(1, 4);
    let line = |i| [0, 1, 2, 3].map(|j| format!("{:.4}", step[(i, j)]));
    let [first, rest @ ..] = [0, 1, 2, 3].map(line);
    table(first.each_ref().map(String::as_str), rest);
}

fn dot_products() {
    let pe = positions(200, 512);
    let dot =
        |p: usize, q: usize| format!("{:.1}", pe.row(p).dot(&pe.row(q)));
    section("Dot products");
    table(
        ["places on", "from 3", "from 100"],
        [0, 1, 2, 5, 20, 50]
            .map(|k| [k.to_string(), dot(3, 3 + k), dot(100, 100 + k)]),
    );
    let one = pe.row(1);
    let turn = TAU / one[510].atan2(one[511]);
    section("The last of 256 hands");
    value("longest, in units of 2π", format!("{:.1}", turn / TAU));
    value("length of every row", format!("{:.0}", one.norm()));
}

/// The row of the table that is nearest to this row.
fn nearest(row: &Matrix, table: &Matrix) -> usize {
    let distance = |i: &usize| (row - table.rows(*i, 1)).norm();
    let rows = 0..table.nrows();
    rows.min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("a row")
}

/// Can a sum be taken apart? 3,000 times a word of 1,000 at one of 50 places.
fn taken_apart() {
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    section("Taken apart again");
    let line = |d: usize| {
        let (words, places) = (noise(1000, d, rng), positions(50, d));
        let (mut right, mut placed) = (0, 0);
        for _ in 0..3000 {
            let word = rng.random_range(0..1000);
            let place = rng.random_range(0..50);
            let sum = words.rows(word, 1) + places.rows(place, 1);
            let found = nearest(&sum, &words);
            let rest = sum - words.rows(found, 1);
            right += usize::from(found == word);
            placed += usize::from(nearest(&rest, &places) == place);
        }
        let share = |hits| format!("{:.0} %", hits as f64 / 30.0);
        [d.to_string(), share(right), share(placed)]
    };
    table(["columns", "words found", "places found"], [4, 16, 64].map(line));
}

/// All sines first, and then all cosines: how far from the other order?
fn columns_in_order() {
    let pe = positions(50, 512);
    let order = (0..512).step_by(2).chain((1..512).step_by(2));
    let sorted = pe.select_columns(&Vec::from_iter(order));
    let off = pe - sorted;
    let mean = off.row_iter().map(|row| row.norm()).sum::<f64>() / 50.0;
    section("Two orders of the columns");
    value("off by", format!("{mean:.1}"));
}

/// Fails for the three slips in the formula.
pub fn check(positions: impl Fn(usize, usize) -> Matrix) {
    let right = [
        [0.0000, 1.0000, 0.0000, 1.0000],
        [0.8415, 0.5403, 0.0100, 1.0000],
        [0.9093, -0.4161, 0.0200, 0.9998],
    ];
    let found = positions(3, 4); // three places, two hands
    for (place, row) in right.iter().enumerate() {
        for (i, number) in row.iter().enumerate() {
            assert!((found[(place, i)] - number).abs() < 1e-4);
        }
    }
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
    let line = |(name, rule): (&str, Rule)| {
        let (one, many) = (rule(2, 4), rule(45, 64));
        let [a, b, c, d] =
            [0, 1, 2, 3].map(|j| format!("{:.4}", one[(1, j)]));
        let apart = (many.row(0) - many.row(44)).norm();
        [name.to_owned(), a, b, c, d, format!("{apart:.2}")]
    };
    let names = ["position 1", "sin", "cos", "sin", "cos", "0 to 44"];
    table(names, RULES.map(line));
    check(positions);
}

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

fn word_and_place() {
    section("Word and place");
    let line = |d: usize| {
        let [row, scaled, place] = lengths(d);
        let percent = |word| format!("{:.1} %", share(word, place));
        let (a, b) = (format!("{row:.2}"), format!("{scaled:.1}"));
        let place = format!("{place:.1}");
        [d.to_string(), a, percent(row), b, percent(scaled), place]
    };
    let names = ["columns", "row", "share", "row × √d", "share", "place"];
    table(names, [8, 32, 128, 512, 2048].map(line));
    let [row, scaled, place] = lengths(512);
    section("At 512 columns");
    value("row at 512", format!("{row:.2}"));
    value("row times √512", format!("{scaled:.1}"));
    value("share of the row at 512", format!("{:.1} %", share(row, place)));
    value("place at 512", format!("{place:.0}"));
}

/// What is more alike: one word in two places, or two words in one?
fn two_places() {
    let (d, places) = (512, positions(31, 512));
    let words = random(5, d);
    let row = |factor: f64, (word, place): (usize, usize)| {
        words.rows(word, 1) * factor + places.rows(place, 1)
    };
    let line = |(name, a, b): (&str, _, _)| {
        let alike = |factor| cosine(&row(factor, a), &row(factor, b));
        let alike = |factor| format!("{:.2}", alike(factor));
        [name.to_owned(), alike(1.0), alike((d as f64).sqrt())]
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

/// Fails for the two slips in what is multiplied.
pub fn check_sum(embed: impl Fn(&Matrix, &[usize]) -> Matrix) {
    let table = Matrix::identity(9, 4); // nine tokens, four columns
    let first = embed(&table, &[2]).rows(0, 1).into_owned();
    assert_eq!(first, dmatrix![0.0, 1.0, 2.0, 1.0]);
}

/// An embedding of tokens, with their places.
type Embed = fn(&Matrix, &[usize]) -> Matrix;

fn two_slips() {
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
        let row: Vec<_> = row.iter().map(f64::to_string).collect();
        println!("{name:12} {}", row.join(" "));
    }
    check_sum(embed);
}
