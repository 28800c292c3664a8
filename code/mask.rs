//! Masks: which positions may attend to which (§3.2.3).
//!
//! ```
//! use all_you_need::attention::Mask;
//!
//! // Two sentences of 2 and 3 words, laid end to end.
//! let own = Mask::packed(&[2, 3], &[2, 3]);
//! let past = own.and(&Mask::causal(5));
//! assert_eq!(past.visible(), [0..1, 0..2, 2..3, 2..4, 2..5]);
//! ```

use crate::attention::Mask;
use crate::tensor::{Float, Matrix, check_size};
use std::ops::Range;

/// Masks for one sentence.
impl Mask {
    /// Each position attends to itself and to those before it (§3.2.3):
    /// n × n.
    pub fn causal(n: usize) -> Self {
        Self::new((0..n).map(|i| 0..i + 1).collect(), n)
    }

    /// The mask as a matrix that is added to the scores, as the paper has
    /// it: 0 where a query may attend, −∞ where it may not.
    ///
    /// # Panics
    /// If it would have more than 2³⁰ numbers.
    pub fn matrix(&self) -> Matrix {
        check_size((self.queries(), self.keys()));
        Matrix::from_fn(self.queries(), self.keys(), |i, j| {
            let visible = self.visible()[i].contains(&j);
            if visible { 0.0 } else { f64::NEG_INFINITY }
        })
    }
}

/// Masks for sentences of different lengths.
impl Mask {
    /// Only the first `length` of `keys` keys are real; the rest is padding.
    ///
    /// # Panics
    /// If `length` is greater than `keys`.
    pub fn padding(queries: usize, keys: usize, length: usize) -> Self {
        assert!(length <= keys, "{length} of {keys} keys cannot be real");
        Self::new(vec![0..length; queries], keys)
    }

    /// Sentences end to end, each attending only to its own: the i-th has
    /// `queries[i]` queries and `keys[i]` keys. The two lists differ where
    /// the queries are words of one language and the keys those of another.
    ///
    /// # Panics
    /// If `queries` and `keys` are not for as many sentences.
    pub fn packed(queries: &[usize], keys: &[usize]) -> Self {
        assert_eq!(
            queries.len(),
            keys.len(),
            "as many sentences on both sides"
        );
        let mut visible = Vec::new();
        let mut start: usize = 0;
        for (&n, &m) in queries.iter().zip(keys) {
            let end = start.checked_add(m).expect("fewer than 2⁶⁴ keys");
            visible.extend(vec![start..end; n]);
            start = end;
        }
        Self::new(visible, start)
    }
}

/// Masks made of others.
impl Mask {
    /// Each position attends to those at most `r` away (§4, "restricted"):
    /// n × n.
    pub fn window(n: usize, r: usize) -> Self {
        let end = |i: usize| i.saturating_add(r).saturating_add(1).min(n);
        let near = |i: usize| i.saturating_sub(r)..end(i);
        Self::new((0..n).map(near).collect(), n)
    }

    /// The keys that both masks allow.
    ///
    /// # Panics
    /// If the masks are not of the same size.
    pub fn and(&self, other: &Self) -> Self {
        assert_eq!(
            (self.queries(), self.keys()),
            (other.queries(), other.keys()),
            "two masks of one size"
        );
        let both = |(a, b): (&Range<usize>, &Range<usize>)| {
            let start = a.start.max(b.start);
            start..a.end.min(b.end).max(start)
        };
        let pairs = self.visible().iter().zip(other.visible());
        Self::new(pairs.map(both).collect(), self.keys())
    }
}

/// Which inputs move which outputs. Every input in turn is replaced by what
/// `change` makes of it; for each row that `model` returns, the result has
/// the inputs that made it another row. A row with NaN moves with every
/// input.
///
/// # Panics
/// If a changed input changes the number of rows.
pub fn moved<I: Clone, F: Float>(
    inputs: &[I],
    change: impl Fn(&I) -> I,
    model: impl Fn(&[I]) -> Matrix<F>,
) -> Vec<Vec<usize>> {
    let before = model(inputs);
    let mut moved = vec![Vec::new(); before.nrows()];
    for j in 0..inputs.len() {
        let mut changed = inputs.to_vec();
        changed[j] = change(&inputs[j]);
        let after = model(&changed);
        let (n, m) = (before.nrows(), after.nrows());
        assert!(n == m, "moved: {n} rows became {m} with input {j}");
        for (i, by) in moved.iter_mut().enumerate() {
            if before.row(i) != after.row(i) {
                by.push(j);
            }
        }
    }
    moved
}

/// Where a model does not keep to a mask: (i, j) if output row i moves with
/// input j, although the mask hides j from i. Inputs are changed as
/// [`moved`] does it.
///
/// ```
/// use all_you_need::attention::{Mask, attention};
/// use all_you_need::mask::leaks;
/// use all_you_need::tensor::Matrix;
///
/// let causal = Mask::causal(3);
/// let found = |mask: &Mask| {
///     leaks(&causal, &[0.1, 0.2, 0.3], |x| x + 1.0, |words| {
///         let x = Matrix::from_column_slice(3, 1, words);
///         attention(&x, &x, &x, mask)
///     })
/// };
/// assert_eq!(found(&causal), []);
/// assert_eq!(found(&Mask::none(3, 3)), [(0, 1), (0, 2), (1, 2)]);
/// ```
///
/// # Panics
/// If the mask has not as many queries as there are rows, or not as many
/// keys as there are inputs.
pub fn leaks<I: Clone, F: Float>(
    mask: &Mask,
    inputs: &[I],
    change: impl Fn(&I) -> I,
    model: impl Fn(&[I]) -> Matrix<F>,
) -> Vec<(usize, usize)> {
    let moved = moved(inputs, change, model);
    let (n, m) = (moved.len(), inputs.len());
    assert!(
        (n, m) == (mask.queries(), mask.keys()),
        "leaks: {n} rows and {m} inputs under a mask {}×{}",
        mask.queries(),
        mask.keys()
    );
    let by_row = moved.into_iter().zip(mask.visible()).enumerate();
    let hidden = by_row.flat_map(|(i, (by, visible))| {
        by.into_iter().filter(|j| !visible.contains(j)).map(move |j| (i, j))
    });
    hidden.collect()
}
