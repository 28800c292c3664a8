use all_you_need::embedding::Embedding;
use all_you_need::optimizer::{Adam, descend, learning_rate};
use all_you_need::parameters::{Parameters, zip};
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

#[path = "../../exercises/checks/optimizer.rs"]
mod check;

// Exercise 1
//
// All gradients become a thousand times as large. So gradient descent takes
// steps a thousand times as long. Adam's m and √v are both a thousand times as
// large, and its steps stay as they were.
#[test]
fn a_louder_loss_moves_adam_no_further() {
    let place = Embedding::<Matrix> { table: dmatrix![1.0, -2.0] };
    let quiet = Embedding { table: dmatrix![0.3, -0.02] };
    let loud = Embedding { table: &quiet.table * 1000.0 };
    let steps = |after: [Embedding<Matrix>; 2]| {
        let [quiet, loud] = after.map(|after| &after.table - &place.table);
        loud.norm() / quiet.norm()
    };
    let descent = [&quiet, &loud].map(|gradient| {
        let mut after = place.clone();
        descend(&mut after, gradient, 0.1);
        after
    });
    assert!((steps(descent) - 1000.0).abs() < 1e-9);
    let adam = [&quiet, &loud].map(|gradient| {
        let mut after = place.clone();
        Adam::new(&place).step(&mut after, gradient, 0.1);
        after
    });
    assert!((steps(adam) - 1.0).abs() < 1e-6);
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
// At step 2000, half-way up, and at step 16,000. On the way down the learning
// rate falls with the square root of the step, so it takes four times the steps
// to fall to a half.
#[test]
fn half_the_peak_comes_twice() {
    let half =
        |step: usize| (learning_rate(1.0, step, 4000) - 0.5).abs() < 1e-12;
    let steps: Vec<usize> = (1..100_000).filter(|&s| half(s)).collect();
    assert_eq!(steps, [2000, 16_000]);
}
