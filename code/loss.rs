//! Cross-entropy with label smoothing (§5.4), perplexity, and the loss of a
//! whole model.
//!
//! ```
//! use all_you_need::loss::{CrossEntropy, perplexity};
//! use all_you_need::tensor::Matrix;
//!
//! // Equal logits: as hard as a guess among four tokens.
//! let logits = Matrix::zeros(1, 4);
//! let loss = logits.cross_entropy(&[2], 0.0)[0];
//! assert!((perplexity(loss) - 4.0).abs() < 1e-12);
//! ```

use crate::attention::{Mask, Softmax};
use crate::costs::{Cost, Shape};
use crate::gradient::Variable;
use crate::layers::LayerOps;
use crate::tensor::{Float, Matrix, Tensor, max, sum};
use crate::tokens::{Token, one_hot};
use crate::transformer::Transformer;
use nalgebra::convert;

/// e to the power of a loss in nats per token: among how many equally likely
/// tokens it would be as hard to guess.
pub fn perplexity(nats: f64) -> f64 {
    nats.exp()
}

/// The distributions to be learned, one row per target, n × V: probability
/// 1 − `label_smoothing` for the target, and `label_smoothing` in equal
/// parts for all tokens, the target among them.
///
/// # Panics
/// If a target is not below V.
#[must_use]
pub fn smoothed<F: Float>(
    targets: &[Token],
    vocabulary: usize,
    label_smoothing: f64,
) -> Matrix<F> {
    let part = label_smoothing / vocabulary as f64;
    let share = |hit| convert((1.0 - label_smoothing) * hit + part);
    one_hot(targets, vocabulary).map(share)
}

/// A tensor whose rows are logits.
pub trait CrossEntropy: Tensor {
    /// The mean over all rows of the cross-entropy −Σ q ln p, in nats: 1 × 1.
    /// Here p is the softmax of a row of logits, n × V, and q what
    /// [`smoothed`] makes of its target. If a logit is NaN, so is
    /// the loss.
    ///
    /// # Panics
    /// If there are no rows, not as many targets as rows, a target is not
    /// below V, or the smoothing is not between 0 and 1.
    #[must_use]
    fn cross_entropy(&self, targets: &[Token], label_smoothing: f64) -> Self;
}

/// A tensor whose rows become logits by the embedding table: the output layer
/// has no weights of its own, it is *tied* to the embedding (§3.4).
pub trait TiedCrossEntropy: CrossEntropy {
    /// The [`cross_entropy`](CrossEntropy::cross_entropy) of rows z,
    /// n × d_model, whose logits are z Eᵀ with a table E, V × d_model.
    ///
    /// An implementation may override this to compute the same number
    /// without holding all n × V logits.
    ///
    /// # Panics
    /// As `cross_entropy` does, or if the sizes do not fit.
    #[must_use]
    fn tied_cross_entropy(
        &self,
        table: &Self,
        targets: &[Token],
        label_smoothing: f64,
    ) -> Self {
        self.matmul_t(table).cross_entropy(targets, label_smoothing)
    }
}

/// Panics unless there is a target for every row, and all make sense.
fn check_targets(
    (rows, size): (usize, usize),
    targets: &[Token],
    label_smoothing: f64,
) {
    assert!(rows > 0, "cross_entropy: no rows, no mean");
    assert!(
        rows == targets.len(),
        "cross_entropy: {rows} rows of scores for {} targets",
        targets.len()
    );
    if let Some(target) = targets.iter().find(|&&t| t as usize >= size) {
        panic!("cross_entropy: no token {target} among {size}");
    }
    assert!(
        (0.0..=1.0).contains(&label_smoothing),
        "cross_entropy: a smoothing of {label_smoothing} is not from 0 to 1"
    );
}

/// ln Σ exp(score), which turns scores into log-probabilities when it is
/// subtracted from them. NaN if a score is NaN or +∞, or all are −∞.
///
/// # Panics
/// If there are no scores.
pub fn log_sum_exp<F: Float>(scores: &[F]) -> F {
    assert!(!scores.is_empty(), "a vocabulary has at least one token");
    let max = max(scores);
    let mut exps: Vec<F> = scores.iter().map(|&s| s - max).collect();
    F::exp_all(&mut exps);
    max + sum(&exps).ln()
}

