use all_you_need::embedding::Embedding;
use all_you_need::optimizer::{Adam, descend, learning_rate};
use all_you_need::parameters::{Parameters, zip};
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

#[path = "../../exercises/checks/optimizer.rs"]
mod check;

// Exercise 1
//
// In the first step it moves down by 1, as with any gradient above 0. In the
// second m is 0.9 · 0.1 − 0.1 = −0.01. Divided by 1 − 0.81 = 0.19 this is
// −0.053, and the root of v̂ is 1, so the parameter moves up, but only by
// 0.053. Two gradients that contradict each other nearly cancel.
#[test]
fn a_contradiction_is_a_short_step() {
    let leaf = |x: f64| Embedding::<Matrix> { table: dmatrix![x] };
    let mut place = leaf(0.0);
    let mut adam = Adam::new(&place);
    adam.step(&mut place, &leaf(1.0), 1.0);
    assert!((place.table[0] + 1.0).abs() < 1e-6);
    adam.step(&mut place, &leaf(-1.0), 1.0);
    assert!((place.table[0] + 1.0 - 0.01 / 0.19).abs() < 1e-6);
}

// Exercise 2
//
// `zip` pairs each leaf of the mean with the same leaf of the gradient, and
// each mean moves a part 1 − β of the way to its gradient. Then the mean is
// given to `descend` in the place of the gradient.

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
        let beta = self.beta;
        for (m, g) in zip(&mut self.mean, gradient) {
            m.zip_apply(g, |m, g| *m = beta * *m + (1.0 - beta) * g);
        }
        descend(model, &self.mean, lr);
    }
}

// Exercise 3
//
// The corrected means were stored in the place of the moments. So the next
// step corrects them once more, and they grow. The first step is right because
// nothing was stored before it.

/// Step t of Adam for a single parameter `w` with gradient `g`, counted from
/// 1, with the moments `m` and `v`.
pub fn adam_step(
    w: &mut f64,
    g: f64,
    (m, v): (&mut f64, &mut f64),
    t: i32,
    lr: f64,
) {
    *m = 0.9 * *m + 0.1 * g;
    *v = 0.98 * *v + 0.02 * g * g;
    let m_hat = *m / (1.0 - 0.9f64.powi(t));
    let v_hat = *v / (1.0 - 0.98f64.powi(t));
    *w -= lr * m_hat / (v_hat.sqrt() + 1e-9);
}

// Exercise 4
//
// At step 400, a tenth of the way up, and at step 400,000. On the way down
// the learning rate falls with the square root of the step, so a tenth takes
// a hundred times 4000 steps. The base model's training ended at 100,000.
#[test]
fn a_tenth_of_the_peak_comes_twice() {
    let tenth =
        |step: usize| (learning_rate(1.0, step, 4000) - 0.1).abs() < 1e-12;
    let steps: Vec<usize> = (1..500_000).filter(|&s| tenth(s)).collect();
    assert_eq!(steps, [400, 400_000]);
}
