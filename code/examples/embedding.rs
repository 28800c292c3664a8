//! One-hot rows times a table: `cargo run --example embedding`

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::plain::Matrix;
use all_you_need::tensor::Init;
use all_you_need::tokens::{Token, Vocabulary, one_hot, words};
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use nalgebra::dmatrix;
use print::{Fixed, grouped, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    one_hot_rows();
    price();
    neighbours();
    random_rows();
}

/// The words of the sentence, their ids, and the five different words.
pub fn fence() -> (Vec<String>, Vec<Token>, Vec<String>) {
    let sentence = words("the cat jumped over the fence");
    let vocabulary = Vocabulary::of(&sentence);
    let ids = vocabulary.encode(&sentence).expect("words of its own");
    (sentence, ids, vocabulary.decode(&[0, 1, 2, 3, 4]))
}

/// Six one-hot rows, a table of five rows, and their product.
pub fn product() -> [Matrix; 3] {
    let (_, ids, different) = fence();
    let x = one_hot(&ids, different.len());
    let w = dmatrix![
        1.0, 0.0, 2.0;
        3.0, -1.0, 0.0;
        0.0, 2.0, 1.0;
        -2.0, 1.0, 1.0;
        2.0, 2.0, -1.0
    ];
    let rows = &x * &w;
    [x, w, rows]
}

/// The sentence, a row for each word.
fn one_hot_rows() {
    let (sentence, ids, different) = fence();
    let rows = one_hot(&ids, different.len());
    section("One-hot");
    println!("           id");
    for ((word, id), row) in sentence.iter().zip(&ids).zip(rows.row_iter()) {
        let cells: String = row.iter().map(|x| format!("{x:>3}")).collect();
        println!("{word:10}{id:3}  {cells}");
    }
    println!();
    value("rows and columns", format!("{} × {}", rows.nrows(), rows.ncols()));
}

/// What the paper's table has and costs.
fn price() {
    let (vocabulary, d) = (37_000_u64, 512);
    let model: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut Bill::default());
    let share =
        100.0 * (vocabulary * d) as f64 / parameter_count(&model) as f64;
    section("The price");
    value("multiplications", grouped(6 * vocabulary * d));
    value("of all that the base model learns", format!("{share:.0} %"));
    value("three tables", grouped(3 * vocabulary * d));
    let shared = vocabulary * d + 3 * d * d;
    value("one table, three projections", grouped(shared));
}

/// Words that are used alike, two and two, whose rows are compared in a figure.
pub const PAIRS: [&str; 8] =
    ["dog", "boy", "red", "blue", "two", "three", "football", "fußball"];

/// The cosine of each of these words with each: in a random table, and in the
/// translator's.
pub fn before_and_after() -> [Matrix; 2] {
    let Translator { model, tokenizer, .. } = Translator::captions();
    let id = |word: &str| tokenizer.encode(&format!(" {word}"))[0] as usize;
    let ids = PAIRS.map(id);
    let learned = model.embedding.table.select_rows(&ids).map(f64::from);
    [random(ids.len(), learned.ncols()), learned].map(|mut rows| {
        rows.row_iter_mut().for_each(|mut row| row /= row.norm());
        &rows * rows.transpose()
    })
}

/// Words whose neighbours in the trained table are printed.
const KNOWN: [&str; 6] = ["dog", "red", "two", "jumps", "football", "schnee"];

/// The rows of the translator's table that are most similar to some words.
fn neighbours() {
    section("Neighbours");
    let Translator { model, tokenizer, .. } = Translator::captions();
    let table = model.embedding.table;
    let rows: Vec<_> = table.row_iter().map(|row| row.normalize()).collect();
    for word in KNOWN {
        let &[id] = &tokenizer.encode(&format!(" {word}"))[..] else {
            panic!("{word} is not a single token");
        };
        let cosine =
            |other: &Token| rows[id as usize].dot(&rows[*other as usize]);
        let begins_a_word = |other: &Token| {
            *other != id && tokenizer.decode(&[*other]).starts_with(' ')
        };
        let mut others: Vec<Token> =
            (0..tokenizer.bos()).filter(begins_a_word).collect();
        others.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)));
        let spell = |other: &Token| {
            let spelled = tokenizer.decode(&[*other]);
            format!("{} {:.2}", spelled.trim(), cosine(other))
        };
        let nearest: Vec<String> = others[..4].iter().map(spell).collect();
        println!("{word:9} {}", nearest.join(", "));
    }
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

/// The cosines of each of the first rows with all rows before it.
fn cosines(rows: &Matrix) -> impl Iterator<Item = f64> {
    let below = (0..rows.nrows()).flat_map(|i| (0..i).map(move |j| (i, j)));
    below.map(|(i, j)| {
        cosine(&rows.rows(i, 1).into(), &rows.rows(j, 1).into())
    })
}

fn random_rows() {
    section("Random rows");
    let line = |d: usize| {
        let rows = random(200, d);
        let (mut squares, mut highest, mut count) = (0.0, 0.0, 0);
        for cosine in cosines(&rows) {
            squares += cosine * cosine;
            highest = f64::max(highest, cosine);
            count += 1;
        }
        let typical = (squares / f64::from(count)).sqrt();
        (d, [typical, highest].fixed(2))
    };
    let names = ["columns", "typical", "most alike"];
    table(names, [2, 32, 512].map(line));
    section("Among 10,000");
    value("most like one of 10,000", most_alike(10_000, 128).fixed(2));
}

/// The highest cosine of a random row with any other of so many, on average
/// over twenty of them.
fn most_alike(rows: usize, d: usize) -> f64 {
    let all = random(rows, d);
    let lengths: Vec<_> = all.row_iter().map(|row| row.norm()).collect();
    let products = &all * all.rows(0, 20).transpose();
    let nearest = |(i, column): (usize, nalgebra::DVectorView<f64>)| {
        let others = (0..column.len()).filter(|&j| j != i);
        let cosines = others.map(|j| column[j] / (lengths[i] * lengths[j]));
        cosines.fold(0.0, f64::max)
    };
    let sum: f64 = products.column_iter().enumerate().map(nearest).sum();
    sum / 20.0
}
