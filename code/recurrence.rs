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

/// Each number and some of those before it, `step` apart, as a weighted sum:
/// y_i = Σ_j kernel_j · x_{i − j·step}, as far as there is such an x.
///
/// # Panics
/// If `step` is 0.
pub fn convolve(x: &[f64], kernel: &[f64], step: usize) -> Vec<f64> {
    let sum = |i: usize| {
        let before = (0..=i).rev().step_by(step);
        kernel.iter().zip(before).map(|(weight, j)| weight * x[j]).sum()
    };
    (0..x.len()).map(sum).collect()
}

/// What a layer lets a word see: the rows of Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The state that the word before has left.
    Recurrent,
    /// The last k words, its own among them.
    Convolution(usize),
    /// k words too, but in every layer k times as far apart.
    Dilated(usize),
    /// Every word.
    Attention,
    /// The last r words, by attention.
    Restricted(usize),
}

impl Layer {
    /// Multiply-adds for `n` words of `d` numbers ("complexity per layer").
    pub fn cost(self, n: usize, d: usize) -> usize {
        match self {
            Layer::Recurrent => n * d * d,
            Layer::Convolution(k) | Layer::Dilated(k) => k * n * d * d,
            Layer::Attention => n * n * d,
            Layer::Restricted(r) => r * n * d,
        }
    }

    /// How many of them must wait for one another ("sequential operations").
    pub fn rounds(self, n: usize) -> usize {
        if self == Layer::Recurrent { n } else { 1 }
    }

    /// How many layers, or steps, lead from the first of `n` words to the
    /// last ("maximum path length").
    ///
    /// # Panics
    /// If the layer is one word wide: it leads nowhere.
    pub fn path(self, n: usize) -> usize {
        match self {
            Layer::Recurrent => n - 1,
            Layer::Convolution(k) | Layer::Restricted(k) => {
                (n - 1).div_ceil(reach(k))
            }
            Layer::Dilated(k) => {
                let far = |layers: &u32| (reach(k) + 1).pow(*layers) >= n;
                (0..).find(far).unwrap() as usize
            }
            Layer::Attention => 1,
        }
    }
}

/// How far back `k` words reach.
fn reach(k: usize) -> usize {
    assert!(k > 1, "a layer one word wide leads to no other word");
    k - 1
}
