//! From gradients to better weights (§5.3).

use crate::gradient::{Tape, Variable};
use crate::tensor::{Float, Matrix};
use crate::transformer::Parameters;
use nalgebra::convert;
use rayon::prelude::*;

/// The loss of a model, and its gradient: a tree like the model itself.
pub fn gradient<F, L, V>(
    model: &L,
    loss: impl FnOnce(&V) -> Variable<F>,
) -> (F, L)
where
    F: Float,
    L: Parameters<Matrix<F>, With<Variable<F>> = V>,
    V: Parameters<Variable<F>, With<Matrix<F>> = L>,
{
    gradient_on(&Tape::default(), model, loss)
}

/// The same on a tape that is given, which may drop.
pub fn gradient_on<F, L, V>(
    tape: &Tape<F>,
    model: &L,
    loss: impl FnOnce(&V) -> Variable<F>,
) -> (F, L)
where
    F: Float,
    L: Parameters<Matrix<F>, With<Variable<F>> = V>,
    V: Parameters<Variable<F>, With<Matrix<F>> = L>,
{
    let model = model.map("", &mut |_, leaf| tape.variable(leaf.clone()));
    let loss = loss(&model);
    let mut gradients = tape.gradients(&loss);
    (loss.value()[0], model.map("", &mut |_, leaf| gradients.take(leaf)))
}

/// The leaves of two trees, in the order of the walk.
fn pairs<'a, F: Float>(
    one: &'a impl Parameters<Matrix<F>>,
    other: &'a impl Parameters<Matrix<F>>,
) -> Vec<(&'a Matrix<F>, &'a Matrix<F>)> {
    let mut others = Vec::new();
    other.map("", &mut |_, leaf| others.push(leaf));
    let mut others = others.into_iter();
    let mut pairs = Vec::new();
    one.map("", &mut |name, leaf| {
        let fits =
            others.next().filter(|other| other.shape() == leaf.shape());
        let fits = fits.unwrap_or_else(|| panic!("no slope fits {name}"));
        pairs.push((leaf, fits));
    });
    pairs
}

/// A tree of this form, with these leaves.
fn tree<F, L>(form: &L, leaves: Vec<Matrix<F>>) -> L
where
    F: Float,
    L: Parameters<Matrix<F>, With<Matrix<F>> = L>,
{
    let mut leaves = leaves.into_iter();
    form.map("", &mut |_, _| leaves.next().expect("as many as in the form"))
}

/// Gradient descent: every leaf less `rate` times its slope. The leaves do
/// not wait for each other.
///
/// # Panics
/// If the two trees have different leaves.
pub fn descend<F, L>(model: &L, slopes: &L, rate: f64) -> L
where
    F: Float,
    L: Parameters<Matrix<F>, With<Matrix<F>> = L>,
{
    let rate: F = convert(rate);
    let step =
        |(w, g): (&Matrix<F>, &Matrix<F>)| w.zip_map(g, |w, g| w - rate * g);
    let pairs = pairs(model, slopes);
    tree(model, pairs.into_par_iter().map(step).collect())
}

/// What Adam remembers of the gradients of one leaf.
#[derive(Clone, Debug)]
pub struct Moments<F: Float> {
    /// Their mean: m.
    pub mean: Matrix<F>,
    /// The mean of their squares: v.
    pub square: Matrix<F>,
}

impl<F: Float> Moments<F> {
    /// Nothing, for a leaf of this size.
    fn nothing(leaf: &Matrix<F>) -> Self {
        let zeros = Matrix::zeros(leaf.nrows(), leaf.ncols());
        Self { mean: zeros.clone(), square: zeros }
    }

    /// Keeps a part β of each mean, and takes the rest from `g`.
    fn take_in(&mut self, g: &Matrix<F>, b1: F, b2: F) {
        let (new_1, new_2) = (F::one() - b1, F::one() - b2);
        self.mean.zip_apply(g, |m, g| *m = b1 * *m + new_1 * g);
        self.square.zip_apply(g, |v, g| *v = b2 * *v + new_2 * g * g);
    }
}

/// Adam (Kingma and Ba, 2015): gradient descent with a memory.
#[derive(Clone, Debug)]
pub struct Adam<F: Float> {
    /// β₁ and β₂: what part of each mean is kept from step to step.
    pub betas: (f64, f64),
    /// ε: keeps a gradient of 0 from a division by 0.
    pub epsilon: f64,
    /// How many steps it has taken: t.
    pub steps: i32,
    /// For each leaf, in the order of the walk.
    pub moments: Vec<Moments<F>>,
}

impl<F: Float> Adam<F> {
    /// With the paper's β₁, β₂ and ε, and nothing to remember yet.
    pub fn new(model: &impl Parameters<Matrix<F>>) -> Self {
        let mut moments = Vec::new();
        model.map("", &mut |_, leaf| moments.push(Moments::nothing(leaf)));
        Self { betas: (0.9, 0.98), epsilon: 1e-9, steps: 0, moments }
    }
}

impl<F: Float> Adam<F> {
    /// The slopes to descend by instead of the gradients:
    /// m̂ / (√v̂ + ε), where m̂ = m / (1 − β₁ᵗ) and v̂ = v / (1 − β₂ᵗ).
    ///
    /// # Panics
    /// If the gradients have other leaves than the model this was made for.
    pub fn slopes<L>(&mut self, gradients: &L) -> L
    where
        L: Parameters<Matrix<F>, With<Matrix<F>> = L>,
    {
        self.steps += 1;
        let (b1, b2) = self.betas;
        let whole = |beta: f64| 1.0 - beta.powi(self.steps);
        let numbers = [b1, b2, whole(b1), whole(b2), self.epsilon];
        let [b1, b2, whole_1, whole_2, epsilon] = numbers.map(convert);
        let mut moments = self.moments.iter_mut();
        let mut memories = Vec::new();
        gradients.map("", &mut |name, g| {
            let own = moments.next().filter(|m| m.mean.shape() == g.shape());
            let own =
                own.unwrap_or_else(|| panic!("Adam has no memory of {name}"));
            memories.push((own, g));
        });
        let slope = |(own, g): (&mut Moments<F>, &Matrix<F>)| {
            own.take_in(g, b1, b2);
            own.mean.zip_map(&own.square, |m, v| {
                (m / whole_1) / ((v / whole_2).sqrt() + epsilon)
            })
        };
        tree(gradients, memories.into_par_iter().map(slope).collect())
    }

    /// The model after one more step, of the length `rate`.
    ///
    /// # Panics
    /// If model, gradients and memory have different leaves.
    pub fn step<L>(&mut self, model: &L, gradients: &L, rate: f64) -> L
    where
        L: Parameters<Matrix<F>, With<Matrix<F>> = L>,
    {
        descend(model, &self.slopes(gradients), rate)
    }
}

/// Equation 3: in a straight line up to `peak`, which takes `warmup` steps,
/// then down with the root of the step.
///
/// # Panics
/// If there are no steps to warm up in.
pub fn rate(peak: f64, step: usize, warmup: usize) -> f64 {
    assert!(warmup > 0, "a warm-up takes one step at least");
    let (step, warmup) = (step as f64, warmup as f64);
    peak * (step / warmup).min((warmup / step).sqrt())
}

/// The peak that equation 3 gives to a model of this width.
pub fn peak(d_model: usize, warmup: usize) -> f64 {
    1.0 / (d_model as f64 * warmup as f64).sqrt()
}
