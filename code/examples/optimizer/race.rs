//! Five methods, each with its best learning rate.

use super::descent::patient;
use super::reverser::{
    Model, Run, Update, distance, floor, loss_at, newborn, right, train,
    zeros,
};
use all_you_need::optimizer::{Adam, descend, learning_rate};
use all_you_need::parameters::zip;
use print::{Fixed, least, median, most, section, value};
use rayon::prelude::*;
use std::ops::Range;

pub const STEPS: usize = 240;
const WARMUP: usize = 40;

/// A way to change the parameters, to be run with several learning rates.
#[derive(Clone, Copy)]
pub struct Method {
    pub name: &'static str,
    pub update: fn(&Model, f64) -> Update,
    pub lrs: [f64; 4],
}

pub const SGD: Method = Method {
    name: "SGD",
    update: |_, lr| Box::new(move |_, model, g| descend(model, g, lr)),
    lrs: [0.05, 0.2, 0.5, 1.0],
};

const MOMENTUM: Method = Method {
    name: "momentum",
    update: |model, lr| {
        let mut mean = zeros(model);
        Box::new(move |_, model, gradients| {
            for (m, g) in zip(&mut mean, gradients) {
                *m = &*m * 0.9 + g * 0.1;
            }
            descend(model, &mean, lr);
        })
    },
    lrs: [0.05, 0.2, 0.5, 1.0],
};

pub const ADAM: Method = Method {
    name: "Adam",
    update: |model, lr| adam(model, move |_| lr),
    lrs: [0.002, 0.005, 0.02, 0.05],
};

const WARM_UP: Method = Method {
    name: "Adam, warm-up",
    update: |model, lr| {
        adam(model, move |step| learning_rate(lr, step, WARMUP))
    },
    lrs: [0.005, 0.02, 0.05, 0.1],
};

/// Adam without its momentum, of which the division is left.
const DIVISION: Method = Method {
    name: "Adam, β₁ = 0",
    update: |model, lr| {
        let mut adam = Adam::new(model);
        adam.betas.0 = 0.0;
        Box::new(move |_, model, gradients| adam.step(model, gradients, lr))
    },
    lrs: ADAM.lrs,
};

pub const METHODS: [Method; 4] = [SGD, MOMENTUM, ADAM, WARM_UP];

/// Steps of Adam with a learning rate for each step.
fn adam(model: &Model, lr: impl Fn(usize) -> f64 + 'static) -> Update {
    let mut adam = Adam::new(model);
    Box::new(move |step, model, gradients| {
        adam.step(model, gradients, lr(step));
    })
}

/// The learning rate with warm-up, but that of the end of the warm-up until
/// there.
fn falling(model: &Model, lr: f64) -> Update {
    adam(model, move |step| learning_rate(lr, step.max(WARMUP), WARMUP))
}

pub fn train_by(method: Method, lr: f64, seed: u64) -> Run {
    let model = newborn(1, seed);
    let update = (method.update)(&model, lr);
    train(model, STEPS, seed, update)
}

/// The results of many seeds, in order.
pub fn of_seeds<T: Send>(
    seeds: Range<u64>,
    run: impl Fn(u64) -> T + Send + Sync,
) -> Vec<T> {
    seeds.into_par_iter().map(run).collect()
}

/// The seeds that learning rates are chosen with, and those that results are
/// reported for.
const TO_TUNE: Range<u64> = 11..14;
pub const TO_REPORT: Range<u64> = 1..11;

/// For each learning rate of a method the median loss in the end.
pub struct Tuned {
    pub method: Method,
    pub losses: [f64; 4],
}

impl Tuned {
    /// The learning rate with the lowest loss.
    pub fn best_lr(&self) -> f64 {
        let tried = self.method.lrs.into_iter().zip(self.losses);
        let best = tried.min_by(|a, b| a.1.total_cmp(&b.1));
        best.expect("a learning rate").0
    }
}

pub fn tune(method: Method) -> Tuned {
    let losses = method.lrs.map(|lr| {
        let losses = of_seeds(TO_TUNE, |seed| {
            let loss = loss_at(&train_by(method, lr, seed), STEPS);
            if loss.is_finite() { loss } else { f64::INFINITY }
        });
        median(&losses)
    });
    Tuned { method, losses }
}

/// Ten seeds of every method, each with its best learning rate.
pub fn race() {
    let tuned = METHODS.map(tune);
    let best = tuned.each_ref().map(Tuned::best_lr);
    section("Too large a learning rate");
    value("best with warm-up", best[3]);
    value("ln 7", 7f64.ln().fixed(2));
    section("Five methods");
    println!(
        "                                 loss              right of 100"
    );
    println!(
        "method         learning rate   median  from–to   median  from–to"
    );
    let division = (DIVISION, tune(DIVISION).best_lr());
    for (method, lr) in METHODS.into_iter().zip(best).chain([division]) {
        let ends = of_seeds(TO_REPORT, |seed| {
            let run = train_by(method, lr, seed);
            (loss_at(&run, STEPS), right(&run.models[STEPS]) as f64)
        });
        let (losses, words): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
        let range = |all: &[f64], decimals| {
            [least(all), most(all)].fixed(decimals).join("–")
        };
        println!(
            "{:14} {lr:13} {:8.2} {:>10} {:6} {:>8}",
            method.name,
            median(&losses),
            range(&losses, 2),
            median(&words),
            range(&words, 0)
        );
    }
    section("Medians of the race");
    value("steps", STEPS);
    value("floor", floor().fixed(2));
    strides(&train_by(WARM_UP, best[3], TO_REPORT.start), best[3]);
    patient(best[0]);
}

/// How far the parameters go in one step, in units of its learning rate.
fn strides(run: &Run, peak_lr: f64) {
    section("Strides");
    for step in [1, 2, 10, 100] {
        let far = distance(&run.models[step], &run.models[step - 1]);
        let stride = far / learning_rate(peak_lr, step, WARMUP);
        value(format!("step {step}"), stride.fixed(2));
    }
}

/// A model of two layers, whose learning rate rises or does not.
pub fn rising() {
    section("With and without warm-up");
    println!("highest rate                loss of four runs");
    let mut without = Vec::new();
    let mut with = Vec::new();
    for lr in [0.01, 0.02] {
        for (name, update) in [
            ("no warm-up", falling as fn(&Model, f64) -> Update),
            ("warm-up", WARM_UP.update),
        ] {
            let losses = of_seeds(1..5, |seed| {
                let model = newborn(2, seed);
                let update = update(&model, lr);
                loss_at(&train(model, STEPS, seed, update), STEPS)
            });
            let cells = losses.iter().map(|loss| format!("{loss:6.2}"));
            println!("{lr:12}   {name:10} {}", cells.collect::<String>());
            (without, with) = (with, losses);
        }
    }
    section("Best and worst of the four");
    value("0.02, no warm-up, best", least(&without).fixed(2));
    value("0.02, no warm-up, worst", most(&without).fixed(2));
    value("0.02, warm-up, worst", most(&with).fixed(2));
}
