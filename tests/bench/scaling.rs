//! Trains small decoders of five sizes with three budgets, as a table with
//! tabs. What is in the file already is not trained again, so a run that was
//! stopped goes on.
//!
//! `cargo bench --bench scaling -- rates TRAINING HELD-OUT FILE` tries
//! learning rates for each size, with the middle budget and one seed.
//!
//! `cargo bench --bench scaling -- runs TRAINING HELD-OUT RATES SEED FILE`
//! trains each size with each budget, with the best of these rates.

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
use all_you_need::training::{Recipe, Stream, generator};
use arguments::arguments;
use changes::Sizes;
use decoder::{Data, train};
use log::Log;
use print::log::{number, table};
use recipes::{BUDGETS, WIDTHS, WINDOW, as_wide, recipe, steps};
use std::fs;

const RATES: [f64; 5] = [0.003, 0.006, 0.012, 0.024, 0.048];

fn main() {
    match arguments()[..] {
        ["rates", training, held_out, file] => {
            let data = Data::new(training, held_out);
            for width in WIDTHS {
                for rate in RATES {
                    run(&data, width, rate, BUDGETS[1], 1, &Log(file));
                }
            }
        }
        ["runs", training, held_out, rates, seed, file] => {
            let data = Data::new(training, held_out);
            let seed = seed.parse().expect("a seed is a number");
            let rates = fs::read_to_string(rates).expect("a log of rates");
            for updates in BUDGETS {
                for width in WIDTHS {
                    let rate = best(&rates, width);
                    run(&data, width, rate, updates, seed, &Log(file));
                }
            }
        }
        _ => panic!(
            "rates TRAINING HELD-OUT FILE, or runs TRAINING HELD-OUT RATES \
             SEED FILE"
        ),
    }
}

/// The rate with which this size has lost least on the held-out windows.
fn best(rates: &str, width: usize) -> f64 {
    let own =
        table::<7>(rates).filter(|row| number::<usize>(row[0]) == width);
    let tried = own.map(|row| (number::<f64>(row[6]), number(row[1])));
    let best = tried.min_by(|a, b| a.0.total_cmp(&b.0));
    best.expect("a rate for this size").1
}

const HEAD: &str = "width\trate\tupdates\tseed\tmade\ttraining\theld out";

/// Trains the decoder without a change, unless the log has it.
fn run(
    data: &Data,
    width: usize,
    peak_lr: f64,
    updates: usize,
    seed: u64,
    log: &Log,
) {
    let key = format!("{width}\t{peak_lr}\t{updates}\t{seed}");
    if log.has(&key) {
        return;
    }
    let config = as_wide(width, data.vocabulary);
    let warmup = updates / 10;
    let recipe = Recipe { updates, warmup, peak_lr, ..recipe("base", seed) };
    let rng = &mut generator(seed, Stream::Weights);
    let row = with_model!("base", Matrix<f32>, config, rng, |model| {
        train(data, Learner::new(recipe, steps("base"), model))
    });
    log.add(HEAD, &format!("{key}\t{row}"));
}
