//! What `src/logs/classifier.sh` has measured.

use all_you_need::tensor::Matrix;
use print::least;
use print::log::{self, number, table};
use std::sync::LazyLock;

/// The logs of five seeds.
pub type Logs = LazyLock<[&'static str; 5]>;

pub static RUNS: Logs = Logs::new(|| log::seeds("classifier-run"));
pub static COMPARED: Logs = Logs::new(|| log::seeds("classifier-compared"));
pub static RIVALS: Logs = Logs::new(|| log::seeds("classifier-rivals"));

/// The row of a log that says this.
fn row(log: &'static str, what: &str) -> [&'static str; 7] {
    let row = table::<7>(log).find(|row| row[0] == what);
    row.expect("a row of this")
}

/// How many percent of each kind a model of each seed gets right.
pub fn right(logs: &Logs, what: &str) -> [Vec<f64>; 4] {
    let rows = logs.map(|log| {
        row(log, what).map(|cell| 100.0 * cell.parse().unwrap_or(f64::NAN))
    });
    [3, 4, 5, 6].map(|column| rows.iter().map(|row| row[column]).collect())
}

/// The loss at the end, for each seed.
pub fn losses(logs: &Logs, what: &str) -> Vec<f64> {
    logs.map(|log| number(row(log, what)[2])).to_vec()
}

/// Nine of ten, in percent.
pub const ENOUGH: f64 = 90.0;

/// The points of a curve: a share in percent after so many updates.
pub type Curve = Vec<(f64, f64)>;

/// The share of validation reviews that are right, for each kind, as the mean
/// of all runs.
pub fn curves() -> [Curve; 4] {
    let runs = RUNS.map(|log| -> Vec<[f64; 7]> {
        let rows = table::<7>(log).filter(|row| row[0] == "validation");
        rows.map(|row| row.map(|cell| cell.parse().unwrap_or(0.0))).collect()
    });
    [0, 1, 2, 3].map(|kind| {
        let each = 0..runs[0].len();
        let mean = |row: usize| {
            let sum: f64 = runs.iter().map(|run| run[row][3 + kind]).sum();
            (runs[0][row][1], 100.0 * sum / runs.len() as f64)
        };
        each.map(mean).collect()
    })
}

/// The first update from which a curve stays at [`ENOUGH`] or above.
pub fn from(curve: &Curve) -> f64 {
    let below = curve.iter().rposition(|(_, right)| *right < ENOUGH);
    curve[below.map_or(0, |row| row + 1)].0
}

/// The lowest point of a curve.
pub fn lowest(curve: &Curve) -> f64 {
    least(&Vec::from_iter(curve.iter().map(|at| at.1)))
}

/// A review of the log: its words, what each adds to the verdict of the bag
/// and of the encoder, and how probably they call it good.
pub struct Added {
    pub words: Vec<&'static str>,
    pub adds: Matrix,
    pub good: [f64; 2],
}

pub fn added(review: &str) -> Added {
    let rows = table::<5>(log::read("classifier-words"))
        .filter(|row| row[0] == review);
    let mut rows: Vec<_> =
        rows.map(|row| (row[2], [row[3], row[4]].map(number))).collect();
    let (_, good) = rows.pop().expect("what both say");
    let words = rows.iter().map(|row| row.0).collect();
    let adds = Matrix::from_fn(rows.len(), 2, |i, j| rows[i].1[j]);
    Added { words, adds, good }
}

/// Where a word is first, counted from 0.
pub fn place(words: &[&str], word: &str) -> usize {
    let place = words.iter().position(|other| *other == word);
    place.expect("a word of the review")
}

/// What a word adds in the bag, where it is.
pub fn in_the_bag(review: &Added, word: &str) -> f64 {
    review.adds[(place(&review.words, word), 0)]
}

/// How many words add to good in the encoder.
pub fn positive(review: &Added) -> usize {
    review.adds.column(1).iter().filter(|x| **x > 0.0).count()
}

/// What a head does with the reviews of two clauses of which the first
/// decides, or the second.
pub struct Head {
    pub layer: &'static str,
    pub head: &'static str,
    /// How much of all weight goes to the *not* of the first clause and to
    /// that of the second, on average.
    pub not: [f64; 2],
    /// How much goes to the conjunction, and to the word after it.
    pub after: [f64; 2],
}

pub fn heads(set: &str, decides: &str) -> Vec<Head> {
    let rows = table::<11>(log::read("classifier-heads"));
    let rows = rows.filter(|row| row[..2] == [set, decides]);
    let head = |row: [&'static str; 11]| Head {
        layer: row[2],
        head: row[3],
        not: [row[4], row[5]].map(number),
        after: [row[8], row[9]].map(number),
    };
    rows.map(head).collect()
}

/// Which head's weight on the *not* of the first clause depends most on
/// whether this clause decides, by the validation set.
pub fn chosen() -> usize {
    let [first, second] =
        ["first", "second"].map(|decides| heads("validation", decides));
    let apart = |&i: &usize| (first[i].not[0] - second[i].not[0]).abs();
    let all = 0..first.len();
    all.max_by(|i, j| apart(i).total_cmp(&apart(j))).expect("a head")
}

/// The layer and the number of the head whose maps are in the log.
pub const HEAD: [&str; 2] = ["2", "1"];

/// The weights of the head in a review, and what share of them goes to the
/// first *not*, and to *though* and the word after it.
pub struct Map {
    pub weights: Matrix,
    pub on_not: String,
    pub on_though: String,
}

pub fn map(review: &str) -> Map {
    let words = added(review).words;
    let mut weights: Matrix = Matrix::zeros(words.len(), words.len());
    for [which, query, key, weight] in table(log::read("classifier-maps")) {
        if which == review {
            let at: (usize, usize) = (number(query), number(key));
            weights[at] = number(weight);
        }
    }
    // What each key gets from all rows.
    let gets = weights.row_mean();
    let [not, though] = ["not", "though"].map(|word| place(&words, word));
    let percent = |weight: f64| format!("{:.0} %", 100.0 * weight);
    let on_not = percent(gets[not]);
    let on_though = percent(gets[though] + gets[though + 1]);
    Map { weights, on_not, on_though }
}
