//! Trains models that say words backwards by five methods, as tables with
//! tabs. What is in a file already is not trained again.
//!
//! `cargo bench --bench optimizer -- LOGS` tries learning rates and runs each
//! method with its best, into `LOGS-race.tsv`; gives SGD more steps, into
//! `LOGS-patient.tsv`; and trains models of two layers with the learning rate
//! rising or not, into `LOGS-deeper.tsv`.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "common/log.rs"]
mod log;
#[path = "../../code/examples/optimizer/methods.rs"]
mod methods;
#[path = "../../code/examples/optimizer/race.rs"]
#[expect(dead_code)] // what it prints
mod race;
#[path = "../../code/examples/optimizer/reverser.rs"]
mod reverser;

use all_you_need::optimizer::learning_rate;
use all_you_need::tokens::Token;
use arguments::arguments;
use log::Log;
use methods::{METHODS, Method, SGD, STEPS, WARM_UP, WARMUP, adam, train_by};
use print::mean;
use race::{EACH, HIGH, PATIENT, Race, TO_REPORT, TO_TUNE};
use reverser::{
    END, Model, Run, Update, Words, is_held_out, newborn, reversed, train,
    word,
};
use std::fs;
use std::ops::Range;

fn main() {
    match arguments()[..] {
        [logs] => {
            let [race, patient, deeper] = ["race", "patient", "deeper"]
                .map(|what| format!("{logs}-{what}.tsv"));
            for method in METHODS {
                for lr in method.lrs {
                    runs(method, lr, TO_TUNE, &Log(&race));
                }
                runs(method, best(&race, method), TO_REPORT, &Log(&race));
            }
            more_steps(best(&race, SGD), &Log(&patient));
            two_layers(&Log(&deeper));
        }
        _ => panic!("LOGS"),
    }
}

/// The mean loss of ten steps, the last of them `step`.
fn loss_at(run: &Run, step: usize) -> f64 {
    mean(&run.losses[step - EACH..step])
}

/// Which letter has the highest score, after each letter of `fed`.
fn next(model: &Model, word: &[Token], fed: &[Token]) -> Vec<Token> {
    let scores = model.forward(&[word], &[fed]);
    let rows = scores.row_iter();
    rows.map(|row| row.transpose().argmax().0 as Token).collect()
}

fn held_out() -> Words {
    let words = (0..1296).filter(|number| is_held_out(*number));
    words.map(word).collect()
}

/// How many of the hundred words the model says backwards without a mistake.
/// It does if each letter is right that follows on right letters.
fn right(model: &Model) -> usize {
    let words = held_out();
    let answers = reversed(&words);
    let pairs = words.iter().zip(&answers);
    pairs
        .filter(|(word, answer)| {
            let fed = [&[END], &answer[..]].concat();
            next(model, word, &fed) == [answer, &[END][..]].concat()
        })
        .count()
}

/// The losses after these steps.
fn losses(run: &Run, steps: impl IntoIterator<Item = usize>) -> String {
    let steps = steps.into_iter();
    steps.map(|step| format!("\t{:.6}", loss_at(run, step))).collect()
}

/// The names of their columns.
fn named(steps: impl IntoIterator<Item = usize>) -> String {
    steps.into_iter().map(|step| format!("\t{step}")).collect()
}

fn runs(method: Method, lr: f64, seeds: Range<u64>, log: &Log) {
    let looks = || (EACH..=STEPS).step_by(EACH);
    for seed in seeds {
        let key = format!("{}\t{lr}\t{seed}", method.name);
        if !log.has(&key) {
            let run = train_by(method, lr, STEPS, seed);
            let right = right(&run.models[STEPS]);
            let head = format!("method\trate\tseed\tright{}", named(looks()));
            let losses = losses(&run, looks());
            log.add(&head, &format!("{key}\t{right}{losses}"));
        }
    }
}

/// The learning rate that was best in this log.
fn best(log: &str, method: Method) -> f64 {
    let log = fs::read_to_string(log).expect("a log of the race");
    Race::new(log.leak()).best_lr(method)
}

fn more_steps(lr: f64, log: &Log) {
    for seed in TO_REPORT {
        if !log.has(&seed.to_string()) {
            let run = train_by(SGD, lr, PATIENT[2], seed);
            let head = format!("seed{}", named(PATIENT));
            log.add(&head, &format!("{seed}{}", losses(&run, PATIENT)));
        }
    }
}

/// The seeds of each kind of model with two layers.
const DEEPER: Range<u64> = 1..5;

/// The learning rate with warm-up, but that of the end of the warm-up until
/// there.
fn falling(model: &Model, lr: f64) -> Update {
    adam(model, move |step| learning_rate(lr, step.max(WARMUP), WARMUP))
}

fn two_layers(log: &Log) {
    let ways = [
        ("no warm-up", falling as fn(&Model, f64) -> Update),
        ("warm-up", WARM_UP.update),
    ];
    for lr in HIGH {
        for (way, update) in ways {
            for seed in DEEPER {
                let key = format!("{way}\t{lr}\t{seed}");
                if !log.has(&key) {
                    let model = newborn(2, seed);
                    let update = update(&model, lr);
                    let run = train(model, STEPS, seed, update);
                    let loss = losses(&run, [STEPS]);
                    log.add("way\trate\tseed\tloss", &format!("{key}{loss}"));
                }
            }
        }
    }
}
