//! Each token a row of a table.

use crate::tensor::{Init, Tensor};

/// The table of all tokens' vectors.
#[derive(Clone, Debug)]
pub struct Embedding<T> {
    /// One row a token: V × d_model.
    pub table: T,
}

impl<T: Tensor> Embedding<T> {
    /// A table for `vocabulary` tokens; rows start about 1 long.
    pub fn new(
        vocabulary: usize,
        d_model: usize,
        init: &mut impl Init<T>,
    ) -> Self {
        let deviation = 1.0 / (d_model as f64).sqrt();
        let table = init.noise(vocabulary, d_model, deviation);
        Self { table }
    }

    /// The tokens' rows, times √d_model (§3.4): n × d_model.
    ///
    /// # Panics
    /// If an id is not below V.
    pub fn embed(&self, ids: &[usize]) -> T {
        let (_, d_model) = self.table.shape();
        self.table.gather(ids).scale((d_model as f64).sqrt())
    }
}
