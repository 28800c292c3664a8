//! What came before: recurrence, convolution and the first attention.

use nalgebra::{DMatrix, DVector};

/// A recurrent network without frills: h_t = tanh(W h_{t−1} + U x_t).
pub struct Recurrent {
    /// W, from one hidden state to the next: d × d.
    pub w: DMatrix<f64>,
    /// U, from the input to the hidden state: d × d_input.
    pub u: DMatrix<f64>,
}

impl Recurrent {
    /// The hidden states h_1 … h_n, each made from the one before.
    pub fn states(&self, inputs: &[DVector<f64>]) -> Vec<DVector<f64>> {
        let mut h = DVector::zeros(self.w.nrows());
        let mut states = Vec::new();
        for x in inputs {
            h = (&self.w * &h + &self.u * x).map(f64::tanh);
            states.push(h.clone());
        }
        states
    }

    /// ∂h_n/∂h_0, d × d: how a nudge to the first state arrives at the last.
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

/// How many layers stand between the two ends of a sentence of `n` words
/// (Table 1, "maximum path length").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// One step a word.
    Recurrent,
    /// A stack of convolutions over `k` neighbours.
    Convolution {
        /// How many neighbours one convolution sees.
        k: usize,
    },
    /// The same, each layer reaching `k` times as far as the last.
    Dilated {
        /// How many words one convolution sees.
        k: usize,
    },
    /// Every word sees every word.
    Attention,
}

impl Path {
    /// Steps from the first of `n` words to the last.
    pub fn length(self, n: usize) -> usize {
        match self {
            Path::Recurrent => n - 1,
            Path::Convolution { k } => (n - 1).div_ceil(k - 1),
            Path::Dilated { k } => {
                (0..).find(|&l| k.pow(l) >= n).unwrap() as usize
            }
            Path::Attention => 1,
        }
    }
}

/// The additive attention of Bahdanau et al. (2015): v · tanh(W₁q + W₂k).
pub struct AdditiveScore {
    /// W₁, for the query: d × d_q.
    pub w_q: DMatrix<f64>,
    /// W₂, for the key: d × d_k.
    pub w_k: DMatrix<f64>,
    /// v, which reads the score off the hidden layer: d.
    pub v: DVector<f64>,
}

impl AdditiveScore {
    /// How well key `k` answers query `q`.
    pub fn score(&self, q: &DVector<f64>, k: &DVector<f64>) -> f64 {
        let hidden = (&self.w_q * q + &self.w_k * k).map(f64::tanh);
        self.v.dot(&hidden)
    }
}
