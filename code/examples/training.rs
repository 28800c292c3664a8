//! One update, the loop, and what can go wrong: `cargo run --example training`

use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::gradient::Tape;
use all_you_need::layers::Rowwise;
use all_you_need::loss::{CrossEntropy, smoothed};
use all_you_need::optimizer::{Adam, learning_rate};
use all_you_need::parameters::{gradient, parameter_count};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::{Example, Recipe, Training, validation_loss};
use all_you_need::transformer::Transformer;
use print::{Fixed, fixed, grouped, section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;

#[path = "training/drill.rs"]
mod drill;
#[path = "training/runs.rs"]
pub mod runs;

fn main() {
    drill::one_batch();
    learn();
    in_numbers();
    runs::five_peaks();
    runs::without_shuffling();
    runs::by_heart();
    ten_ones();
    one_long_gradient();
}

pub type Model = Transformer<Matrix>;

const LETTERS: &str = "aelnopst*.";
/// The letters, and begin and end, which are written * and a full stop.
const VOCABULARY: usize = 10;
const BEGIN: Token = 8;
const END: Token = 9;

/// A word as ids of its letters.
fn ids(word: &str) -> Vec<Token> {
    let id = |c| LETTERS.find(c).expect("a letter") as Token;
    word.chars().map(id).collect()
}

/// A word, to be written backwards.
pub fn lesson(word: &[Token]) -> Example {
    let reversed: Vec<Token> = word.iter().rev().copied().collect();
    let target = [&[BEGIN], &reversed[..], &[END]].concat();
    Example { source: [word, &[END]].concat(), target }
}

/// Three to six letters.
fn word(rng: &mut ChaCha8Rng) -> Vec<Token> {
    let length = rng.random_range(3..=6);
    (0..length).map(|_| rng.random_range(0..BEGIN)).collect()
}

/// *planet* and 99 more, in no lesson.
pub fn held_out() -> Vec<Example> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let words = std::iter::repeat_with(|| word(rng));
    let words: Vec<_> =
        [ids("planet")].into_iter().chain(words.take(99)).collect();
    words.iter().map(|word| lesson(word)).collect()
}

/// So many random words to learn from.
pub fn lessons(count: usize) -> Vec<Example> {
    let hidden: HashSet<Vec<Token>> =
        held_out().into_iter().map(|example| example.source).collect();
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let words = std::iter::repeat_with(|| lesson(&word(rng)));
    words.filter(|one| !hidden.contains(&one.source)).take(count).collect()
}

/// How a model writes what is read backwards, as letters.
fn written(model: &Model, Example { source, .. }: &Example) -> String {
    let letter = |&id: &Token| LETTERS.as_bytes()[id as usize] as char;
    let word = model.greedy(source, BEGIN, END).expect("finite logits");
    match word.len() {
        0 => "(nothing)".to_string(),
        1..=8 => word.iter().map(letter).collect(),
        _ => word[..8].iter().map(letter).chain(['…']).collect(),
    }
}

/// How many are written without a mistake.
pub fn right(model: &Model, examples: &[Example]) -> usize {
    let said = |one: &Example| one.target[1..one.target.len() - 1].to_vec();
    let right = |one: &&Example| {
        model.greedy(&one.source, BEGIN, END) == Ok(said(one))
    };
    examples.iter().filter(right).count()
}

/// One layer on each side, and two heads.
pub fn config() -> Config {
    Config {
        vocabulary: VOCABULARY,
        layers: 1,
        d_model: 32,
        d_ff: 64,
        heads: 2,
        d_k: 16,
        d_v: 16,
    }
}

pub fn recipe() -> Recipe {
    let (batch_tokens, updates, peak_lr) = (300, 400, 0.009);
    Recipe { batch_tokens, updates, peak_lr, ..Recipe::toy() }
}

/// A model and its Adam, with nothing learned.
fn newborn() -> (Model, Adam<Model>) {
    let Training { model, adam, .. } = Training::new(&config(), recipe());
    (model, adam)
}

