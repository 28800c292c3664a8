//! A small model learns to reverse letters: `cargo run --example learning`

use all_you_need::attention::Mask;
use all_you_need::dictionary::softmax;
use all_you_need::encoder::Config;
use all_you_need::loss::shift_right;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tasks::Task;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{
    Example, Recipe, Training, Update, validation_loss,
};
use all_you_need::transformer::Transformer;
use all_you_need::translation::AttentionMaps;
use print::{Fixed, fixed, grouped, section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// What the model learns.
const TASK: Task = Task::Reverse;

/// The words that we follow.
pub const WORDS: [&str; 3] = ["rust", "planet", "learning"];

/// The steps after which we look at the model.
pub const MOMENTS: [usize; 7] = [0, 50, 100, 150, 200, 300, STEPS];

/// How many steps the model learns.
const STEPS: usize = 600;

fn main() {
    let run = learn(&lessons());
    how_it_learns(&run);
    what_it_writes(&run);
    one_word(&run);
    one_number(&run);
    longer_words(&run);
}

/// Random words of four to ten letters, each with what the task makes of it,
/// and none of those that we follow.
pub fn lessons() -> Vec<(String, String)> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let words = std::iter::repeat_with(|| TASK.example(rng));
    let unknown = |(word, _): &(String, String)| !WORDS.contains(&&**word);
    words.filter(unknown).take(25_000).collect()
}

pub type Model = Transformer<Matrix>;

/// What is left of the learning.
pub struct Run {
    /// How wrong the model was before each step.
    pub losses: Vec<f64>,
    /// The model at each of the moments.
    pub models: Vec<Model>,
}

/// Learns to turn the first word of each pair into the second.
pub fn learn(pairs: &[(String, String)]) -> Run {
    let tokenizer = Tokenizer::default();
    let example = |(word, reversed): &(String, String)| {
        Example::new(word, reversed, &tokenizer)
    };
    let examples: Vec<Example> = pairs.iter().map(example).collect();
    let mut training = Training::new(&config(), recipe());
    let mut losses = Vec::new();
    let mut models = vec![training.model.clone()];
    let look = |training: &Training<f64>, Update { step, loss, .. }| {
        losses.push(loss);
        if MOMENTS.contains(&step) {
            models.push(training.model.clone());
        }
        ControlFlow::<()>::Continue(())
    };
    let ran = training.run(&examples, look);
    let _ = ran.expect("the losses are numbers");
    Run { losses, models }
}

/// The sizes of the model.
fn config() -> Config {
    let half =
        Config { d_model: 32, d_ff: 64, d_k: 16, d_v: 16, ..Config::toy() };
    Config { layers: 1, ..half }
}

/// How it learns.
fn recipe() -> Recipe {
    Recipe {
        batch_tokens: 300,
        updates: STEPS,
        peak_lr: 0.006,
        label_smoothing: 0.0,
        ..Recipe::toy()
    }
}

/// What the model makes of a word, with a dot for what is no letter.
pub fn write(model: &Model, word: &str) -> String {
    let tokenizer = Tokenizer::default();
    let source = tokenizer.encode_source(word);
    let said = model.greedy(&source, tokenizer.bos(), tokenizer.eos());
    let said = tokenizer.decode(&said.expect("finite logits"));
    said.chars()
        .map(|c| if c.is_ascii_lowercase() { c } else { '.' })
        .collect()
}

/// What the task makes of a word.
fn answer(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    match TASK {
        Task::Reverse => letters.reverse(),
        Task::Sort => letters.sort_unstable(),
        other => panic!("{} is not about letters", other.name()),
    }
    letters.into_iter().collect()
}

fn example(word: &str) -> Example {
    Example::new(word, &answer(word), &Tokenizer::default())
}

/// For how many words the model writes the right answer.
fn right(model: &Model, words: &[String]) -> usize {
    let right = |word: &&String| answer(word) == write(model, word);
    words.iter().filter(right).count()
}

fn how_it_learns(run: &Run) {
    section("How it learns");
    value("parameters", grouped(parameter_count(&run.models[0])));
    value("pairs", grouped(lessons().len()));
    value("steps", STEPS);
    let tokens = Tokenizer::default().vocabulary();
    value("tokens", tokens);
    value("loss of the ignorant", ((tokens as f64).ln()).fixed(2));
    value("loss over letters", 27f64.ln().fixed(2));
}

