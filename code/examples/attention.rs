//! Scores, weights and answers: `cargo run --example attention`

use all_you_need::plain::{Matrix, attend, softmax};
use all_you_need::tensor::Init;
use all_you_need::translation::Translator;
use nalgebra::dmatrix;
use print::{Fixed, fixed, section, size, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

fn main() {
    one_query();
    all_queries();
    one_projection();
    trained_head();
    variance();
    two_keys();
    four_factors();
    in_loops();
}

/// The words that can be found.
pub const WORDS: [&str; 3] = ["apple", "banana", "chair"];

/// *fruit* and *furniture*, how sweet and how wooden.
pub fn queries() -> Matrix {
    dmatrix![2.0, 0.0; 0.0, 2.0]
}

/// The three words, how sweet and how wooden.
pub fn keys() -> Matrix {
    dmatrix![2.0, 1.0; 1.0, 1.0; -2.0, 2.0]
}

/// Their prices.
pub fn values() -> Matrix {
    dmatrix![10.0; 5.0; 2.0]
}

/// Q Kᵀ / √d_k.
pub fn scores(q: &Matrix, k: &Matrix) -> Matrix {
    q * k.transpose() / (q.ncols() as f64).sqrt()
}

/// What the keys get of each query, where all may be seen.
pub fn weights(q: &Matrix, k: &Matrix) -> Matrix {
    softmax(&scores(q, k))
}

/// A mask that hides nothing.
fn open(q: &Matrix, k: &Matrix) -> Matrix {
    Matrix::zeros(q.nrows(), k.nrows())
}

fn one_query() {
    let (q, k, v) = (queries().rows(0, 1).into_owned(), keys(), values());
    let (dots, scores, weights) =
        (&q * k.transpose(), scores(&q, &k), weights(&q, &k));
    section("One query");
    let columns =
        ["sweet", "wooden", "dot product", "÷ √2", "weight", "value"];
    let row = |j: usize| {
        let key = k.row(j);
        let cells = [key[0], key[1], dots[j], scores[j], weights[j], v[j]];
        (WORDS[j], cells.fixed(2))
    };
    table(("", columns), (0..3).map(row));
    section("One query, in the text");
    value("fruit gets", attend(&q, &k, &v, &open(&q, &k))[0].fixed(2));
    value("undivided", (softmax(&dots) * &v)[0].fixed(2));
}

fn all_queries() {
    let (q, k, v) = (queries(), keys(), values());
    let answers = attend(&q, &k, &v, &open(&q, &k));
    section("All queries");
    by_query(&weights(&q, &k), "answer", |i| answers[i]);
    section("All queries, in the text");
    value("furniture gets", answers[1].fixed(2));
}

/// The weights of the two queries, and one more number of each.
fn by_query(weights: &Matrix, name: &str, last: impl Fn(usize) -> f64) {
    let row = |(i, query): (usize, &'static str)| {
        (query, fixed(weights.row(i), 3), last(i).fixed(3))
    };
    table(("", WORDS, name), [(0, "fruit"), (1, "furniture")].map(row));
}

/// Queries that have gone through a projection that reverses *sweet*.
pub fn projected() -> Matrix {
    keys() * dmatrix![-1.0, 0.0; 0.0, 1.0]
}

fn one_projection() {
    section("One projection");
    let by_words = |after: &str, numbers: &Matrix| {
        let row = |(i, row)| (format!("{}{after}", WORDS[i]), fixed(row, 2));
        Vec::from_iter(numbers.row_iter().enumerate().map(row))
    };
    let plain = weights(&keys(), &keys());
    let asking = weights(&projected(), &keys());
    let rows = [by_words("", &plain), by_words(" · W^Q", &asking)];
    table(("", WORDS), rows.concat());
    // Wooden is handed over, sweet is not.
    let new = asking * keys() * dmatrix![0.0, 0.0; 0.0, 1.0];
    section("New rows");
    table(["", "sweet", "wooden"], by_words("", &new));
}

/// A caption that the translator of the book has not seen.
pub const CAPTION: &str = "a dog jumps over a fence .";

/// The words of the caption, and the weights of the head of the encoder
/// whose words take most from words other than themselves.
pub fn clearest_head() -> (Vec<String>, Matrix) {
    let translator = Translator::captions();
    let tokenizer = &translator.tokenizer;
    let source = tokenizer.encode_source(CAPTION);
    let maps = translator.attention_maps(&source, &[tokenizer.bos()]);
    let all = maps.encoder.iter().flatten().map(|map| map.map(f64::from));
    let clearest =
        all.max_by(|a, b| from_others(a).total_cmp(&from_others(b)));
    let name = |&id| tokenizer.name(id).replace(['<', '>'], ""); // the end
    (source.iter().map(name).collect(), clearest.expect("a head"))
}

/// The largest weight that a word gives to a word other than itself, on
/// average.
pub fn from_others(map: &Matrix) -> f64 {
    let words = map.nrows() - 1; // the last row is the end of the caption
    let most = |i: usize| {
        let others = (0..words).filter(|&j| j != i).map(|j| map[(i, j)]);
        others.fold(0.0, f64::max)
    };
    (0..words).map(most).sum::<f64>() / words as f64
}

fn trained_head() {
    let (_, map) = clearest_head();
    section("A trained head");
    value("jumps takes from dog", map[(2, 1)].fixed(2));
    value("over takes from jumps", map[(3, 2)].fixed(2));
}

/// The variance of q·k over 4,000 pairs of random rows of width d.
fn variance_of_dots(d: usize) -> f64 {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let mut row = || -> Matrix { rng.uniform(1, d, 1.0) };
    let dot = |_| row().dot(&row());
    Matrix::from_iterator(1, 4000, (0..4000).map(dot)).variance()
}

/// The mean, over 2,000 random queries with 16 random keys of width d, of
/// what `of` says about their scores.
fn mean(d: usize, of: impl Fn(Matrix) -> f64) -> f64 {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let mut noise = |rows| -> Matrix { rng.uniform(rows, d, 1.0) };
    let one = |_| of(noise(1) * noise(16).transpose());
    (0..2000).map(one).sum::<f64>() / 2000.0
}

fn variance() {
    section("The variance of q·k");
    let row = |d: usize| {
        let largest = |by| mean(d, |scores| softmax(&(scores * by)).max());
        let both = [1.0, 1.0 / (d as f64).sqrt()].map(largest);
        (d, variance_of_dots(d).fixed(1), both.fixed(2))
    };
    let names = ["d_k", "variance", "largest weight", "… after ÷ √d_k"];
    table(names, [4, 16, 64, 256, 512].map(row));
    section("At 512");
    let variance = variance_of_dots(512);
    value("variance at 512", variance.fixed(0));
    value("standard deviation at 512", variance.sqrt().fixed(0));
    value("lead at 512", lead().fixed(0));
}

/// How far the best of 16 scores is ahead of the next, at width 512.
fn lead() -> f64 {
    mean(512, |mut scores| {
        scores.as_mut_slice().sort_by(f64::total_cmp);
        scores[15] - scores[14]
    })
}

fn two_keys() {
    section("Two keys");
    let weight = |first| softmax(&dmatrix![first, 0.0])[0];
    let row = |ahead: f64| {
        let (before, after) = (weight(ahead), weight(ahead + 0.1));
        (
            format!("ahead by {ahead}"),
            [before, after, after - before].fixed(3),
        )
    };
    let names = ["", "its weight", "with 0.1 more", "moved by"];
    table(names, [0.0, 4.6, lead().round()].map(row));
}

/// Scores of 16 rows with themselves under four factors: the distance to
/// the right result.
fn four_factors() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let x = Matrix::from_fn(16, 32, |_, _| rng.random());
    let right = attend(&x, &x, &x, &open(&x, &x));
    section("Four factors");
    let root = 32_f64.sqrt();
    let factors =
        [("1/√32", 1.0 / root), ("1", 1.0), ("√32", root), ("32²", 1024.0)];
    let row = |(name, factor): (&'static str, f64)| {
        let weights = softmax(&(&x * x.transpose() * factor));
        let largest = weights.row_iter().map(|row| row.max()).sum::<f64>();
        let result = &weights * &x;
        let (shape, off) = (size(result.shape()), (result - &right).norm());
        (name, (largest / 16.0).fixed(4), shape, off.fixed(2))
    };
    table(["times", "largest weight", "shape", "off by"], factors.map(row));
}

/// Attention for one query and one column at a time, to compare with.
pub fn slow(q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    Matrix::from_fn(q.nrows(), v.ncols(), |i, c| {
        let score = |j: usize| {
            let dot: f64 =
                (0..q.ncols()).map(|t| q[(i, t)] * k[(j, t)]).sum();
            (dot / (q.ncols() as f64).sqrt()).exp()
        };
        let total: f64 = (0..k.nrows()).map(score).sum();
        (0..k.nrows()).map(|j| score(j) / total * v[(j, c)]).sum()
    })
}

fn in_loops() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let [q, k, v] =
        [(3, 4), (5, 4), (5, 2)].map(|(n, d)| rng.uniform(n, d, 1.0));
    let off = (slow(&q, &k, &v) - attend(&q, &k, &v, &open(&q, &k))).amax();
    section("In loops");
    value("largest difference", format!("{off:.0e}"));
    assert!(off < 1e-12);
}
