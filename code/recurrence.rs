//! What came before the Transformer: recurrent networks and the first
//! attention.
//!
//! ```
//! use all_you_need::recurrence::{Recurrent, Row};
//! use nalgebra::dmatrix;
//!
//! let network = Recurrent { w: dmatrix![0.5], u: dmatrix![1.0] };
//! let words = [1.0, 0.0].map(|x| Row::from_element(1, x));
//! let states = network.states(&words);
//! assert_eq!(states[1][0], (0.5 * 1f64.tanh()).tanh());
//! ```

use nalgebra::{DMatrix, RowDVector};

/// A row of numbers: the vector of a word, or a memory.
pub type Row = RowDVector<f64>;

/// A simple recurrent network (Elman, 1990): h_t = tanh(h_{t−1} W + x_t U).
#[derive(Clone, Debug)]
pub struct Recurrent {
    /// W, from one hidden state to the next: d × d.
    pub w: DMatrix<f64>,
    /// U, from the input to the hidden state: d_input × d.
    pub u: DMatrix<f64>,
}

impl Recurrent {
    /// The next hidden state h_t, of d numbers, from the last one, h_{t−1},
    /// and the input x_t, of d_input numbers.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    pub fn step(&self, h: &Row, x: &Row) -> Row {
        (h * &self.w + x * &self.u).map(f64::tanh)
    }

    /// The hidden states h_1 … h_n for the inputs x_1 … x_n. The state before
    /// the first, h_0, is 0.
    ///
    /// # Panics
    /// If an input does not have d_input numbers.
    #[must_use]
    pub fn states(&self, inputs: &[Row]) -> Vec<Row> {
        let mut h = Row::zeros(self.w.ncols());
        let mut states = Vec::new();
        for x in inputs {
            h = self.step(&h, x);
            states.push(h.clone());
        }
        states
    }
}

impl Recurrent {
    /// ∂h_n/∂h_0, d × d, for the states h_1 … h_n. Row i, column j says how
    /// number j of the last state changes when number i of the state before
    /// the first is changed a little.
    ///
    /// # Panics
    /// If a state does not have d numbers.
    #[must_use]
    pub fn jacobian(&self, states: &[Row]) -> DMatrix<f64> {
        let d = self.w.nrows();
        // The identity matrix changes nothing, as 1 does among numbers.
        let mut product = DMatrix::identity(d, d);
        for h in states {
            // The derivative of tanh is 1 − tanh².
            let slope = h.map(|h| 1.0 - h * h).transpose();
            product = product * &self.w * DMatrix::from_diagonal(&slope);
        }
        product
    }
}

/// A memory with a forget gate, the part of an LSTM (Hochreiter and
/// Schmidhuber, 1997; Gers et al., 2000) that keeps gradients alive:
/// c_t = f_t c_{t−1} + (1 − f_t) tanh(x_t U), number by number, with the gate
/// f_t = σ(x_t F + b).
#[derive(Clone, Debug)]
pub struct Gated {
    /// U, from an input to the new content of the memory: d_input × d.
    pub u: DMatrix<f64>,
    /// F, from an input to the gate: d_input × d.
    pub f: DMatrix<f64>,
    /// b, the same for all d numbers: the larger it is, the more is kept.
    pub bias: f64,
}

impl Gated {
    /// f_t for the input `x`: which part of each of the d numbers of the
    /// memory is kept, from 0 to 1.
    ///
    /// # Panics
    /// If `x` does not have d_input numbers.
    #[must_use]
    pub fn gate(&self, x: &Row) -> Row {
        (x * &self.f).map(|a| 1.0 / (1.0 + (-a - self.bias).exp()))
    }

    /// The memories c_1 … c_n for the inputs x_1 … x_n. The memory before the
    /// first input, c_0, is 0.
    ///
    /// # Panics
    /// If an input does not have d_input numbers.
    #[must_use]
    pub fn memories(&self, inputs: &[Row]) -> Vec<Row> {
        let mut c = Row::zeros(self.u.ncols());
        let mut memories = Vec::new();
        for x in inputs {
            let (f, news) = (self.gate(x), (x * &self.u).map(f64::tanh));
            c = c.zip_zip_map(&f, &news, |c, f, news| {
                f * c + (1.0 - f) * news
            });
            memories.push(c.clone());
        }
        memories
    }
}

impl Gated {
    /// ∂c_n/∂c_0 for each of the d numbers of the memory: the product of the
    /// gates of all inputs.
    ///
    /// # Panics
    /// If an input does not have d_input numbers.
    #[must_use]
    pub fn gate_product(&self, inputs: &[Row]) -> Row {
        let ones = Row::from_element(self.u.ncols(), 1.0);
        let times = |c: Row, x| c.component_mul(&self.gate(x));
        inputs.iter().fold(ones, times)
    }
}

/// The score of additive attention (Bahdanau et al., 2015):
/// tanh(q W₁ + k W₂) · v.
#[derive(Clone, Debug)]
pub struct AdditiveScore {
    /// W₁, which brings a query to d numbers: d_q × d.
    pub w_q: DMatrix<f64>,
    /// W₂, which brings a key to d numbers: d_k × d.
    pub w_k: DMatrix<f64>,
    /// v, how much each of the d numbers counts in the score.
    pub v: Row,
}

impl AdditiveScore {
    /// How well the key `k`, of d_k numbers, matches the query `q`, of d_q
    /// numbers.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    pub fn score(&self, q: &Row, k: &Row) -> f64 {
        let hidden = (q * &self.w_q + k * &self.w_k).map(f64::tanh);
        hidden.dot(&self.v)
    }
}
