//! Five methods, and how a model is trained by one.

use super::reverser::{Model, Run, Update, newborn, train, zeros};
use all_you_need::optimizer::{Adam, descend, learning_rate};
use all_you_need::parameters::zip;

pub const STEPS: usize = 240;
pub const WARMUP: usize = 40;

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

pub const WARM_UP: Method = Method {
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

/// Of these the first four are in the figure.
pub const METHODS: [Method; 5] = [SGD, MOMENTUM, ADAM, WARM_UP, DIVISION];

/// Steps of Adam with a learning rate for each step.
pub fn adam(model: &Model, lr: impl Fn(usize) -> f64 + 'static) -> Update {
    let mut adam = Adam::new(model);
    Box::new(move |step, model, gradients| {
        adam.step(model, gradients, lr(step));
    })
}

pub fn train_by(method: Method, lr: f64, steps: usize, seed: u64) -> Run {
    let model = newborn(1, seed);
    let update = (method.update)(&model, lr);
    train(model, steps, seed, update)
}
