//! Trains small decoders that write, each with one change, as a table with
//! tabs. What is in the file already is not trained again, so a run that was
//! stopped goes on.
//!
//! `cargo bench --bench today -- changes TRAINING HELD-OUT SEED FILE` trains
//! every change.
//!
//! `cargo bench --bench today -- rates TRAINING HELD-OUT FILE` tries learning
//! rates for the decoder without a change, and for Muon, with one seed.

#[path = "../../code/examples/today.rs"]
#[allow(dead_code)] // what it prints
#[macro_use]
mod example;
#[path = "common/log.rs"]
mod log;

use all_you_need::gradient::Variable;
use all_you_need::tensor::Matrix;
use all_you_need::today::{Learner, Modern};
use all_you_need::tokens::{Bpe, Token, Tokenizer};
use all_you_need::training::{Stream, generator};
use all_you_need::translation::read;
use all_you_need::writer::{
    Half, Model, Text, TrainingExample, mean_loss, running, windows,
};
use example::decoders::Sizes;
use example::learning::{
    BATCH, CHANGES, MERGES, WINDOW, config, recipe, steps,
};
use log::Log;
use rand::seq::SliceRandom;
use std::env;
use std::path::Path;

fn main() {
    // Cargo itself adds a flag.
    let all = env::args().skip(1).filter(|word| word != "--bench");
    let all: Vec<String> = all.collect();
    match all.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["changes", training, held_out, seed, file] => {
            let seed = seed.parse().expect("a seed is a number");
            changes(&Data::new(training, held_out), seed, &Log(file));
        }
        ["rates", training, held_out, file] => {
            rates(&Data::new(training, held_out), &Log(file));
        }
        _ => panic!(
            "changes TRAINING HELD-OUT SEED FILE, or rates TRAINING HELD-OUT FILE"
        ),
    }
}

/// A text to learn from, and one that is held out.
struct Data {
    vocabulary: usize,
    training: Vec<Text>,
    /// Windows of the length that is trained, and four times as long.
    held_out: [Vec<Text>; 2],
}

impl Data {
    fn new(training: &str, held_out: &str) -> Self {
        let [training, held_out] = [training, held_out].map(|file| {
            let lines = read(Path::new(file));
            lines.unwrap_or_else(|error| panic!("{error}"))
        });
        let bpe = Bpe::train(&training.join(" "), MERGES);
        let tokenizer = Tokenizer::new(bpe);
        let running =
            |lines: &[String]| -> Vec<Token> { running(lines, &tokenizer) };
        let (text, other) = (running(&training), running(&held_out));
        let long = 4 * WINDOW;
        Self {
            vocabulary: tokenizer.vocabulary(),
            training: windows(&text, WINDOW, WINDOW),
            held_out: [WINDOW, long].map(|n| {
                // The same tokens in both.
                let whole = other.len() / long * long;
                windows(&other[..=whole.min(other.len() - 1)], n, n)
            }),
        }
    }
}

const HEAD: &str = "change\tseed\trate\tupdates\ttraining\theld out\tlong";

/// Trains a model. Its row says how many updates could be made, the mean loss
/// of the last hundred, and what it loses on the held-out windows.
fn train<L>(data: &Data, change: &str, mut learner: Learner<L>) -> String
where
    L: Model + Sync,
    Text: TrainingExample<L::OnTape, Variable<f32>>
        + TrainingExample<L, Matrix<f32>>,
{
    let recipe = learner.recipe.clone();
    let (mut last, mut made) = (Vec::new(), 0);
    'epochs: for epoch in 0.. {
        let mut order: Vec<&Text> = data.training.iter().collect();
        order.shuffle(&mut generator(recipe.seed, Stream::Order(epoch)));
        for batch in order.chunks_exact(BATCH) {
            let batch: Vec<Text> = batch.iter().copied().cloned().collect();
            let Ok(loss) = learner.update(&batch) else { break 'epochs };
            made += 1;
            last.push(loss);
            if made == recipe.updates {
                break 'epochs;
            }
        }
    }
    let last = &last[last.len().saturating_sub(100)..];
    let training = last.iter().sum::<f32>() / last.len() as f32;
    let [short, long] = &data.held_out;
    let short = mean_loss(&learner.model, short);
    let long = match change {
        "learned" => "-".to_owned(), // There are no rows for more places.
        _ => format!("{:.4}", mean_loss(&learner.model, long)),
    };
    format!("{made}\t{training:.4}\t{short:.4}\t{long}")
}

/// Trains a decoder with a change, unless the log has it.
fn run(data: &Data, change: &str, seed: u64, rate: Option<f64>, log: &Log) {
    let mut recipe = recipe(change, seed);
    let mut steps = steps(change);
    match (rate, &mut steps.muon) {
        (Some(rate), Some(muon)) => *muon = rate,
        (Some(rate), None) => recipe.peak_lr = rate,
        (None, _) => (),
    }
    let rate = steps.muon.unwrap_or(recipe.peak_lr);
    let key = format!("{change}\t{seed}\t{rate}");
    if log.has(&key) {
        return;
    }
    let config = config(data.vocabulary);
    let rng = &mut generator(seed, Stream::Weights);
    let row = if change == "paper" {
        let model: Half<Matrix<f32>> = Half::new(&config, rng);
        train(data, change, Learner::new(recipe, steps, model))
    } else {
        with_model!(change, Matrix<f32>, config, rng, |model| {
            train(data, change, Learner::new(recipe, steps, model))
        })
    };
    log.add(HEAD, &format!("{key}\t{row}"));
}

fn changes(data: &Data, seed: u64, log: &Log) {
    for (change, _) in CHANGES {
        run(data, change, seed, None, log);
    }
}

fn rates(data: &Data, log: &Log) {
    for rate in [0.0015, 0.003, 0.006, 0.012, 0.024] {
        run(data, "base", 1, Some(rate), log);
        run(data, "paper", 1, Some(rate), log);
    }
    for rate in [0.005, 0.01, 0.02, 0.04] {
        run(data, "muon", 1, Some(rate), log);
    }
}
