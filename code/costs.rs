//! Costs: parameters, multiply-adds and memory, counted without computing.
//!
//! ```
//! use all_you_need::costs::{Bill, Shape};
//! use all_you_need::encoder::Config;
//! use all_you_need::transformer::Transformer;
//!
//! let mut bill = Bill::default();
//! let model: Transformer<Shape> =
//!     Transformer::new(&Config::base(), &mut bill);
//! let sentence = vec![0; 30];
//! let _ = model.forward(&[&sentence], &[&sentence]);
//! let cost = bill.cost();
//! assert!(cost.parameters > 60_000_000);
//! assert!(cost.multiply_adds > 30 * cost.parameters);
//! ```

use crate::attention::{Mask, Softmax, check_mask};
use crate::encoder::Config;
use crate::heads::Heads;
use crate::layers::{Rowwise, check_row};
use crate::tensor::{
    Init, Matrix, Tensor, chunk_size, concat_size, gather_size, matmul_size,
    same_size,
};
use std::{cell::Cell, ops::AddAssign, ops::Range, rc::Rc};
use thiserror::Error;

type Size = (usize, usize);

/// The cost of a computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Numbers that a layer learns.
    pub parameters: u64,
    /// Multiplications whose result is added to a sum: each counts as two
    /// floating-point operations (FLOPs) elsewhere.
    pub multiply_adds: u64,
    /// Exponentials, all of them in a softmax.
    pub exponentials: u64,
    /// Numbers written: the memory needed if nothing is freed.
    pub numbers: u64,
}

/// The sum of the costs of all operations on the shapes that share it.
#[derive(Clone, Debug, Default)]
pub struct Bill(Rc<Cell<Cost>>);

/// The second implementation of [`Tensor`]: a matrix without its numbers.
///
/// An operation on shapes computes only the size of its result, and adds
/// what the numbers would have cost to a [`Bill`].
#[derive(Clone, Debug)]
pub struct Shape {
    rows: usize,
    cols: usize,
    bill: Bill,
}

impl Bill {
    /// A matrix of this size without numbers. What is done with it costs
    /// this bill.
    pub fn shape(&self, rows: usize, cols: usize) -> Shape {
        let bill = self.clone();
        Shape { rows, cols, bill }
    }

    /// The costs so far.
    pub fn cost(&self) -> Cost {
        self.0.get()
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.parameters += other.parameters;
        self.multiply_adds += other.multiply_adds;
        self.exponentials += other.exponentials;
        self.numbers += other.numbers;
    }
}

impl Bill {
    fn add(&self, cost: Cost) {
        let mut sum = self.cost();
        sum += cost;
        self.0.set(sum);
    }

    /// A matrix of this size that a layer learns.
    fn parameter(&self, rows: usize, cols: usize) -> Shape {
        let parameters = rows as u64 * cols as u64;
        self.add(Cost { parameters, ..Cost::default() });
        self.shape(rows, cols)
    }
}

impl Shape {
    /// The result of an operation: of this size, for this much work.
    pub(crate) fn result(&self, (rows, cols): Size, work: Cost) -> Self {
        let numbers = rows as u64 * cols as u64;
        self.bill.add(Cost { numbers, ..work });
        self.bill.shape(rows, cols)
    }

    /// A result whose numbers are only written, without a multiply-add.
    pub(crate) fn written(&self, size: Size) -> Self {
        self.result(size, Cost::default())
    }
}

impl Tensor for Shape {
    fn shape(&self) -> Size {
        (self.rows, self.cols)
    }

    fn matmul(&self, other: &Self) -> Self {
        let (rows, cols) = matmul_size(self.shape(), other.shape());
        let multiply_adds = rows as u64 * self.cols as u64 * cols as u64;
        let work = Cost { multiply_adds, ..Cost::default() };
        self.result((rows, cols), work)
    }

    fn matmul_t(&self, other: &Self) -> Self {
        let (n, k) = other.shape();
        self.matmul(&self.bill.shape(k, n)) // no copy is written
    }

    fn transpose(&self) -> Self {
        self.written((self.cols, self.rows))
    }

    fn add(&self, other: &Self) -> Self {
        self.written(same_size("add", self.shape(), other.shape()))
    }

    fn scale(&self, _: f64) -> Self {
        self.written(self.shape())
    }

    fn gather(&self, rows: &[usize]) -> Self {
        self.written(gather_size(self.shape(), rows))
    }

    fn chunk(&self, chunks: usize) -> Vec<Self> {
        let size = chunk_size(self.shape(), chunks);
        (0..chunks).map(|_| self.written(size)).collect()
    }

    fn concat(parts: &[Self]) -> Self {
        let size = concat_size(parts.iter().map(Tensor::shape));
        parts[0].written(size)
    }

    fn constant(&self, values: &Matrix) -> Self {
        self.bill.shape(values.nrows(), values.ncols())
    }
}

impl Softmax for Shape {
    fn softmax(&self, mask: &Mask) -> Self {
        check_mask(self.shape(), mask);
        let seen: usize = mask.visible().iter().map(Range::len).sum();
        let work = Cost { exponentials: seen as u64, ..Cost::default() };
        self.result(self.shape(), work)
    }
}

impl Heads for Shape {}

impl Rowwise for Shape {
    fn add_row(&self, row: &Self) -> Self {
        check_row(self.shape(), row.shape());
        self.written(self.shape())
    }

    fn mul_row(&self, row: &Self) -> Self {
        check_row(self.shape(), row.shape());
        self.written(self.shape())
    }

    fn relu(&self) -> Self {
        self.written(self.shape())
    }

