//! Epochs, and sums in another order: `cargo run --example loop`

use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::Transformer;
use print::{grouped, section, value};

fn main() {
    two_epochs();
    another_order();
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
/// the end.
fn two_epochs() {
    let tokenizer = Tokenizer::default();
    let recipe = Recipe { batch_tokens: 10, seed: 2, ..Recipe::toy() };
    section("Two epochs");
    for batch in recipe.batches(&lessons(&WORDS), 0).flatten().take(6) {
        let said = |one: &Example| {
            let end = one.target.len() - 1;
            tokenizer.decode(&one.target[1..end]) + "."
        };
        let line: String = batch.iter().map(said).collect();
        println!("{line:16} {} tokens", line.len());
    }
}

/// The part of the parameters that are not the same to the last bit.
fn unlike(one: &Transformer<Matrix>, other: &Transformer<Matrix>) -> f64 {
    let leaves = one.leaves().into_iter().zip(other.leaves());
    let unlike = leaves.map(|((_, one), (_, other))| {
        let cells = one.iter().zip(other);
        cells.filter(|(one, other)| one != other).count()
    });
    unlike.sum::<usize>() as f64 / parameter_count(one) as f64
}

/// The same batches, from the front and from the back.
fn another_order() {
    let large = 16_777_216f32;
    section("Another order");
    value("from the left", grouped((large + 1.0) + 1.0));
    value("from the right", grouped(large + (1.0 + 1.0)));
    let recipe = Recipe { batch_tokens: 30, ..Recipe::toy() };
    let config = Config { layers: 1, d_model: 16, d_ff: 32, ..Config::toy() };
    let lessons = lessons(&WORDS);
    let batches = recipe.batches(&lessons, 0).flatten();
    let newborn = || Training::<f64>::new(&config, recipe.clone());
    let (mut one, mut other) = (newborn(), newborn());
    for mut batch in batches.take(100) {
        one.update(&batch).expect("a finite loss");
        batch.reverse();
        other.update(&batch).expect("a finite loss");
    }
    let part = 100.0 * unlike(&one.model, &other.model);
    value("unlike after 100", format!("{part:.0} %"));
}
