//! What stands around attention: linear layers, add & norm, feed-forward.

use crate::heads::Heads;
use crate::tensor::{Cost, Float, Init, Matrix, Shape, Tensor};
use nalgebra::{DVector, convert};

/// A tensor with what the layers do to each of its rows.
pub trait Rowwise: Heads {
    /// Add the one row to every row: n × m and 1 × m.
    fn add_row(&self, row: &Self) -> Self;

    /// Multiply every row, cell by cell, with the one row: n × m and 1 × m.
    fn mul_row(&self, row: &Self) -> Self;

    /// max(0, x), cell by cell.
    fn relu(&self) -> Self;

    /// Each row with mean 0 and variance 1: (x − μ) / √(σ² + ε).
    fn standardize(&self) -> Self;

    /// Nothing, except in training, where some cells become 0 (§5.4).
    fn dropout(&self) -> Self {
        self.clone()
    }
}

/// Keeps a row of equal numbers, whose variance is 0, from a division by 0.
pub const EPSILON: f64 = 1e-5;

fn one_row((_, m): (usize, usize), row: (usize, usize)) {
    assert!(row == (1, m), "{m} columns meet a row {}×{}", row.0, row.1);
}

/// Each row less its mean: x − μ.
pub(crate) fn centred<F: Float>(x: &Matrix<F>) -> Matrix<F> {
    // nalgebra's mean of all columns has one number for each row.
    let mean = x.column_mean();
    let mut centred = x.clone();
    centred.column_iter_mut().for_each(|mut column| column -= &mean);
    centred
}

/// For each row √(σ² + ε), given x − μ.
pub(crate) fn deviations<F: Float>(centred: &Matrix<F>) -> DVector<F> {
    let variance = centred.component_mul(centred).column_mean();
    variance.map(|variance| (variance + convert(EPSILON)).sqrt())
}

/// Each row divided by its own number.
pub(crate) fn divided<F: Float>(
    mut x: Matrix<F>,
    by: &DVector<F>,
) -> Matrix<F> {
    x.column_iter_mut().for_each(|mut column| {
        column.component_div_assign(by);
    });
    x
}

impl<F: Float> Rowwise for Matrix<F> {
    fn add_row(&self, row: &Self) -> Self {
        one_row(self.shape(), row.shape());
        let mut sum = self.clone();
        for (mut column, &b) in sum.column_iter_mut().zip(row) {
            column.as_mut_slice().iter_mut().for_each(|x| *x += b);
        }
        sum
    }

    fn mul_row(&self, row: &Self) -> Self {
        one_row(self.shape(), row.shape());
        let mut product = self.clone();
        for (mut column, &a) in product.column_iter_mut().zip(row) {
            column.as_mut_slice().iter_mut().for_each(|x| *x *= a);
        }
        product
    }

    fn relu(&self) -> Self {
        self.map(|x| x.max(F::zero()))
    }

    fn standardize(&self) -> Self {
        let centred = centred(self);
        let deviations = deviations(&centred);
        divided(centred, &deviations)
    }
}

impl Rowwise for Shape {
    fn add_row(&self, row: &Self) -> Self {
        one_row(self.shape(), row.shape());
        self.result(self.shape(), Cost::default())
    }

    fn mul_row(&self, row: &Self) -> Self {
        one_row(self.shape(), row.shape());
        self.result(self.shape(), Cost::default())
    }

    fn relu(&self) -> Self {
        self.result(self.shape(), Cost::default())
    }

    fn standardize(&self) -> Self {
        self.result(self.shape(), Cost::default())
    }
}

/// x W + b
#[derive(Clone, Debug)]
pub struct Linear<T> {
    /// W: d_in × d_out.
    pub weight: T,
    /// b: 1 × d_out.
    pub bias: T,
}

impl<T: Network> Linear<T> {
    /// A random layer, with a bias of 0.
    pub fn new(d_in: usize, d_out: usize, init: &mut impl Init<T>) -> Self {
        Self {
            weight: init.weight(d_in, d_out),
            bias: init.filled(1, d_out, 0.0),
        }
    }

    /// Each row of `x`, n × d_in, on its own: n × d_out.
    pub fn forward(&self, x: &T) -> T {
        x.matmul(&self.weight).add_row(&self.bias)
    }
}

/// FFN(x) = max(0, x W₁ + b₁) W₂ + b₂ (equation 2)
#[derive(Clone, Debug)]
pub struct FeedForward<T> {
    /// W₁ and b₁: d_model × d_ff.
    pub inner: Linear<T>,
    /// W₂ and b₂: d_ff × d_model.
    pub outer: Linear<T>,
}

impl<T: Network> FeedForward<T> {
    /// A random network, `d_ff` wide inside.
    pub fn new(d_model: usize, d_ff: usize, init: &mut impl Init<T>) -> Self {
        Self {
            inner: Linear::new(d_model, d_ff, init),
            outer: Linear::new(d_ff, d_model, init),
        }
    }

    /// Each row of `x` on its own: n × d_model.
    pub fn forward(&self, x: &T) -> T {
        self.outer.forward(&self.inner.forward(x).relu())
    }
}

/// LayerNorm(x) = (x − μ) / √(σ² + ε) · γ + β (Ba et al., 2016)
#[derive(Clone, Debug)]
pub struct LayerNorm<T> {
    /// γ: 1 × d_model.
    pub gain: T,
    /// β: 1 × d_model.
    pub bias: T,
}

/// A tensor with all that the layers need: what a network is made of.
pub trait Network: Rowwise {
    /// What [`LayerNorm::forward`] makes of x and what a sublayer made of x,
    /// added up. A reading may do it all at once.
    fn add_norm(x: &Self, sublayer: &Self, norm: &LayerNorm<Self>) -> Self {
        norm.forward(&x.add(&sublayer.dropout()))
    }
}

impl Network for Shape {}

impl<T: Network> LayerNorm<T> {
    /// A norm that neither stretches nor shifts.
    pub fn new(d_model: usize, init: &mut impl Init<T>) -> Self {
        Self {
            gain: init.filled(1, d_model, 1.0),
            bias: init.filled(1, d_model, 0.0),
        }
    }

    /// Each row on its own: n × d_model.
    pub fn forward(&self, x: &T) -> T {
        x.standardize().mul_row(&self.gain).add_row(&self.bias)
    }

    /// LayerNorm(x + Sublayer(x)), as §3.1 has it: after the sum.
    pub fn add_norm(&self, x: &T, sublayer: &T) -> T {
        T::add_norm(x, sublayer, self)
    }
}
