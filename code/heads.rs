//! Multi-head attention (§3.2.2).
//!
//! ```
//! use all_you_need::attention::Mask;
//! use all_you_need::heads::MultiHead;
//! use all_you_need::tensor::Matrix;
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let heads: MultiHead<Matrix> = MultiHead::new(4, 8, (2, 2), &mut rng);
//! let x = Matrix::from_fn(3, 8, |i, j| (i + j) as f64); // three words
//! assert_eq!(heads.forward(&x, &x, &Mask::none(3, 3)).shape(), (3, 8));
//! ```

use crate::attention::{Mask, Softmax, attention, weights};
use crate::tensor::Init;

/// Concat(head_1, …, head_h): every head attends with its own columns of the
/// queries, keys and values.
///
/// Queries are n × h·d_k, keys m × h·d_k, values m × h·d_v; the result is
/// n × h·d_v.
///
/// # Panics
/// If the sizes do not fit, or `heads` does not divide the columns.
#[must_use]
pub fn attend_by_head<T: Softmax>(
    q: &T,
    k: &T,
    v: &T,
    heads: usize,
    mask: &Mask,
) -> T {
    let (q, k, v) = (q.chunk(heads), k.chunk(heads), v.chunk(heads));
    let head = |i: usize| attention(&q[i], &k[i], &v[i], mask);
    let results: Vec<T> = (0..heads).map(head).collect();
    T::concat(&results)
}

/// A tensor that can attend with several heads.
pub trait Heads: Softmax {
    /// Computes [`attend_by_head`]. An implementation may override this
    /// with a faster way to the same numbers.
    #[must_use]
    fn attend_heads(
        q: &Self,
        k: &Self,
        v: &Self,
        heads: usize,
        mask: &Mask,
    ) -> Self {
        attend_by_head(q, k, v, heads, mask)
    }
}

/// MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O,
/// where head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
///
/// The h matrices W_i^Q are side by side in one matrix, and so are W_i^K and
/// W_i^V.
#[derive(Clone, Debug)]
pub struct MultiHead<T> {
    /// The number of heads: h.
    pub heads: usize,
    /// The query projections of all heads: d_model × h·d_k.
    pub w_q: T,
    /// The key projections: d_model × h·d_k.
    pub w_k: T,
    /// The value projections: d_model × h·d_v.
    pub w_v: T,
    /// The output projection, which mixes what the heads found:
    /// h·d_v × d_model.
    pub w_o: T,
}

/// The projected keys and values of some rows, ready for any query.
#[derive(Clone, Debug)]
pub struct KeysValues<T> {
    /// The keys of all heads, side by side: m × h·d_k.
    pub keys: T,
    /// The values of all heads, side by side: m × h·d_v.
    pub values: T,
}

impl<T: Heads> MultiHead<T> {
    /// Random heads that read and write rows of `d_model` numbers.
    ///
    /// # Panics
    /// If there is no head, or all together are too wide for a matrix.
    pub fn new(
        heads: usize,
        d_model: usize,
        (d_k, d_v): (usize, usize),
        init: &mut impl Init<T>,
    ) -> Self {
        assert!(heads > 0, "multi-head attention needs a head or more");
        let [k, v] = [d_k, d_v].map(|d| {
            let wide = || panic!("{heads} heads of {d} columns are too wide");
            heads.checked_mul(d).unwrap_or_else(wide)
        });
        let fan_out = k + k + v;
        Self {
            heads,
            w_q: init.fused_weight(d_model, k, fan_out),
            w_k: init.fused_weight(d_model, k, fan_out),
            w_v: init.fused_weight(d_model, v, fan_out),
            w_o: init.weight(v, d_model),
        }
    }

    /// The rows of `x`, n × d_model, attend to the rows of `y`, m × d_model:
    /// the result is n × d_model. Self-attention has the same rows twice.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    pub fn forward(&self, x: &T, y: &T, mask: &Mask) -> T {
        self.attend(x, &self.keys_values(y), mask)
    }

    /// The keys and values of the rows of `y`, m × d_model.
    #[must_use]
    pub fn keys_values(&self, y: &T) -> KeysValues<T> {
        KeysValues { keys: y.matmul(&self.w_k), values: y.matmul(&self.w_v) }
    }

    /// The rows of `x`, n × d_model, attend to these keys and values: the
    /// result is n × d_model.
    #[must_use]
    pub fn attend(&self, x: &T, y: &KeysValues<T>, mask: &Mask) -> T {
        let q = x.matmul(&self.w_q);
        let KeysValues { keys, values } = y;
        T::attend_heads(&q, keys, values, self.heads, mask).matmul(&self.w_o)
    }

    /// The attention weights of every head, h matrices of n × m.
    #[must_use]
    pub fn weights(&self, x: &T, y: &T, mask: &Mask) -> Vec<T> {
        let queries = x.matmul(&self.w_q).chunk(self.heads);
        let keys = y.matmul(&self.w_k).chunk(self.heads);
        let heads = queries.iter().zip(&keys);
        heads.map(|(q, k)| weights(q, k, mask)).collect()
    }
}