/// One update of a model. Returns the loss before it.
fn one_update(
    model: &mut Model,
    adam: &mut Adam<Model>,
    batch: &[Example],
    lr: f64,
) -> f64 {
    let sources: Vec<_> = batch.iter().map(|one| &one.source).collect();
    let targets: Vec<_> = batch.iter().map(|one| &one.target).collect();
    let (loss, gradient) = gradient(model, |model: &Transformer<_>| {
        model.loss(&sources, &targets, 0.1)
    });
    adam.step(model, &gradient, lr);
    loss
}

/// Trains on 4000 words, and writes *planet* as it goes.
fn learn() {
    let (words, unseen) = (lessons(4000), held_out());
    let (mut model, mut adam) = newborn();
    section("As it learns");
    println!("update  loss  held out  right of 100  planet becomes");
    for (batch, step) in recipe().batches(&words, 0).flatten().zip(1..=400) {
        let lr = learning_rate(0.009, step, 100);
        let loss = one_update(&mut model, &mut adam, &batch, lr);
        if [1, 20, 50, 100, 200, 400].contains(&step) {
            let cost = validation_loss(&model, &unseen);
            let (right, says) =
                (right(&model, &unseen), written(&model, &unseen[0]));
            println!("{step:6} {loss:5.2} {cost:9.2} {right:13}  {says}");
        }
    }
}

/// The sizes of this training.
fn in_numbers() {
    section("In numbers");
    let Recipe { batch_tokens, warmup, peak_lr, .. } = recipe();
    value("parameters", grouped(parameter_count(&newborn().0)));
    value("batch", batch_tokens);
    value("warm-up", warmup);
    value("peak", peak_lr);
    let best = smoothed::<f64>(&[0], VOCABULARY, 0.1).map(f64::ln);
    value("floor", best.cross_entropy(&[0], 0.1)[0].fixed(2));
    value("evenly", (VOCABULARY as f64).ln().fixed(2));
    let certainty = smoothed::<f64>(&[0], VOCABULARY, 0.1)[0];
    value("smoothed certainty", certainty.fixed(2));
    value("floor, not smoothed", (-certainty.ln()).fixed(2));
    value("by frequency", by_frequency().fixed(2));
}

/// What a token of the answers costs if nothing is known but how frequent
/// each is: there are 4.5 letters on average, all alike, and an end.
fn by_frequency() -> f64 {
    let (end, letter) = (1.0 / 5.5, 4.5 / 5.5 / 8.0);
    -end * f64::ln(end) - 8.0 * letter * f64::ln(letter)
}

fn ten_ones() {
    let tape = Tape::with_dropout(0.3, ChaCha8Rng::seed_from_u64(1));
    let ones = tape.variable(Matrix::<f64>::from_element(1, 10, 1.0));
    let row = ones.dropout();
    let cells = fixed(row.value(), 2);
    section("Ten ones, a dropout of 0.3");
    println!("{}", cells.join("  "));
    let dropped = row.value().iter().filter(|&&x| x == 0.0).count();
    section("Dropped");
    value("dropped of ten", dropped);
}

/// The steps of Adam, in units of the learning rate, when the hundredth of
/// its gradients is `longest` and all others are 1.
fn steps(longest: f64) -> Vec<f64> {
    let one = |x| Embedding { table: Matrix::from_element(1, 1, x) };
    let mut parameter = one(0.0);
    let mut adam = Adam::new(&parameter);
    let step = |i: usize| {
        let before = parameter.table[0];
        let gradient = one(if i == 100 { longest } else { 1.0 });
        adam.step(&mut parameter, &gradient, 1.0);
        before - parameter.table[0]
    };
    (1..=400).map(step).collect()
}

fn one_long_gradient() {
    section("One long gradient");
    let shown = [99, 100, 101, 110, 150, 200, 300, 400];
    let (whole, clipped) = (steps(100.0), steps(1.0));
    let row = |i: usize| (i, whole[i - 1].fixed(2), clipped[i - 1].fixed(2));
    table(["update", "as it is", "clipped"], shown.map(row));
}
