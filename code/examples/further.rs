//! What else became of it: `cargo run --example further`

use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;
use print::{Fixed, section, table, value};
use std::array::from_fn;

fn main() {
    a_drafted_token();
    two_orders();
}

/// What two models give to the next token, made up.
const TOKENS: [&str; 2] = ["coat", "jacket"];
const SMALL: [f64; 2] = [0.6, 0.4];
const LARGE: [f64; 2] = [0.3, 0.7];

/// How many tokens the small model writes ahead.
const DRAFTED: i32 = 4;

fn a_drafted_token() {
    section("A drafted token");
    // Drawn by the small model, and then kept with min(1, large / small).
    let kept: [f64; 2] =
        from_fn(|i| SMALL[i] * (LARGE[i] / SMALL[i]).min(1.0));
    let all_kept: f64 = kept.iter().sum();
    let lacking: [f64; 2] = from_fn(|i| (LARGE[i] - SMALL[i]).max(0.0));
    let all_lacking: f64 = lacking.iter().sum();
    let rows = (0..2).map(|i| {
        let instead = (1.0 - all_kept) * lacking[i] / all_lacking;
        let numbers = [SMALL[i], LARGE[i], kept[i], instead];
        (TOKENS[i], numbers.fixed(1), (kept[i] + instead).fixed(1))
    });
    let head = [
        "token",
        "small model",
        "large model",
        "drawn and kept",
        "put instead",
        "in the text",
    ];
    table(head, rows);
    section("Drafts");
    value("kept", all_kept.fixed(1));
    // One is kept with this probability, two with its square, and so on; the
    // pass itself gives one token more.
    let in_a_pass: f64 = (0..=DRAFTED).map(|n| all_kept.powi(n)).sum();
    value("drafted", DRAFTED);
    value("tokens in a pass", in_a_pass.fixed(1));
}

/// Keys and values of three words, and the query of the last.
fn three_words() -> [Matrix; 3] {
    [
        dmatrix![2.0, 1.0],
        dmatrix![1.0, 0.0; 1.0, 1.0; 0.0, 2.0],
        dmatrix![1.0; 2.0; 3.0],
    ]
}

/// The numbers of a row, as one writes them.
fn row(numbers: &Matrix) -> String {
    let all: Vec<String> = numbers.iter().map(f64::to_string).collect();
    match &all[..] {
        [one] => one.clone(),
        _ => format!("({})", all.join(", ")),
    }
}

fn two_orders() {
    let [q, k, v] = three_words();
    section("Three words");
    let weights = &q * k.transpose();
    let rows = (0..3).map(|i| {
        let [key, value] = [&k, &v].map(|all| row(&all.rows(i, 1).into()));
        (format!("{}", i + 1), [key, value, weights[i].to_string()])
    });
    table(["word", "key", "value", "query · key"], rows);
    section("Two orders");
    let memory = k.transpose() * &v;
    let keys = Matrix::from_rows(&[k.row_sum()]);
    let (mixture, all) = (&q * &memory, (&q * keys.transpose())[0]);
    assert_eq!(weights * &v, mixture);
    value("query", row(&q));
    value("memory", row(&memory));
    value("sum of the keys", row(&keys));
    value("mixture", row(&mixture));
    value("sum of the weights", all);
    value("result", row(&(mixture / all)));
}