/// What the model writes at each moment for words that it has never seen.
fn what_it_writes(run: &Run) {
    let known: HashSet<String> =
        lessons().into_iter().map(|(word, _)| word).collect();
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let words = std::iter::repeat_with(|| TASK.example(rng).0);
    let words = words.filter(|word| !known.contains(word));
    let hidden: Vec<String> = words.take(100).collect();
    let examples: Vec<Example> =
        hidden.iter().map(|word| example(word)).collect();
    section("What it writes");
    let rows = MOMENTS.iter().zip(&run.models).map(|(step, model)| {
        let written = WORDS.map(|word| brief(&write(model, word)));
        let loss = validation_loss(model, &examples).fixed(2);
        (step, loss, right(model, &hidden), written)
    });
    table(("steps", "loss", "right of 100", WORDS), rows);
    section("In the end");
    value("right in the end", right(&run.models[MOMENTS.len() - 1], &hidden));
}

/// The first ten letters of a word.
fn brief(word: &str) -> String {
    match word.char_indices().nth(10) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None if word.is_empty() => "(nothing)".to_string(),
        None => word.to_string(),
    }
}

/// The probability that a model gives to each right token of the answer to
/// *planet*, when those before it are there.
pub fn chances(model: &Model) -> Vec<f64> {
    let Example { source, target } = example("planet");
    let (fed, asked) = shift_right(&target);
    let scores = model.forward(&[&source], &[fed]);
    let chance = |(i, &token): (usize, &u32)| {
        let row: Vec<f64> = scores.row(i).iter().copied().collect();
        softmax(&row)[token as usize]
    };
    asked.iter().enumerate().map(chance).collect()
}

fn one_word(run: &Run) {
    section("One word");
    let rows = MOMENTS.iter().zip(&run.models).map(|(step, model)| {
        let chances = chances(model);
        let loss = chances.iter().map(|p| -p.ln()).sum::<f64>() / 7.0;
        (step, fixed(&chances, 2), loss.fixed(2))
    });
    let rows = rows.filter(|row| [0, 100, 200, 600].contains(row.0));
    let letters = answer("planet");
    let letters: Vec<String> = letters.chars().map(String::from).collect();
    table(("steps", letters, "end", "loss"), rows);
}

/// The loss of *planet* when a single number of the model is changed.
fn one_number(run: &Run) {
    section("One number");
    let planet = [example("planet")];
    let look = |change: f64| {
        let mut model = run.models[2].clone();
        let look = &mut model.decoder.layers[0].cross_attention.w_q;
        look[(0, 0)] += change;
        (look[(0, 0)], validation_loss(&model, &planet))
    };
    let looks = [-0.1, 0.0, 0.1].map(look);
    let cells = |(x, loss): (f64, f64)| (x.fixed(3), loss.fixed(4));
    table(["the number", "loss of planet"], looks.map(cells));
    let [(_, left), (number, _), (_, right)] = looks;
    let slope = (right - left) / 0.2;
    section("A step of one number");
    value("its slope", slope.fixed(3));
    value("the number", number.fixed(3));
    value("the number after a step", (number - 0.1 * slope).fixed(3));
}

/// Words of lengths that it was shown, and of others.
fn longer_words(run: &Run) {
    section("Other lengths");
    let model = &run.models[MOMENTS.len() - 1];
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let rows = [2, 3, 4, 7, 10, 11, 12, 14].map(|letters| {
        let mut word = || -> String {
            (0..letters).map(|_| rng.random_range('a'..='z')).collect()
        };
        let words: Vec<String> = (0..100).map(|_| word()).collect();
        (letters, right(model, &words))
    });
    table(["letters", "right of 100"], rows);
    section("A long word");
    value("transformer becomes", write(model, "transformer"));
}

/// Where the heads look that read *planet*, while they write the answer.
pub fn looks(model: &Model) -> Vec<Matrix<f32>> {
    let Example { source, target } = example("planet");
    let (fed, _) = shift_right(&target);
    let model: Transformer<Matrix<f32>> =
        model.map("", &mut |_, numbers| numbers.map(|x| x as f32));
    let [x, y] = [&source[..], fed].map(|side| model.embed(&[side]).rows);
    let mask = Mask::causal(fed.len());
    AttentionMaps::new(&model, x, y, &mask).cross.remove(0)
}
