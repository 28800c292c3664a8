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

/// A recurrent network without frills: h_t = tanh(W h_{t−1} + U x_t).
#[derive(Clone, Debug)]
pub struct Recurrent {
    /// W, from one hidden state to the next: d × d.
    pub w: DMatrix<f64>,
    /// U, from the input to the hidden state: d × d_input.
    pub u: DMatrix<f64>,
}

impl Recurrent {
    /// One word more: h_{t−1} and x_t make h_t.
    pub fn step(&self, h: &DVector<f64>, x: &DVector<f64>) -> DVector<f64> {
        (&self.w * h + &self.u * x).map(f64::tanh)
    }

    /// The hidden states h_1 … h_n, each made from the one before.
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
    /// ∂h_n/∂h_0, d × d, for the states h_1 … h_n: how a nudge to the state
    /// before them arrives at the last.
    pub fn jacobian(&self, states: &[DVector<f64>]) -> DMatrix<f64> {
        let d = self.w.nrows();
        let mut product = DMatrix::identity(d, d);
        for h in states {
            let slope = h.map(|h| 1.0 - h * h); // tanh′, where tanh is h
            product = DMatrix::from_diagonal(&slope) * &self.w * product;
        }
        product
    }
}

/// A memory behind a gate: c_t = f_t c_{t−1} + (1 − f_t) tanh(U x_t), number
/// by number, with the gate f_t = σ(F x_t + b).
#[derive(Clone, Debug)]
pub struct Gated {
    /// U, from a word to what it would write: d × d_input.
    pub u: DMatrix<f64>,
    /// F, from a word to the gate: d × d_input.
    pub f: DMatrix<f64>,
    /// b, how far the gate stands open whatever the word.
    pub bias: f64,
}

impl Gated {
    /// How much of each number is kept when `x` is read: from 0 to 1.
    pub fn gate(&self, x: &DVector<f64>) -> DVector<f64> {
        (&self.f * x).map(|a| 1.0 / (1.0 + (-a - self.bias).exp()))
    }

    /// The memories c_1 … c_n.
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

    /// ∂c_n/∂c_0, number by number: all the gates multiplied.
    pub fn kept(&self, inputs: &[DVector<f64>]) -> DVector<f64> {
        let all = DVector::from_element(self.u.nrows(), 1.0);
        let keep = |c: DVector<f64>, x| c.component_mul(&self.gate(x));
        inputs.iter().fold(all, keep)
    }
}

/// The additive attention of Bahdanau et al. (2015): v · tanh(W₁q + W₂k).
#[derive(Clone, Debug)]
pub struct AdditiveScore {
    /// W₁, for the query: d × d_q.
    pub w_q: DMatrix<f64>,
    /// W₂, for the key: d × d_k.
    pub w_k: DMatrix<f64>,
    /// v, which makes one number of d: d.
    pub v: DVector<f64>,
}

impl AdditiveScore {
    /// How well key `k` answers query `q`.
    pub fn score(&self, q: &DVector<f64>, k: &DVector<f64>) -> f64 {
        let hidden = (&self.w_q * q + &self.w_k * k).map(f64::tanh);
        self.v.dot(&hidden)
    }
}
