//! Trains small decoders that write, each with one change, as a table with
//! tabs. What is in the file already is not trained again, so a run that was
//! stopped goes on.
//!
//! `cargo bench --bench today -- changes TRAINING HELD-OUT SEED FILE` trains
//! every change.
//!
//! `cargo bench --bench today -- far TRAINING HELD-OUT FILE` trains those that
//! can read farther than they learned, five seeds each, and says what the same
//! tokens cost after a short text and after a long one.
//!
//! `cargo bench --bench today -- rates TRAINING HELD-OUT FILE` tries learning
//! rates for the decoder without a change, and for Muon, with one seed.

#[path = "common/changes.rs"]
#[macro_use]
mod changes;
#[path = "common/arguments.rs"]
mod arguments;
#[path = "common/decoder.rs"]
mod decoder;
#[path = "common/log.rs"]
mod log;
#[path = "common/recipes.rs"]
mod recipes;

use all_you_need::tensor::Matrix;
use all_you_need::today::{Learner, Modern};
use all_you_need::training::{Stream, generator};
use all_you_need::writer::{Half, Text, TrainingExample, mean_loss};
use arguments::arguments;
use changes::Sizes;
use decoder::{Data, learn, train};
use log::Log;
use recipes::{CHANGES, WINDOW, config, recipe, steps};

fn main() {
    match arguments()[..] {
        ["changes", training, held_out, seed, file] => {
            let seed = seed.parse().expect("a seed is a number");
            changes(&Data::new(training, held_out), seed, &Log(file));
        }
        ["far", training, held_out, file] => {
            far(&Data::new(training, held_out), &Log(file));
        }
        ["rates", training, held_out, file] => {
            rates(&Data::new(training, held_out), &Log(file));
        }
        _ => panic!(
            "changes TRAINING HELD-OUT SEED FILE, or far or rates TRAINING \
             HELD-OUT FILE"
        ),
    }
}

const HEAD: &str = "change\tseed\trate\tupdates\ttraining\theld out";

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
        train(data, Learner::new(recipe, steps, model))
    } else {
        with_model!(change, Matrix<f32>, config, rng, |model| {
            train(data, Learner::new(recipe, steps, model))
        })
    };
    log.add(HEAD, &format!("{key}\t{row}"));
}

fn changes(data: &Data, seed: u64, log: &Log) {
    for (change, _) in CHANGES {
        run(data, change, seed, None, log);
    }
}

fn far(data: &Data, log: &Log) {
    for seed in 1..=5 {
        for change in ["base", "nowhere", "distant", "rotary"] {
            let key = format!("{change}\t{seed}");
            if log.has(&key) {
                continue;
            }
            let config = config(data.vocabulary);
            let rng = &mut generator(seed, Stream::Weights);
            let (recipe, steps) = (recipe(change, seed), steps(change));
            let [near, far] =
                with_model!(change, Matrix<f32>, config, rng, |model| {
                    let mut learner = Learner::new(recipe, steps, model);
                    learn(data, &mut learner);
                    last_losses(data, &learner.model)
                });
            let row = format!("{key}\t{near:.4}\t{far:.4}");
            log.add("change\tseed\tnear\tfar", &row);
        }
    }
}

/// What the last tokens of each long window cost on average, half a short
/// window of them: if the model begins to read one short window before the
/// end, and if it reads all of the long one.
fn last_losses<L>(data: &Data, model: &L) -> [f64; 2]
where
    L: Sync,
    Text: TrainingExample<L, Matrix<f32>>,
{
    let last = WINDOW / 2;
    [WINDOW, 4 * WINDOW].map(|read| {
        let nats = |left_out: usize| {
            let window = |Text(text): &Text| {
                let end = text.len() - left_out;
                Text(text[text.len() - 1 - read..end].to_vec())
            };
            let texts: Vec<_> = data.held_out[1].iter().map(window).collect();
            mean_loss(model, &texts) * (read - left_out) as f64
        };
        (nats(0) - nats(last)) / last as f64
    })
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
