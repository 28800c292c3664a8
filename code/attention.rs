//! Scaled dot-product attention (§3.2.1).

use crate::tensor::{Cost, Float, Matrix, Shape, Tensor};
use std::ops::Range;

/// How well each key answers each query, Q Kᵀ / √d_k: n × m.
pub fn scores<T: Tensor>(q: &T, k: &T) -> T {
    let (_, d_k) = k.shape();
    q.matmul_t(k).scale(1.0 / (d_k as f64).sqrt())
}

/// Which keys each query may see: for every query, from one key to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    /// One range of keys for each query.
    pub visible: Vec<Range<usize>>,
    /// How many keys there are.
    pub keys: usize,
}

impl Mask {
    /// Every query sees every key.
    pub fn none(queries: usize, keys: usize) -> Self {
        let visible = vec![0..keys; queries];
        Self { visible, keys }
    }
}

/// A tensor whose rows can become weights.
pub trait Softmax: Tensor {
    /// Each row as weights over the keys it may see: positive there, 0
    /// elsewhere, and 1 in all. A row that sees nothing stays 0.
    ///
    /// # Panics
    /// If the mask is not for as many queries and keys as there are rows and
    /// columns.
    fn softmax(&self, mask: &Mask) -> Self;
}

/// Scores and mask of one size, or a sentence that says otherwise.
fn masked((rows, keys): (usize, usize), mask: &Mask) {
    assert!(
        (rows, keys) == (mask.visible.len(), mask.keys),
        "softmax: scores {rows}×{keys} under a mask {}×{}",
        mask.visible.len(),
        mask.keys
    );
}

impl<F: Float> Softmax for Matrix<F> {
    fn softmax(&self, mask: &Mask) -> Self {
        masked(self.shape(), mask);
        let mut weights = Self::zeros(self.nrows(), self.ncols());
        for (i, visible) in mask.visible.iter().enumerate() {
            let scores = self.view_range(i..=i, visible.clone());
            let highest = scores.max();
            let powers = scores.map(|score| (score - highest).exp());
            let shares = &powers / powers.sum();
            weights.view_range_mut(i..=i, visible.clone()).copy_from(&shares);
        }
        weights
    }
}

/// How much each query takes of each value: n × m, each row 1 in all.
pub fn weights<T: Softmax>(q: &T, k: &T, mask: &Mask) -> T {
    scores(q, k).softmax(mask)
}

/// Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V (equation 1)
///
/// Queries are n × d_k, keys m × d_k, values m × d_v; the result is n × d_v.
///
/// # Panics
/// If the sizes do not fit.
pub fn attention<T: Softmax>(q: &T, k: &T, v: &T, mask: &Mask) -> T {
    weights(q, k, mask).matmul(v)
}

impl Softmax for Shape {
    fn softmax(&self, mask: &Mask) -> Self {
        masked(self.shape(), mask);
        let seen: usize = mask.visible.iter().map(Range::len).sum();
        let work = Cost { exponentials: seen as u64, ..Cost::default() };
        self.result(self.shape(), work)
    }
}
