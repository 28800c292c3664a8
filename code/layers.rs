//! The other parts of a layer: linear map, feed-forward network, layer
//! normalization, dropout and the residual connection (§3.1, §3.3, §5.4).
//!
//! ```
//! use all_you_need::layers::{FeedForward, LayerNorm};
//! use all_you_need::tensor::Matrix;
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let feed_forward: FeedForward<Matrix> = FeedForward::new(4, 16, &mut rng);
//! let norm = LayerNorm::new(4, &mut rng);
//! let x = Matrix::from_fn(3, 4, |i, j| (i * j) as f64); // three words
//! let y = norm.add_norm(&x, &feed_forward.forward(&x));
//! assert!(y.row(0).mean().abs() < 1e-9);
//! ```

use crate::heads::Heads;
use crate::tensor::{Float, Init, Matrix, Tensor, same_size};
use nalgebra::{DVector, convert, convert_unchecked};

/// A tensor with the operations that treat each of its rows alike.
pub trait Rowwise: Tensor {
    /// Adds one row, 1 × m, to every row of n × m.
    ///
    /// # Panics
    /// If `row` is not 1 × m.
    #[must_use]
    fn add_row(&self, row: &Self) -> Self;

    /// Multiplies every row of n × m, cell by cell, with one row, 1 × m.
    ///
    /// # Panics
    /// If `row` is not 1 × m.
    #[must_use]
    fn mul_row(&self, row: &Self) -> Self;

    /// max(0, x), cell by cell. NaN stays NaN.
    #[must_use]
    fn relu(&self) -> Self;

    /// The product, cell by cell, of two matrices of one size, n × m.
    ///
    /// # Panics
    /// If the sizes differ.
    #[must_use]
    fn mul_cells(&self, other: &Self) -> Self;

    /// f(x), cell by cell. The way back multiplies by the derivative, which
    /// gets x, too.
    ///
    /// ```
    /// use all_you_need::layers::Rowwise;
    /// use all_you_need::tensor::Matrix;
    ///
    /// /// x σ(x), called SiLU or Swish, for matrices, variables and shapes.
    /// fn silu<T: Rowwise>(x: &T) -> T {
    ///     let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    ///     let slope = move |x| sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x)));
    ///     x.map_cells(move |x| x * sigmoid(x), slope)
    /// }
    /// let y = silu(&Matrix::<f64>::from_element(2, 3, 1.0));
    /// assert!((y[0] - 0.731).abs() < 1e-3);
    /// ```
    #[must_use]
    fn map_cells(
        &self,
        f: impl Fn(f64) -> f64,
        derivative: impl Fn(f64) -> f64 + 'static,
    ) -> Self;

    /// Gives each row mean 0 and variance 1: (x − μ) / √(σ² + ε).
    #[must_use]
    fn standardize(&self) -> Self;

    /// Sets a random part of the cells to 0 in training (§5.4), and does
    /// nothing otherwise.
    #[must_use]
    fn dropout(&self) -> Self {
        self.clone()
    }
}

/// ε of [`Rowwise::standardize`]: keeps a row of equal numbers, whose
/// variance is 0, from a division by 0.
pub const LAYER_NORM_EPSILON: f64 = 1e-5;

/// Changes each number by the number of its row.
fn by_row<F: Float>(
    mut x: Matrix<F>,
    rows: &DVector<F>,
    change: impl Fn(&mut F, F),
) -> Matrix<F> {
    let height = x.nrows().max(1);
    for column in x.as_mut_slice().chunks_exact_mut(height) {
        for (x, &row) in column.iter_mut().zip(rows.as_slice()) {
            change(x, row);
        }
    }
    x
}

/// Each row minus its mean: x − μ.
pub(crate) fn centred<F: Float>(x: &Matrix<F>) -> Matrix<F> {
    // nalgebra's mean of all columns has one number for each row.
    by_row(x.clone(), &x.column_mean(), |x, mean| *x -= mean)
}

/// The standard deviation of each row, √(σ² + ε), given x − μ.
pub(crate) fn row_stds<F: Float>(centred: &Matrix<F>) -> DVector<F> {
    let epsilon: F = convert(LAYER_NORM_EPSILON);
    let variance = centred.component_mul(centred).column_mean();
    variance.map(|variance| (variance + epsilon).sqrt())
}

/// Each row divided by its own number.
pub(crate) fn divide_rows<F: Float>(
    x: Matrix<F>,
    by: &DVector<F>,
) -> Matrix<F> {
    by_row(x, by, |x, by| *x /= by)
}

/// Panics unless `row` is one row of as many columns.
pub(crate) fn check_row((_, m): (usize, usize), row: (usize, usize)) {
    assert!(row == (1, m), "{m} columns meet a row {}×{}", row.0, row.1);
}

