//! What came before the Transformer: recurrent networks and the first
//! attention.
//!
//! ```
//! use all_you_need::recurrence::Recurrent;
//! use nalgebra::{dmatrix, dvector};
//!
//! let network = Recurrent { w: dmatrix![0.5], u: dmatrix![1.0] };
//! let states = network.states(&[dvector![1.0], dvector![0.0]]);
//! assert_eq!(states[1][0], (0.5 * 1f64.tanh()).tanh());
//! ```

use nalgebra::{DMatrix, DVector};

/// A simple recurrent network (Elman, 1990): h_t = tanh(W h_{t−1} + U x_t).
#[derive(Clone, Debug)]
pub struct Recurrent {
    /// W, from one hidden state to the next: d × d.
    pub w: DMatrix<f64>,
    /// U, from the input to the hidden state: d × d_input.
    pub u: DMatrix<f64>,
}

impl Recurrent {
    /// The next hidden state h_t, of d numbers, from the last one, h_{t−1},
    /// and the input x_t, of d_input numbers.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    pub fn step(&self, h: &DVector<f64>, x: &DVector<f64>) -> DVector<f64> {
        (&self.w * h + &self.u * x).map(f64::tanh)
    }

    /// The hidden states h_1 … h_n for the inputs x_1 … x_n. The state before
    /// the first, h_0, is 0.
    ///
    /// # Panics
    /// If an input does not have d_input numbers.
    #[must_use]
    pub fn states(&self, inputs: &[DVector<f64>]) -> Vec<DVector<f64>> {
        let mut h = DVector::zeros(self.w.nrows());
        let mut states = Vec::new();
        for x in inputs {
            h = self.step(&h, x);
            states.push(h.clone());
        }
        states
    }
}

impl Recurrent {
    /// ∂h_n/∂h_0, d × d, for the states h_1 … h_n: how a small change of the
    /// state before them changes the last one.
    ///
    /// # Panics
    /// If a state does not have d numbers.
    #[must_use]
    pub fn jacobian(&self, states: &[DVector<f64>]) -> DMatrix<f64> {
        let d = self.w.nrows();
        let mut product = DMatrix::identity(d, d);
        for h in states {
            // The derivative of tanh is 1 − tanh².
            let slope = h.map(|h| 1.0 - h * h);
            product = DMatrix::from_diagonal(&slope) * &self.w * product;
        }
        product
    }
}

/// A memory with a forget gate, the part of an LSTM (Hochreiter and
/// Schmidhuber, 1997; Gers et al., 2000) that keeps gradients alive:
/// c_t = f_t c_{t−1} + (1 − f_t) tanh(U x_t), cell by cell, with the gate
/// f_t = σ(F x_t + b).
#[derive(Clone, Debug)]
pub struct Gated {
    /// U, from an input to the new content of the memory: d × d_input.
    pub u: DMatrix<f64>,
    /// F, from an input to the gate: d × d_input.
    pub f: DMatrix<f64>,
    /// b, the same for all cells: the larger it is, the more is kept.
    pub bias: f64,
}

impl Gated {
    /// f_t for the input `x`: which part of each of the d cells is kept, from
    /// 0 to 1.
    ///
    /// # Panics
    /// If `x` does not have d_input numbers.
    #[must_use]
    pub fn gate(&self, x: &DVector<f64>) -> DVector<f64> {
        (&self.f * x).map(|a| 1.0 / (1.0 + (-a - self.bias).exp()))
    }

    /// The memories c_1 … c_n for the inputs x_1 … x_n. The memory before the
    /// first input, c_0, is 0.
    ///
    /// # Panics
    /// If an input does not have d_input numbers.
    #[must_use]
    pub fn memories(&self, inputs: &[DVector<f64>]) -> Vec<DVector<f64>> {
        let mut c = DVector::zeros(self.u.nrows());
        let mut memories = Vec::new();
        for x in inputs {
            let (f, news) = (self.gate(x), (&self.u * x).map(f64::tanh));
            c = c.zip_zip_map(&f, &news, |c, f, news| {
                f * c + (1.0 - f) * news
            });
            memories.push(c.clone());
        }
        memories
    }

    /// ∂c_n/∂c_0 for each of the d cells: the product of the gates of all
    /// inputs.
    ///
    /// # Panics
    /// If an input does not have d_input numbers.
    #[must_use]
    pub fn gate_product(&self, inputs: &[DVector<f64>]) -> DVector<f64> {
        let ones = DVector::from_element(self.u.nrows(), 1.0);
        let times = |c: DVector<f64>, x| c.component_mul(&self.gate(x));
        inputs.iter().fold(ones, times)
    }
}

/// The score of additive attention (Bahdanau et al., 2015):
/// v · tanh(W₁q + W₂k).
#[derive(Clone, Debug)]
pub struct AdditiveScore {
    /// W₁, which multiplies the query: d × d_q.
    pub w_q: DMatrix<f64>,
    /// W₂, which multiplies the key: d × d_k.
    pub w_k: DMatrix<f64>,
    /// v, the weights of the d hidden numbers in the score.
    pub v: DVector<f64>,
}

impl AdditiveScore {
    /// How well the key `k`, of d_k numbers, matches the query `q`, of d_q
    /// numbers.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    pub fn score(&self, q: &DVector<f64>, k: &DVector<f64>) -> f64 {
        let hidden = (&self.w_q * q + &self.w_k * k).map(f64::tanh);
        self.v.dot(&hidden)
    }
}
