//! From gradients to better parameters: gradient descent, Adam, and the
//! learning rate of the paper (§5.3).
//!
//! ```
//! use all_you_need::layers::Linear;
//! use all_you_need::optimizer::{Adam, learning_rate};
//! use all_you_need::parameters::gradient;
//! use all_you_need::tensor::{Matrix, Tensor};
//! use nalgebra::dmatrix;
//!
//! // Teach x W + b to give 0 for x = 1.
//! let mut layer: Linear<Matrix> =
//!     Linear { weight: dmatrix![2.0], bias: dmatrix![0.5] };
//! let mut adam = Adam::new(&layer);
//! for step in 1..=200 {
//!     let (_, gradients) = gradient(&layer, |layer| {
//!         let y = layer.weight.add(&layer.bias);
//!         y.matmul(&y) // the square of the error
//!     });
//!     let lr = learning_rate(0.1, step, 20);
//!     adam.step(&mut layer, &gradients, lr);
//! }
//! assert!((layer.weight[0] + layer.bias[0]).abs() < 0.01);
//! ```

use crate::parameters::{Parameters, zip};
use crate::tensor::{Float, Matrix};
use nalgebra::convert;
use rayon::prelude::*;

/// A step of gradient descent: subtracts `lr`, the learning rate, times its
/// gradient from every parameter.
///
/// # Panics
/// If model and gradient have different leaves.
pub fn descend<F: Float, L: Parameters<Matrix<F>>>(
    model: &mut L,
    gradient: &L,
    lr: f64,
) {
    let lr: F = convert(lr);
    let leaves = zip(model, gradient).into_par_iter();
    leaves.for_each(|(w, g)| w.zip_apply(g, |w, g| *w -= lr * g));
}

/// Adam (Kingma and Ba, 2015): gradient descent along a running mean of the
/// gradients, each divided by its usual size.
#[derive(Clone, Debug)]
pub struct Adam<L> {
    /// β₁ and β₂: the part of each moment that is kept from step to step.
    pub betas: (f64, f64),
    /// ε: keeps a gradient of 0 from a division by 0.
    pub epsilon: f64,
    /// The number of steps taken: t.
    pub steps: usize,
    /// The first moment m of every parameter: the running mean of its
    /// gradients.
    pub mean: L,
    /// The second moment v: the running mean of their squares.
    pub square: L,
}

/// What Adam computes with in one step.
struct Step<F> {
    betas: (F, F),
    /// 1 − βᵗ: a mean of t gradients that began with 0 is too small by this
    /// factor.
    corrections: (F, F),
    epsilon: F,
    lr: F,
}

impl<F: Float> Step<F> {
    /// Takes gradients `g` into the moments, and a step along them.
    fn take(
        &self,
        w: &mut Matrix<F>,
        g: &Matrix<F>,
        m: &mut Matrix<F>,
        v: &mut Matrix<F>,
    ) {
        let Self { betas, corrections, epsilon, lr } = *self;
        let (new_1, new_2) = (F::one() - betas.0, F::one() - betas.1);
        let moments = m.iter_mut().zip(v.iter_mut());
        for ((w, &g), (m, v)) in w.iter_mut().zip(g).zip(moments) {
            *m = betas.0 * *m + new_1 * g;
            *v = betas.1 * *v + new_2 * g * g;
            let root = (*v / corrections.1).sqrt();
            *w -= lr * ((*m / corrections.0) / (root + epsilon));
        }
    }
}

impl<L> Adam<L> {
    /// With the paper's β₁, β₂ and ε (§5.3), and moments of 0.
    pub fn new<F: Float>(model: &L) -> Self
    where
        L: Parameters<Matrix<F>, With<Matrix<F>> = L>,
    {
        let zeros = || {
            model.map("", &mut |_, leaf: &Matrix<F>| {
                Matrix::zeros(leaf.nrows(), leaf.ncols())
            })
        };
        let (mean, square) = (zeros(), zeros());
        Self { betas: (0.9, 0.98), epsilon: 1e-9, steps: 0, mean, square }
    }

    /// One step: every parameter w becomes w − lr · m̂ / (√v̂ + ε), where
    /// m̂ = m / (1 − β₁ᵗ) and v̂ = v / (1 − β₂ᵗ).
    ///
    /// # Panics
    /// If the gradient has other leaves than the model, or Adam was made for
    /// another model.
    pub fn step<F: Float>(&mut self, model: &mut L, gradient: &L, lr: f64)
    where
        L: Parameters<Matrix<F>>,
    {
        self.steps += 1;
        let (b1, b2) = self.betas;
        // After so many steps no correction is left.
        let steps = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let correction = |beta: f64| convert(1.0 - beta.powi(steps));
        let step = Step {
            betas: (convert(b1), convert(b2)),
            corrections: (correction(b1), correction(b2)),
            epsilon: convert(self.epsilon),
            lr: convert(lr),
        };
        let weights = zip(model, gradient).into_par_iter();
        let means = zip(&mut self.mean, gradient);
        let squares = zip(&mut self.square, gradient);
        let moments = means.into_par_iter().zip(squares);
        weights.zip(moments).for_each(|((w, g), ((m, _), (v, _)))| {
            step.take(w, g, m, v);
        });
    }
}

/// The learning rate of step `step`, counted from 1 (equation 3): rises in a
/// straight line to `peak_lr` in `warmup` steps, then falls with the inverse
/// square root of the step.
///
/// # Panics
/// If `warmup` is 0.
pub fn learning_rate(peak_lr: f64, step: usize, warmup: usize) -> f64 {
    assert!(warmup > 0, "a warm-up takes one step at least");
    let (step, warmup) = (step as f64, warmup as f64);
    peak_lr * (step / warmup).min((warmup / step).sqrt())
}

/// The highest learning rate that equation 3 gives to a model of this width.
pub fn paper_peak_lr(d_model: usize, warmup: usize) -> f64 {
    1.0 / (d_model as f64 * warmup as f64).sqrt()
}
