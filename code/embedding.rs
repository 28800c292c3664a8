//! The table that gives every token a row of numbers.
//!
//! ```
//! use all_you_need::embedding::Embedding;
//! use all_you_need::tensor::Matrix;
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let embedding: Embedding<Matrix> = Embedding::new(100, 8, &mut rng);
//! assert_eq!(embedding.embed(&[3, 1, 3]).shape(), (3, 8));
//! ```

use crate::tensor::{Init, Tensor};
use crate::tokens::Token;

/// The table of the vectors of all tokens.
#[derive(Clone, Debug)]
pub struct Embedding<T> {
    /// One row per token: V × d_model.
    pub table: T,
}

impl<T: Tensor> Embedding<T> {
    /// A random table for `vocabulary` tokens. Its rows have about length 1.
    pub fn new(
        vocabulary: usize,
        d_model: usize,
        init: &mut impl Init<T>,
    ) -> Self {
        let std = 1.0 / (d_model as f64).sqrt();
        Self { table: init.uniform(vocabulary, d_model, std) }
    }

    /// The rows of these tokens, times √d_model (§3.4): n × d_model.
    ///
    /// # Panics
    /// If a token is not below V.
    #[must_use]
    pub fn embed(&self, tokens: &[Token]) -> T {
        let (_, d_model) = self.table.shape();
        let rows: Vec<_> = tokens.iter().map(|&id| id as usize).collect();
        self.table.gather(&rows).scale((d_model as f64).sqrt())
    }
}
