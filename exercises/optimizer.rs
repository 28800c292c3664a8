//! Exercises of the chapter on the optimizer.

use all_you_need::parameters::Parameters;
use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/optimizer.rs"]
mod check;

// Exercise 2

/// Gradient descent with momentum.
pub struct Momentum<L> {
    /// The part of the mean that is kept from step to step.
    pub beta: f64,
    /// The running mean of the gradients, 0 before the first step.
    pub mean: L,
}

impl<L: Parameters<Matrix>> Momentum<L> {
    /// Takes the gradient into the mean, and a step against the mean.
    pub fn step(&mut self, model: &mut L, gradient: &L, lr: f64) {
        todo!("zip and descend, from the crate, do most of it")
    }
}

// Exercise 3

/// Step t of Adam for a single parameter `w` with gradient `g`, counted from
/// 1, with the moments `m` and `v`. There is a mistake in it.
pub fn adam_step(
    w: &mut f64,
    g: f64,
    (m, v): (&mut f64, &mut f64),
    t: i32,
    lr: f64,
) {
    *m = 0.9 * *m + 0.1 * g;
    *v = 0.98 * *v + 0.02 * g * g;
    *m /= 1.0 - 0.9f64.powi(t);
    *v /= 1.0 - 0.98f64.powi(t);
    *w -= lr * *m / (v.sqrt() + 1e-9);
}
