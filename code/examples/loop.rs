//! Epochs, and what changes the bytes of a run: `cargo run --example loop`

use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::Transformer;
use print::{Fixed, grouped, section, table, value};
use rayon::ThreadPoolBuilder;
use std::ops::ControlFlow::{Break, Continue};

fn main() {
    two_epochs();
    another_order();
    same_bytes();
}

/// Words, each with itself backwards.
fn lessons(words: &[&str]) -> Vec<Example> {
    let lesson = |word: &&str| {
        let backwards: String = word.chars().rev().collect();
        Example::new(word, &backwards, &Tokenizer::default())
    };
    words.iter().map(lesson).collect()
}

const WORDS: [&str; 7] =
    ["stop", "planet", "tea", "stone", "plate", "lost", "oat"];

/// Two epochs of a few words: the answers of each batch, with a full stop for
/// the end, and the words that are left.
fn two_epochs() {
    const BATCHES: usize = 3; // of an epoch
    let tokenizer = Tokenizer::default();
    let recipe = Recipe { batch_tokens: 10, seed: 7, ..Recipe::toy() };
    let examples = lessons(&WORDS);
    let answer = |one: &Example| {
        let end = one.target.len() - 1;
        tokenizer.decode(&one.target[1..end]) + "."
    };
    let batches = recipe.batches(&examples, 0).flatten();
    let batches: Vec<_> = batches.take(2 * BATCHES).collect();
    let mut rows = Vec::new();
    for (epoch, batches) in (1..).zip(batches.chunks(BATCHES)) {
        for (i, batch) in (1..).zip(batches) {
            let line: String = batch.iter().map(answer).collect();
            let tokens = line.len().to_string();
            rows.push((line, epoch, i.to_string(), tokens));
        }
        let read = batches.concat();
        let left = examples.iter().filter(|one| !read.contains(one));
        let left: String = left.map(answer).collect();
        if !left.is_empty() {
            rows.push((left, epoch, "left out".to_owned(), String::new()));
        }
    }
    section("Two epochs");
    table(["answers", "epoch", "batch", "tokens"], rows);
}

/// How many parameters are not the same to the last bit.
fn unlike(one: &Transformer<Matrix>, other: &Transformer<Matrix>) -> usize {
    let leaves = one.leaves().into_iter().zip(other.leaves());
    let unlike = leaves.map(|((_, one), (_, other))| {
        let cells = one.iter().zip(other);
        cells.filter(|(one, other)| one != other).count()
    });
    unlike.sum()
}

/// By which part of itself a parameter differs at most.
fn furthest(one: &Transformer<Matrix>, other: &Transformer<Matrix>) -> f64 {
    let leaves = one.leaves().into_iter().zip(other.leaves());
    let cells =
        leaves.flat_map(|((_, one), (_, other))| one.iter().zip(other));
    cells.map(|(a, b)| ((a - b) / a).abs()).fold(0.0, f64::max)
}

const UPDATES: usize = 100;

/// So many that each batch has its four parts.
fn words_twice() -> Vec<Example> {
    lessons(&WORDS.repeat(2))
}

/// A small model that has learned nothing yet.
fn newborn(dropout: f64) -> Training<f64> {
    let recipe = Recipe {
        batch_tokens: 40,
        updates: UPDATES,
        dropout,
        ..Recipe::toy()
    };
    let config = Config { layers: 1, d_model: 16, d_ff: 32, ..Config::toy() };
    Training::new(&config, recipe)
}

/// A run with this many threads; it is stopped after an update, and goes on.
fn run(
    mut training: Training<f64>,
    threads: usize,
    stop: usize,
) -> Training<f64> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(|| {
        let examples = words_twice();
        for _ in 0..2 {
            let end = training.run(&examples, |_, update| {
                match update.step == stop {
                    true => Break(()),
                    false => Continue(()),
                }
            });
            let _ = end.expect("a finite loss");
        }
        training
    })
}

/// The same batches, from the front and from the back.
fn another_order() {
    let large = 16_777_216f32;
    section("Another order");
    value("from the left", grouped((large + 1.0) + 1.0));
    value("from the right", grouped(large + (1.0 + 1.0)));
    let (one, other) = (run(newborn(0.0), 1, UPDATES), reversed());
    let all = parameter_count(&one.model);
    let share = unlike(&one.model, &other.model) as f64 / all as f64;
    value("unlike after 100", share.percent(0));
    let apart = furthest(&one.model, &other.model);
    value("apart at most", format!("{:.1} · 10⁻¹²", apart * 1e12));
}

/// The run whose batches are read from the back.
fn reversed() -> Training<f64> {
    let (lessons, mut training) = (words_twice(), newborn(0.0));
    let recipe = training.recipe.clone();
    for mut batch in recipe.batches(&lessons, 0).flatten().take(UPDATES) {
        assert!(batch.len() > 6, "four parts of two, at most");
        batch.reverse();
        training.update(&batch).expect("a finite loss");
    }
    training
}

/// How many parameters of a run differ from those of a run with one thread.
fn same_bytes() {
    let threads = |n| run(newborn(0.0), n, UPDATES);
    let mut halves = newborn(0.0);
    halves.recipe.parts = 2;
    let alone = threads(1).model;
    let with_dropout = run(newborn(0.1), 1, UPDATES).model;
    section("The same bytes");
    let resumed = run(newborn(0.1), 4, 40);
    let rows = [
        ("two threads", unlike(&threads(2).model, &alone)),
        ("three threads", unlike(&threads(3).model, &alone)),
        ("eight threads", unlike(&threads(8).model, &alone)),
        (
            "dropout, four threads, stopped after 40 and resumed",
            unlike(&resumed.model, &with_dropout),
        ),
        (
            "two parts instead of four",
            unlike(&run(halves, 1, UPDATES).model, &alone),
        ),
        ("each batch back to front", unlike(&reversed().model, &alone)),
    ];
    let rows = rows.map(|(name, n)| (name, grouped(n)));
    let of = format!("differ of {}", grouped(parameter_count(&alone)));
    table(["the same run with".to_owned(), of], rows);
}
