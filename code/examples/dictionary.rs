//! A dictionary, hard and soft: `cargo run --example dictionary`

use all_you_need::dictionary::{
    hard_lookup, soft_lookup, softmax, sum_of_matches,
};
use all_you_need::plain::{self, Matrix};
use nalgebra::{DMatrix, dmatrix};
use print::{Fixed, fixed, section, table, value};

/// The shop: its keys, and their values.
pub const KEYS: [&str; 3] = ["apple", "banana", "chair"];
pub const VALUES: [f64; 3] = [10.0, 5.0, 2.0];

fn main() {
    six_parts_apple();
    scores_to_weights();
    yes_or_no();
    other_weights();
    a_falling_price();
    three_ways();
    two_look_ups();
    sigmoids();
    section("The largest number");
    value("logarithm of the largest f64", f64::MAX.ln().fixed(1));
    check();
}

/// How well each key fits *fruit*. The exponentials of the first two are 0.6
/// and 0.4.
pub fn fruit() -> [f64; 3] {
    [0.6f64.ln(), 0.4f64.ln(), -5.0]
}

/// What the weights of these scores make of the three values.
pub fn answer(scores: &[f64]) -> f64 {
    soft_lookup(&softmax(scores), &VALUES)
}

fn six_parts_apple() {
    let weights = [0.6, 0.4, 0.0];
    section("Six parts apple");
    let row = |j: usize| {
        let (weight, price) = (weights[j], VALUES[j]);
        (KEYS[j], weight, price, weight * price)
    };
    table(["key", "weight", "value", "product"], (0..3).map(row));
    section("What fruit gets");
    value("fruit gets", soft_lookup(&weights, &VALUES));
    value("mean of the values", answer(&[0.0; 3]).fixed(2));
}

fn scores_to_weights() {
    let scores = fruit();
    let weights = plain::softmax(&DMatrix::from_row_slice(1, 3, &scores));
    let powers = scores.map(f64::exp);
    section("Scores to weights");
    let row = |j: usize| {
        (KEYS[j], scores[j].fixed(2), [powers[j], weights[j]].fixed(4))
    };
    let sums = [powers.iter().sum(), weights.sum()].fixed(4);
    let rows = (0..3).map(row).chain([("sum", String::new(), sums)]);
    table(["key", "score s", "e^s", "weight"], rows);
    section("What fruit gets softly");
    value("fruit softly gets", answer(&scores).fixed(2));
}

fn yes_or_no() {
    let pairs = [("apple", 10.0), ("banana", 5.0), ("chair", 2.0)];
    section("Yes or no");
    let row = |query: &'static str| {
        let found = format!("{:?}", hard_lookup(&pairs, query));
        (query, found, sum_of_matches(&pairs, query))
    };
    let rows = ["apple", "chair", "fruit"].map(row);
    table(["asked for", "first match", "sum"], rows);
}

fn other_weights() {
    section("Other weights");
    let row = |weights: [f64; 3]| {
        let sum: f64 = weights.iter().sum();
        let answer = soft_lookup(&weights, &VALUES);
        (weights.fixed(1), sum.fixed(1), answer)
    };
    let weights = [[0.6, 0.4, 0.0], [1.2, 0.8, 0.0], [1.5, -0.5, 0.0]];
    let names = ["apple", "banana", "chair", "sum", "answer"];
    table(names, weights.map(row));
}

/// What a rise of *banana*'s score by a tenth does to the answer.
fn a_falling_price() {
    let [apple, banana, chair] = fruit();
    section("A tenth more");
    let risen = answer(&[apple, banana + 0.1, chair]);
    value("with a tenth more", risen.fixed(2));
}

/// What becomes of a score before it is divided by the sum of all.
type Change = fn(f64) -> f64;

/// The weights that come of a change of the scores.
fn weights_by(change: Change, scores: [f64; 3]) -> [f64; 3] {
    let changed = scores.map(change);
    changed.map(|x| x / changed.iter().sum::<f64>())
}

