//! How wrong the model is, as one number (§5.4).

use crate::attention::{Mask, Softmax};
use crate::gradient::Variable;
use crate::layers::Network;
use crate::tensor::{Cost, Float, Matrix, Shape, Tensor, sum};
use crate::tokens::one_hot;
use crate::transformer::Transformer;
use nalgebra::convert;

/// How many equally likely tokens would be as hard to guess.
pub fn perplexity(nats: f64) -> f64 {
    nats.exp()
}

/// What should be said, one token a row: 1 − `smoothing` for the target, and
/// `smoothing` in equal parts for all tokens, the target among them: n × V.
///
/// # Panics
/// If a target is not below V.
pub fn smoothed<F: Float>(
    targets: &[usize],
    vocabulary: usize,
    smoothing: f64,
) -> Matrix<F> {
    let part = smoothing / vocabulary as f64;
    let share = |hit| convert((1.0 - smoothing) * hit + part);
    one_hot(targets, vocabulary).map(share)
}

/// A tensor whose rows are scores for what comes next.
pub trait Loss: Network {
    /// Cross-entropy, the mean over all rows of −Σ q ln p, in nats: 1 × 1.
    /// There p is the softmax of the row, n × V, and q what [`smoothed`]
    /// makes of its target.
    ///
    /// # Panics
    /// If there are no rows, more rows than targets or fewer, a target is
    /// not below V, or the smoothing not between 0 and 1.
    fn cross_entropy(&self, targets: &[usize], smoothing: f64) -> Self;
}

/// A tensor whose rows become scores when they meet a table.
pub trait Output: Loss {
    /// [`cross_entropy`](Loss::cross_entropy) for rows z, n × d_model, whose scores are z Eᵀ with a
    /// table E, V × d_model.
    ///
    /// The default is the formula. A reading may come to the same number
    /// without ever holding all n × V scores.
    fn cross_entropy_with(
        &self,
        table: &Self,
        targets: &[usize],
        smoothing: f64,
    ) -> Self {
        self.matmul_t(table).cross_entropy(targets, smoothing)
    }
}

/// A target for every row, or a sentence that says what is wrong.
fn aimed((rows, size): (usize, usize), targets: &[usize], smoothing: f64) {
    assert!(rows > 0, "cross_entropy: no rows, no mean");
    assert!(
        rows == targets.len(),
        "cross_entropy: {rows} rows of scores for {} targets",
        targets.len()
    );
    if let Some(target) = targets.iter().find(|&&target| target >= size) {
        panic!("cross_entropy: no token {target} among {size}");
    }
    assert!(
        (0.0..=1.0).contains(&smoothing),
        "cross_entropy: a smoothing of {smoothing} is not from 0 to 1"
    );
}

/// ln Σ exp(score): taken off each score, it makes a log-probability of it.
///
/// # Panics
/// If there is no score above −∞, or one that is not a number.
pub fn log_sum_exp<F: Float>(scores: &[F]) -> F {
    let highest = scores.iter().copied().reduce(F::max);
    let highest = highest.expect("a vocabulary has at least one token");
    let mut powers: Vec<F> = scores.iter().map(|&s| s - highest).collect();
    F::exp_all(&mut powers);
    let log = highest + sum(&powers).ln();
    assert!(log.is_finite(), "scores must be numbers, and not all −∞");
    log
}

impl<F: Float> Loss for Matrix<F> {
    fn cross_entropy(&self, targets: &[usize], smoothing: f64) -> Self {
        aimed(self.shape(), targets, smoothing);
        let (sure, even) = (convert(1.0 - smoothing), convert(smoothing));
        let nats = self.row_iter().zip(targets).map(|(row, &target)| {
            let scores: Vec<F> = row.iter().copied().collect();
            let wanted = row[target] * sure + row.mean() * even;
            log_sum_exp(&scores) - wanted
        });
        let rows = convert(targets.len() as f64);
        let sum = nats.fold(F::zero(), |sum, nats| sum + nats);
        Self::from_element(1, 1, sum / rows)
    }
}

impl<F: Float> Loss for Variable<F> {
    fn cross_entropy(&self, targets: &[usize], smoothing: f64) -> Self {
        let loss = self.value().cross_entropy(targets, smoothing);
        let (rows, size) = self.shape();
        let p = self.value().softmax(&Mask::none(rows, size));
        let q = smoothed(targets, size, smoothing);
        let slope = (p - q) / convert::<f64, F>(rows as f64);
        self.then(loss, move |g| slope * g[0])
    }
}

impl Loss for Shape {
    fn cross_entropy(&self, targets: &[usize], smoothing: f64) -> Self {
        let (rows, size) = self.shape();
        aimed((rows, size), targets, smoothing);
        let exponentials = (rows * size) as u64;
        self.result((1, 1), Cost { exponentials, ..Cost::default() })
    }
}

impl Output for Shape {}

/// The target as it is fed in, after `start`, and as it is asked for, before
/// `end`: each token meets the one before it (§3.1).
pub fn shift_right(
    target: &[usize],
    start: usize,
    end: usize,
) -> (Vec<usize>, Vec<usize>) {
    ([&[start], target].concat(), [target, &[end]].concat())
}

impl<T: Output> Transformer<T> {
    /// How surprised the model is by the targets, given the sources and what
    /// stands before: nats a token, 1 × 1.
    pub fn loss(
        &self,
        sources: &[Vec<usize>],
        targets: &[Vec<usize>],
        start: usize,
        end: usize,
        smoothing: f64,
    ) -> T {
        let shifted = targets.iter().map(|t| shift_right(t, start, end));
        let (inputs, answers): (Vec<_>, Vec<_>) = shifted.unzip();
        let z = self.decode(&inputs, sources, &self.encode(sources));
        let table = &self.embedding.table;
        z.cross_entropy_with(table, &answers.concat(), smoothing)
    }
}
