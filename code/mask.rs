//! Who may look at whom (§3.2.3).

use crate::attention::Mask;
use crate::tensor::Matrix;
use std::ops::Range;

/// A sentence without its future.
impl Mask {
    /// Each position sees itself and what came before (§3.2.3): n × n.
    pub fn causal(n: usize) -> Self {
        let visible = (0..n).map(|i| 0..i + 1).collect();
        Self { visible, keys: n }
    }

    /// As the paper adds it to the scores: 0 where one may look, −∞ where not.
    pub fn matrix(&self) -> Matrix {
        Matrix::from_fn(self.visible.len(), self.keys, |i, j| {
            if self.visible[i].contains(&j) { 0.0 } else { f64::NEG_INFINITY }
        })
    }
}

/// Sentences of different lengths.
impl Mask {
    /// Only the first `length` of `keys` keys are real; the rest is padding.
    ///
    /// # Panics
    /// If there are fewer keys than that.
    pub fn padding(queries: usize, keys: usize, length: usize) -> Self {
        assert!(length <= keys, "{length} of {keys} keys cannot be real");
        let visible = vec![0..length; queries];
        Self { visible, keys }
    }

    /// Sentences end to end, each seeing only its own: the i-th has
    /// `queries[i]` queries and `keys[i]` keys.
    ///
    /// # Panics
    /// If there are more sentences of queries than of keys, or fewer.
    pub fn packed(queries: &[usize], keys: &[usize]) -> Self {
        assert_eq!(
            queries.len(),
            keys.len(),
            "as many sentences on both sides"
        );
        let mut visible = Vec::new();
        let mut start = 0;
        for (&n, &m) in queries.iter().zip(keys) {
            visible.extend(vec![start..start + m; n]);
            start += m;
        }
        Self { visible, keys: start }
    }
}

/// Narrower views.
impl Mask {
    /// Each position sees those at most `r` away (§4, "restricted"): n × n.
    pub fn window(n: usize, r: usize) -> Self {
        let near = |i: usize| i.saturating_sub(r)..(i + r + 1).min(n);
        let visible = (0..n).map(near).collect();
        Self { visible, keys: n }
    }

    /// What both masks show.
    ///
    /// # Panics
    /// If they are not of the same size.
    pub fn and(&self, other: &Self) -> Self {
        assert_eq!(
            (self.visible.len(), self.keys),
            (other.visible.len(), other.keys),
            "two masks of one size"
        );
        let both = |(a, b): (&Range<usize>, &Range<usize>)| {
            let start = a.start.max(b.start);
            start..a.end.min(b.end).max(start)
        };
        let visible =
            self.visible.iter().zip(&other.visible).map(both).collect();
        Self { visible, keys: self.keys }
    }
}