    fn mul_cells(&self, other: &Self) -> Self {
        let size = same_size("mul_cells", self.shape(), other.shape());
        self.written(size)
    }

    fn map_cells(
        &self,
        _: impl Fn(f64) -> f64,
        _: impl Fn(f64) -> f64 + 'static,
    ) -> Self {
        self.written(self.shape())
    }

    fn standardize(&self) -> Self {
        self.written(self.shape())
    }
}

/// A bill makes the parameters of a layer, and counts them.
impl Init<Shape> for Bill {
    fn uniform(&mut self, rows: usize, cols: usize, _: f64) -> Shape {
        self.parameter(rows, cols)
    }

    fn filled(&mut self, rows: usize, cols: usize, _: f64) -> Shape {
        self.parameter(rows, cols)
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

/// The kinds of layers that Table 1 compares, by what a word sees in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayerKind {
    /// The state after the word before.
    Recurrent,
    /// The last k words, its own among them.
    Convolution(usize),
    /// k words, in every layer k times as far apart as in the one below.
    Dilated(usize),
    /// Every word.
    Attention,
    /// The last r words, by attention.
    Restricted(usize),
}

impl LayerKind {
    /// Multiply-adds for `n` words of `d` numbers ("complexity per layer").
    pub fn cost(self, n: usize, d: usize) -> usize {
        match self {
            LayerKind::Recurrent => n * d * d,
            LayerKind::Convolution(k) | LayerKind::Dilated(k) => {
                k * n * d * d
            }
            LayerKind::Attention => n * n * d,
            LayerKind::Restricted(r) => r * n * d,
        }
    }

    /// How many steps must wait for one another ("sequential operations").
    pub fn rounds(self, n: usize) -> usize {
        if self == LayerKind::Recurrent { n } else { 1 }
    }

    /// How many layers, or steps, lead from the first of `n` words to the
    /// last ("maximum path length").
    ///
    /// # Panics
    /// If the layer is one word wide, and so never leads to another word, or
    /// if there are no words.
    pub fn path(self, n: usize) -> usize {
        assert!(n > 0, "a text without words has no path");
        match self {
            LayerKind::Recurrent => n - 1,
            LayerKind::Convolution(k) | LayerKind::Restricted(k) => {
                (n - 1).div_ceil(reach(k))
            }
            LayerKind::Dilated(k) => {
                let far = |layers: &u32| (reach(k) + 1).pow(*layers) >= n;
                (0..).find(far).unwrap() as usize
            }
            LayerKind::Attention => 1,
        }
    }
}

/// How far back `k` words reach.
fn reach(k: usize) -> usize {
    assert!(k > 1, "a layer one word wide leads to no other word");
    k - 1
}

/// Sizes that no model can have here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidConfig {
    /// A size is 0, or far too large.
    #[error("{name} cannot be {size}")]
    Size {
        /// Which size.
        name: &'static str,
        /// What it is.
        size: usize,
    },
    /// Positions are encoded by pairs of numbers.
    #[error("d_model = {d_model} is odd")]
    Odd {
        /// The width of the model.
        d_model: usize,
    },
    /// There would be too many parameters.
    #[error("{parameters} parameters are too many")]
    TooManyParameters {
        /// How many.
        parameters: u128,
    },
}

/// The most parameters that a model may have. In training each of them comes
/// with a copy, two moments and up to four gradients, one for each part, and
/// all together take 32 GiB.
const MAX_PARAMETERS: u128 = 1 << 30;

impl Config {
    /// How many numbers a model of these sizes learns.
    pub fn parameters(&self) -> u128 {
        let sizes = [
            self.vocabulary,
            self.layers,
            self.d_model,
            self.d_ff,
            self.heads,
            self.d_k,
            self.d_v,
        ];
        let [v, n, d, d_ff, h, d_k, d_v] = sizes.map(|size| size as u128);
        let attention = d * h * (2 * d_k + 2 * d_v);
        let norm = 2 * d;
        let feed_forward = 2 * d * d_ff + d_ff + d;
        let encoder = attention + feed_forward + 2 * norm;
        let decoder = 2 * attention + feed_forward + 3 * norm;
        v * d + n * (encoder + decoder)
    }

    /// Whether a model can have these sizes.
    ///
    /// # Errors
    /// If a size is 0 or above a million, there are more than a thousand
    /// layers, d_model is odd, or there would be more than 2³⁰ parameters.
    pub fn check(&self) -> Result<(), InvalidConfig> {
        let Self { vocabulary, layers, d_model, d_ff, heads, d_k, d_v } =
            *self;
        let named = [
            ("vocabulary", vocabulary),
            ("layers", layers),
            ("d_model", d_model),
            ("d_ff", d_ff),
            ("heads", heads),
            ("d_k", d_k),
            ("d_v", d_v),
        ];
        for (name, size) in named {
            let most = if name == "layers" { 1000 } else { 1_000_000 };
            if !(1..=most).contains(&size) {
                return Err(InvalidConfig::Size { name, size });
            }
        }
        if !d_model.is_multiple_of(2) {
            return Err(InvalidConfig::Odd { d_model });
        }
        match self.parameters() {
            0..=MAX_PARAMETERS => Ok(()),
            parameters => {
                Err(InvalidConfig::TooManyParameters { parameters })
            }
        }
    }

    /// These sizes, with which a stack of layers is made, perhaps of none.
    ///
    /// # Panics
    /// If no model can have them.
    pub(crate) fn checked(&self) -> &Self {
        let layers = self.layers.max(1);
        if let Err(invalid) = (Self { layers, ..self.clone() }).check() {
            panic!("no model has these sizes: {invalid}");
        }
        self
    }
}
