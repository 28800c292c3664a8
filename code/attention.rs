//! Scaled dot-product attention (§3.2.1).
//!
//! ```
//! use all_you_need::attention::{Mask, attention};
//! use all_you_need::tensor::Matrix;
//! use nalgebra::dmatrix;
//!
//! let q: Matrix = dmatrix![1.0, 0.0]; // one query, d_k = 2
//! let k: Matrix = dmatrix![4.0, 0.0; 0.0, 4.0]; // two keys
//! let v: Matrix = dmatrix![10.0; 20.0]; // and their values, d_v = 1
//! let answer = attention(&q, &k, &v, &Mask::none(1, 2));
//! assert!(answer[0] < 11.0); // the query is like the first key
//! ```

use crate::tensor::{Float, Matrix, Tensor};
use std::ops::Range;

/// How well each key matches each query, Q Kᵀ / √d_k: n × m.
#[must_use]
pub fn scores<T: Tensor>(q: &T, k: &T) -> T {
    let (_, d_k) = k.shape();
    q.matmul_t(k).scale(1.0 / (d_k as f64).sqrt())
}

/// Which keys each query may attend to: for every query a range of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    visible: Vec<Range<usize>>,
    keys: usize,
}

impl Mask {
    /// Every query may attend to every key.
    pub fn none(queries: usize, keys: usize) -> Self {
        Self::new(vec![0..keys; queries], keys)
    }
}

/// A tensor whose rows can become attention weights.
pub trait Softmax: Tensor {
    /// Turns each row of scores into weights over the keys that its query
    /// may attend to: positive there, 0 elsewhere, and summing to 1. The row
    /// of a query that may attend to nothing is all 0.
    ///
    /// # Panics
    /// If the mask is not for as many queries and keys as there are rows and
    /// columns.
    #[must_use]
    fn softmax(&self, mask: &Mask) -> Self;
}

/// Panics unless the mask fits the scores.
pub(crate) fn check_mask((rows, keys): (usize, usize), mask: &Mask) {
    assert!(
        (rows, keys) == (mask.queries(), mask.keys()),
        "softmax: scores {rows}×{keys} under a mask {}×{}",
        mask.queries(),
        mask.keys()
    );
}

impl<F: Float> Softmax for Matrix<F> {
    fn softmax(&self, mask: &Mask) -> Self {
        check_mask(self.shape(), mask);
        let mut weights = Self::zeros(self.nrows(), self.ncols());
        for (i, visible) in mask.visible().iter().enumerate() {
            let scores = self.view_range(i..=i, visible.clone());
            let max = scores.max();
            let exps = scores.map(|score| (score - max).exp());
            let shares = &exps / exps.sum();
            weights.view_range_mut(i..=i, visible.clone()).copy_from(&shares);
        }
        weights
    }
}

/// The attention weights: how much each query takes of each value, n × m.
/// Each row sums to 1.
#[must_use]
pub fn weights<T: Softmax>(q: &T, k: &T, mask: &Mask) -> T {
    scores(q, k).softmax(mask)
}

/// Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V (equation 1)
///
/// Queries are n × d_k, keys m × d_k, values m × d_v; the result is n × d_v.
///
/// # Panics
/// If the sizes do not fit.
#[must_use]
pub fn attention<T: Softmax>(q: &T, k: &T, v: &T, mask: &Mask) -> T {
    weights(q, k, mask).matmul(v)
}

/// What a mask holds.
impl Mask {
    /// A mask from the range of keys that each query may attend to.
    ///
    /// # Panics
    /// If a range ends beyond `keys`, or before it starts.
    pub fn new(visible: Vec<Range<usize>>, keys: usize) -> Self {
        for (i, Range { start, end }) in visible.iter().enumerate() {
            assert!(
                start <= end && *end <= keys,
                "mask: query {i} cannot see keys {start}..{end} of {keys}"
            );
        }
        Self { visible, keys }
    }

    /// The range of keys that each query may attend to.
    pub fn visible(&self) -> &[Range<usize>] {
        &self.visible
    }

    /// The number of queries.
    pub fn queries(&self) -> usize {
        self.visible.len()
    }

    /// The number of keys.
    pub fn keys(&self) -> usize {
        self.keys
    }
}
