//! Other ways from gradients to better parameters.

use crate::gradient::Variable;
use crate::optimizer::{Adam, learning_rate};
use crate::parameters::Parameters;
use crate::tensor::{Float, Matrix, Tensor};
use crate::training::{Diverged, Recipe, is_finite};
use crate::writer::{Model, TrainingExample};
use nalgebra::convert;
use std::f64::consts::PI;

/// How the learning rate falls after the warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// As 1/√step (the paper's equation 3).
    Root,
    /// Along a straight line to 0.
    Line,
    /// Along half a cosine to 0 (Loshchilov and Hutter, 2017).
    Cosine,
    /// Not at all, and in the last fifth along a line to 0:
    /// warm-up, stable, decay (Hu et al., 2024).
    Stable,
}

impl Schedule {
    /// The part of the highest rate with which update `step` of `updates` is
    /// made, counted from 1.
    pub fn share(self, step: usize, warmup: usize, updates: usize) -> f64 {
        if step < warmup || self == Self::Root {
            return learning_rate(1.0, step, warmup);
        }
        // From nearly 1 at the end of the warm-up to 0.
        let left = (updates - step.min(updates)) as f64
            / (updates - warmup.min(updates)).max(1) as f64;
        match self {
            Self::Line => left,
            Self::Cosine => (1.0 - (PI * left).cos()) / 2.0,
            _ => (5.0 * left).min(1.0),
        }
    }
}

/// What an update does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// How the rate falls.
    pub schedule: Schedule,
    /// The greatest length of a gradient, all parameters together. A longer
    /// one is cut to it.
    pub clip: Option<f64>,
    /// Whether norms and biases, which have a single row, decay as matrices
    /// do.
    pub all_decay: bool,
    /// Whether the matrices of heads and networks learn by [`muon`], with this
    /// rate instead of Adam's.
    pub muon: Option<f64>,
}

impl Default for Steps {
    /// A straight line, no clipping, decay for all, Adam for all.
    fn default() -> Self {
        Self {
            schedule: Schedule::Line,
            clip: None,
            all_decay: true,
            muon: None,
        }
    }
}

/// A model that learns in one of these ways.
#[derive(Clone, Debug)]
pub struct Learner<L> {
    /// The hyperparameters, but for what `steps` says.
    pub recipe: Recipe,
    /// What an update does.
    pub steps: Steps,
    /// The model as it is now.
    pub model: L,
    adam: Adam<L>,
    /// The running sums of the gradients, for [`muon`].
    sums: L,
}

impl<L: Model> Learner<L> {
    /// A model that has learned nothing yet.
    ///
    /// # Panics
    /// If [no model can be trained by the recipe](Recipe::check), or if the
    /// model has nothing for Muon and the steps ask for it.
    pub fn new(recipe: Recipe, steps: Steps, model: L) -> Self {
        let for_muon = model.leaves().iter().any(|(name, _)| is_inner(name));
        assert!(
            steps.muon.is_none() || for_muon,
            "muon: no name of the model begins with `heads` or `networks`"
        );
        let (adam, sums) = (Adam::new(&model), Adam::new(&model).mean);
        Self { recipe: recipe.checked(), steps, model, adam, sums }
    }

    /// One update by a batch. Returns the loss before it: nats per answer.
    ///
    /// # Errors
    /// If the loss or its gradient is not finite; the model is then as before.
    ///
    /// # Panics
    /// If the batch is empty.
    pub fn update<E>(&mut self, batch: &[E]) -> Result<f32, Diverged>
    where
        E: TrainingExample<L::OnTape, Variable<f32>>,
    {
        let Self { recipe, steps, model, adam, sums } = self;
        let (loss, mut gradient): (f32, L) = {
            let shared = model.share();
            recipe.part(&shared, adam.steps, (0, 1.0), |model, smoothing| {
                E::loss(model, batch, smoothing)
            })
        };
        if !is_finite(&loss, &gradient) {
            return Err(Diverged { update: adam.steps + 1 });
        }
        if let Some(most) = steps.clip {
            clip(&mut gradient, most);
        }
        let Recipe { warmup, updates, peak_lr, weight_decay, .. } = *recipe;
        let share = steps.schedule.share(adam.steps + 1, warmup, updates);
        for w in model.leaves_mut() {
            if w.nrows() > 1 || steps.all_decay {
                *w *= (1.0 - share * peak_lr * weight_decay) as f32;
            }
        }
        if let Some(rate) = steps.muon {
            muon_step(model, &mut gradient, sums, share * rate);
        }
        adam.step(model, &gradient, share * peak_lr);
        Ok(loss)
    }
}

/// Cuts a gradient to this length, all its numbers together, if it is longer.
fn clip<L: Parameters<Matrix<f32>>>(gradient: &mut L, most: f64) {
    let leaves = gradient.leaves().into_iter();
    let square: f32 = leaves.map(|(_, g)| g.norm_squared()).sum();
    let longer = f64::from(square).sqrt() / most;
    if longer > 1.0 {
        for g in gradient.leaves_mut() {
            *g /= longer as f32;
        }
    }
}

/// Whether a leaf of this name is between the rows, in the heads or the
/// networks of a [`Modern`](super::Modern).
fn is_inner(name: &str) -> bool {
    name.starts_with("heads") || name.starts_with("networks")
}

/// A step of Muon for the matrices between the rows, those of heads and
/// networks. Their gradients become 0, so that Adam leaves them alone.
fn muon_step<L: Parameters<Matrix<f32>>>(
    model: &mut L,
    gradient: &mut L,
    sums: &mut L,
    lr: f64,
) {
    let names = model.leaves().into_iter().map(|(name, _)| name);
    let names: Vec<String> = names.collect();
    let leaves = model.leaves_mut().into_iter().zip(gradient.leaves_mut());
    for (((w, g), sum), name) in leaves.zip(sums.leaves_mut()).zip(names) {
        if !is_inner(&name) || w.nrows() == 1 {
            continue;
        }
        *sum = &*sum * 0.95 + &*g;
        let ahead = &*g + &*sum * 0.95;
        let wider = (w.ncols() as f64 / w.nrows() as f64).max(1.0).sqrt();
        *w -= muon(&ahead) * (lr * wider) as f32;
        g.fill(0.0);
    }
}

/// About the nearest matrix whose singular values are all 1: in every
/// direction in which `g` says anything, it says it equally loudly (Jordan et
/// al., 2024). Five rounds of a polynomial bring every singular value above a
/// 600th of the length of `g` between 0.68 and 1.20; smaller ones grow by up
/// to 485 times.
#[must_use]
pub fn muon<F: Float>(g: &Matrix<F>) -> Matrix<F> {
    if g.nrows() > g.ncols() {
        return muon(&Tensor::transpose(g)).transpose();
    }
    let [a, b, c] = [3.4445, -4.7750, 2.0315];
    let length: F = g.norm() + convert::<f64, F>(1e-7);
    let mut x = g / length;
    for _ in 0..5 {
        let square = x.matmul_t(&x);
        let inner = Tensor::scale(&square, b)
            .add(&Tensor::scale(&square.matmul(&square), c));
        x = Tensor::scale(&x, a).add(&inner.matmul(&x));
    }
    x
}