/// f of each number and the number of one row in its column.
fn with_row<F: Float>(
    x: &Matrix<F>,
    row: &Matrix<F>,
    f: impl Fn(F, F) -> F,
) -> Matrix<F> {
    let (n, m) = x.shape();
    check_row((n, m), row.shape());
    let mut result = Matrix::zeros(n, m);
    let to = result.as_mut_slice().chunks_exact_mut(n.max(1));
    let columns = x.as_slice().chunks_exact(n.max(1)).zip(row);
    for (to, (column, &b)) in to.zip(columns) {
        for (to, &x) in to.iter_mut().zip(column) {
            *to = f(x, b);
        }
    }
    result
}

impl<F: Float> Rowwise for Matrix<F> {
    fn add_row(&self, row: &Self) -> Self {
        with_row(self, row, |x, b| x + b)
    }

    fn mul_row(&self, row: &Self) -> Self {
        with_row(self, row, |x, a| x * a)
    }

    fn relu(&self) -> Self {
        // `max` would turn what is not a number into 0.
        self.map(|x| if x < F::zero() { F::zero() } else { x })
    }

    fn mul_cells(&self, other: &Self) -> Self {
        same_size("mul_cells", self.shape(), other.shape());
        self.component_mul(other)
    }

    fn map_cells(
        &self,
        f: impl Fn(f64) -> f64,
        _: impl Fn(f64) -> f64 + 'static,
    ) -> Self {
        self.map(|x| convert(f(convert_unchecked(x))))
    }

    fn standardize(&self) -> Self {
        let centred = centred(self);
        let stds = row_stds(&centred);
        divide_rows(centred, &stds)
    }
}

/// A tensor with all that the layers compute with.
pub trait LayerOps: Heads + Rowwise {}

impl<T: Heads + Rowwise> LayerOps for T {}

/// A layer that maps each row by itself, from n × d_model to n × d_model: a
/// norm, or a network such as feed-forward.
pub trait Layer<T: LayerOps> {
    /// Maps each row of `x`.
    #[must_use]
    fn forward(&self, x: &T) -> T;

    /// Norm(x + Dropout(Sublayer(x))) (§3.1, §5.4), if this layer is a norm,
    /// given x and Sublayer(x): the residual connection, then the norm.
    ///
    /// # Panics
    /// If the two are not of one size, or not d_model wide.
    #[must_use]
    fn add_norm(&self, x: &T, sublayer: &T) -> T {
        self.forward(&x.add(&sublayer.dropout()))
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

impl<T: LayerOps> Linear<T> {
    /// A random weight matrix, and a bias of 0.
    pub fn new(d_in: usize, d_out: usize, init: &mut impl Init<T>) -> Self {
        Self {
            weight: init.weight(d_in, d_out),
            bias: init.filled(1, d_out, 0.0),
        }
    }

    /// Maps each row of `x`, n × d_in, by itself: n × d_out.
    ///
    /// # Panics
    /// If `x` has other than d_in columns.
    #[must_use]
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

impl<T: LayerOps> FeedForward<T> {
    /// A random network with `d_ff` hidden units.
    pub fn new(d_model: usize, d_ff: usize, init: &mut impl Init<T>) -> Self {
        Self {
            inner: Linear::new(d_model, d_ff, init),
            outer: Linear::new(d_ff, d_model, init),
        }
    }

    /// Maps each row of `x`, n × d_model, by itself: n × d_model.
    ///
    /// # Panics
    /// If `x` has other than d_model columns.
    #[must_use]
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

impl<T: LayerOps> LayerNorm<T> {
    /// Layer normalization with γ = 1 and β = 0.
    pub fn new(d_model: usize, init: &mut impl Init<T>) -> Self {
        Self {
            gain: init.filled(1, d_model, 1.0),
            bias: init.filled(1, d_model, 0.0),
        }
    }

    /// Normalizes each row of `x`, n × d_model, by itself: n × d_model.
    ///
    /// # Panics
    /// If `x` has other than d_model columns.
    #[must_use]
    pub fn forward(&self, x: &T) -> T {
        x.standardize().mul_row(&self.gain).add_row(&self.bias)
    }

    /// [`Layer::add_norm`].
    ///
    /// # Panics
    /// If the two are not of one size, or not d_model wide.
    #[must_use]
    pub fn add_norm(&self, x: &T, sublayer: &T) -> T {
        Layer::add_norm(self, x, sublayer)
    }
}

impl<T: LayerOps> Layer<T> for LayerNorm<T> {
    fn forward(&self, x: &T) -> T {
        self.forward(x)
    }
}

impl<T: LayerOps> Layer<T> for FeedForward<T> {
    fn forward(&self, x: &T) -> T {
        self.forward(x)
    }
}