fn three_ways() {
    section("Three ways");
    let ways: [(&str, Change); 3] =
        [("s", |s| s), ("s²", |s| s * s), ("e^s", f64::exp)];
    let rows = ways.map(|(name, change)| {
        let [low, high] = [[2.0, 1.0, -1.0], [5.0, 4.0, 2.0]]
            .map(|scores| weights_by(change, scores).fixed(2));
        (name, low, (), high)
    });
    let names = ["each share of", "2", "1", "−1", "", "5", "4", "2"];
    table(names, rows);
}

/// For each query, a row, the values mixed by how well their keys fit it.
pub fn look_up(queries: &Matrix, keys: &Matrix, values: &Matrix) -> Matrix {
    let fit = |i: usize, j: usize| queries.row(i).dot(&keys.row(j));
    let scores = Matrix::from_fn(queries.nrows(), keys.nrows(), fit);
    plain::softmax(&scores) * values
}

/// How sweet each word is and how wooden, and what it costs and how many bites
/// it has.
fn two_look_ups() {
    let queries = dmatrix![2.0, 0.0; 0.0, 2.0];
    let keys = dmatrix![2.0, 1.0; 1.0, 1.0; -2.0, 2.0];
    let values = dmatrix![10.0, 8.0; 5.0, 6.0; 2.0, 0.0];
    section("The shop in numbers");
    let asked = |(i, name): (usize, &'static str)| {
        (name, fixed(queries.row(i), 0), vec![String::new(); 2])
    };
    let sold = |(j, &name): (usize, &&'static str)| {
        (name, fixed(keys.row(j), 0), fixed(values.row(j), 0))
    };
    let asked = [(0, "fruit"), (1, "furniture")].map(asked).into_iter();
    let lines = asked.chain(KEYS.iter().enumerate().map(sold));
    table(["", "sweet", "wooden", "price", "bites"], lines);
    section("Two look-ups");
    // What each key contributes is seen if its value is 1 and the others 0.
    let weights = look_up(&queries, &keys, &Matrix::identity(3, 3));
    let answers = look_up(&queries, &keys, &values);
    let row = |(i, name): (usize, &'static str)| {
        (name, fixed(weights.row(i), 4), fixed(answers.row(i), 4))
    };
    let rows = [(0, "fruit"), (1, "furniture")].map(row);
    table(("", KEYS, "price", "bites"), rows);
}

/// 1 / (1 + e^−x): from 0 to 1, each number on its own.
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The same number added to every score, for softmax and for three sigmoids.
fn sigmoids() {
    section("Sigmoids");
    let mut rows = Vec::new();
    for added in [0.0, 3.0] {
        let scores = fruit().map(|score| score + added);
        let softly = softmax(&scores);
        for (name, weights) in
            [("softmax", &softly[..]), ("sigmoid", &scores.map(sigmoid))]
        {
            let name = match added {
                0.0 => name.to_string(),
                _ => format!("{name}, scores + {added}"),
            };
            let sum = weights.iter().sum::<f64>().fixed(3);
            let gets = soft_lookup(weights, &VALUES).fixed(2);
            rows.push((name, fixed(weights, 3), sum, gets));
        }
    }
    table(("", KEYS, "sum", "fruit gets"), &rows);
    section("What the sigmoids get");
    value("sigmoids get", &rows[1].3);
    value("three higher, they get", &rows[3].3);
}

/// Three properties of a softmax of rows, for a test of your own.
fn check() {
    let weights = plain::softmax(&dmatrix![
           2.0,    1.0,   -1.0;
        -800.0, -801.0, -803.0;
         800.0,  799.0,  797.0
    ]);
    for row in weights.row_iter() {
        assert!((row.sum() - 1.0).abs() < 1e-12, "a row does not sum to 1");
        assert!(
            (row - weights.row(0)).abs().max() < 1e-12,
            "not only differences count"
        );
        assert!(
            (row[0] / row[1] - 1f64.exp()).abs() < 1e-12,
            "one ahead is not e times"
        );
    }
}