/// q · score, one of the summands of a cross-entropy. What has the
/// probability 0 adds nothing, even if its score is −∞.
pub(crate) fn summand<F: Float>(q: F, score: F) -> F {
    if q == F::zero() { F::zero() } else { q * score }
}

impl<F: Float> CrossEntropy for Matrix<F> {
    fn cross_entropy(&self, targets: &[Token], label_smoothing: f64) -> Self {
        check_targets(self.shape(), targets, label_smoothing);
        let hit: F = convert(1.0 - label_smoothing);
        let even: F = convert(label_smoothing);
        let nats = self.row_iter().zip(targets).map(|(row, &target)| {
            let scores: Vec<F> = row.iter().copied().collect();
            let target = summand(hit, row[target as usize]);
            let wanted = target + summand(even, row.mean());
            log_sum_exp(&scores) - wanted
        });
        let rows = convert(targets.len() as f64);
        let sum = nats.fold(F::zero(), |sum, nats| sum + nats);
        Self::from_element(1, 1, sum / rows)
    }
}

impl<F: Float> CrossEntropy for Variable<F> {
    fn cross_entropy(&self, targets: &[Token], label_smoothing: f64) -> Self {
        let loss = self.value().cross_entropy(targets, label_smoothing);
        let (rows, size) = self.shape();
        let p = self.value().softmax(&Mask::none(rows, size));
        let q = smoothed(targets, size, label_smoothing);
        let gradient = (p - q) / convert::<f64, F>(rows as f64);
        self.unary(loss, move |g| gradient * g[0])
    }
}

impl CrossEntropy for Shape {
    fn cross_entropy(&self, targets: &[Token], label_smoothing: f64) -> Self {
        let (rows, size) = self.shape();
        check_targets((rows, size), targets, label_smoothing);
        let exponentials = rows as u64 * size as u64;
        self.result((1, 1), Cost { exponentials, ..Cost::default() })
    }
}

impl TiedCrossEntropy for Shape {}

/// A target, from `bos` to `eos`, as the decoder reads it, without `eos`, and
/// as it should answer, without `bos`: at each place the answer is the token
/// that is read next (§3.1).
///
/// # Panics
/// If the target is not at least `bos` and `eos`.
pub fn shift_right(target: &[Token]) -> (&[Token], &[Token]) {
    let n = target.len();
    assert!(n > 1, "a target of {n} tokens, and not from bos to eos");
    (&target[..n - 1], &target[1..])
}

/// The mean cross-entropy of the answers, when a decoder that ends in `table`
/// is given each target up to the token before: teacher forcing. `decode`
/// makes rows of the tokens that are read, end to end.
pub(crate) fn forced<'a, T: TiedCrossEntropy>(
    targets: impl Iterator<Item = &'a [Token]>,
    table: &T,
    label_smoothing: f64,
    decode: impl FnOnce(&[&[Token]]) -> T,
) -> T {
    let (inputs, answers): (Vec<_>, Vec<_>) =
        targets.map(shift_right).unzip();
    let z = decode(&inputs);
    z.tied_cross_entropy(table, &answers.concat(), label_smoothing)
}

impl<T: LayerOps + TiedCrossEntropy> Transformer<T> {
    /// The mean cross-entropy of the targets, each from `bos` to `eos`, given
    /// the sources and the target tokens before: nats per answer, 1 × 1.
    ///
    /// # Panics
    /// If there are not as many targets as sources, none at all, a target is
    /// not at least `bos` and `eos`, or a token is not in the vocabulary.
    #[must_use]
    pub fn loss<S: AsRef<[Token]>>(
        &self,
        sources: &[S],
        targets: &[S],
        label_smoothing: f64,
    ) -> T {
        let targets = targets.iter().map(AsRef::as_ref);
        forced(targets, &self.embedding.table, label_smoothing, |inputs| {
            self.decode(inputs, &self.encode(sources))
        })
    }
}
