//! Layers that came after the paper, each of them a small type: RMSNorm,
//! SwiGLU and GELU, rotary positions, and heads that share keys and values.
//!
//! They are written like the layers of the paper, for any kind of tensor, so
//! they can be trained and counted as well.
//!
//! ```
//! use all_you_need::attention::Mask;
//! use all_you_need::layers::Layer;
//! use all_you_need::published::{GroupedHeads, RmsNorm, Rotary, SwiGlu};
//! use all_you_need::tensor::{Matrix, Tensor};
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let rng = &mut ChaCha8Rng::seed_from_u64(1);
//! let norm: RmsNorm<Matrix> = RmsNorm::new(8, rng);
//! // Four heads of two columns; two of them share their keys and values.
//! let heads: GroupedHeads<Matrix> = GroupedHeads::new([4, 2], 8, 2, rng);
//! let heads = GroupedHeads { rotary: Some(Rotary::new(2)), ..heads };
//! let network = SwiGlu::new(8, 24, rng);
//! let x = Matrix::from_fn(3, 8, |i, j| ((i + j) as f64).sin());
//! let past = Mask::causal(3);
//! let x = x.add(&heads.forward(&norm.forward(&x), &[0, 1, 2], &past));
//! let y = x.add(&network.forward(&norm.forward(&x)));
//! assert_eq!(y.shape(), (3, 8));
//! ```

use crate::attention::Mask;
use crate::costs::Shape;
use crate::gradient::Variable;
use crate::heads::Heads;
use crate::layers::{Layer, LayerOps, Linear};
use crate::tensor::{Float, Init, Matrix, dot, matmul_size};
use nalgebra::DMatrixViewMut;
use rayon::prelude::*;
use std::f64::consts::FRAC_2_PI;

/// A tensor that can be multiplied by a matrix of weights.
pub trait Project: LayerOps {
    /// x W. An implementation may override this with a faster way to the
    /// same numbers.
    ///
    /// # Panics
    /// If the columns of x are not as many as the rows of W.
    #[must_use]
    fn project(&self, weight: &Self) -> Self {
        self.matmul(weight)
    }
}

impl Project for Shape {}

impl<F: Float> Project for Variable<F> {}

/// With so few rows, a product takes as long as it takes to read the weights
/// once.
const FEW_ROWS: usize = 4;

/// How many columns are computed together, whatever the number of threads:
/// nalgebra rounds a product of few columns in another way.
const COLUMNS: usize = 128;

/// Several threads share the columns of W, which lie one after the other in
/// memory.
impl<F: Float> Project for Matrix<F> {
    fn project(&self, weight: &Self) -> Self {
        let (n, m) = matmul_size(self.shape(), weight.shape());
        let mut y = Self::zeros(n, m);
        if y.is_empty() {
            return y;
        }
        let x_t = self.transpose(); // each row in one piece
        let blocks = y.as_mut_slice().par_chunks_mut(n * COLUMNS);
        blocks.enumerate().for_each(|(i, block)| {
            let w = weight.columns(i * COLUMNS, block.len() / n);
            if n <= FEW_ROWS {
                let rows = w
                    .column_iter()
                    .flat_map(|w| x_t.column_iter().map(move |x| (x, w)));
                for (y, (x, w)) in block.iter_mut().zip(rows) {
                    *y = dot(x.as_slice(), w.as_slice());
                }
            } else {
                let mut y = DMatrixViewMut::from_slice(block, n, w.ncols());
                y.gemm(F::one(), self, &w, F::zero());
            }
        });
        y
    }
}

/// x / √(mean(x²) + ε) · γ, row by row (Zhang and Sennrich, 2019).
#[derive(Clone, Debug)]
pub struct RmsNorm<T> {
    /// γ: 1 × d_model.
    pub gain: T,
    /// ε, which keeps a row of zeros from a division by 0.
    pub epsilon: f64,
}

parameters!(RmsNorm, [gain], [], [epsilon]);

impl<T: LayerOps> RmsNorm<T> {
    /// The norm with γ = 1, and ε = 10⁻⁵.
    pub fn new(d_model: usize, init: &mut impl Init<T>) -> Self {
        Self { gain: init.filled(1, d_model, 1.0), epsilon: 1e-5 }
    }
}

impl<T: LayerOps> Layer<T> for RmsNorm<T> {
    fn forward(&self, x: &T) -> T {
        let (d, epsilon) = (x.shape().1, self.epsilon);
        let mean = Matrix::from_element(d, 1, 1.0 / d as f64);
        let squares = x.mul_cells(x).matmul(&x.constant(&mean)); // n × 1
        let factors = squares.map_cells(
            move |s| (s + epsilon).powf(-0.5),
            move |s| -0.5 * (s + epsilon).powf(-1.5),
        );
        let wide = factors.matmul(&x.constant(&Matrix::repeat(1, d, 1.0)));
        x.mul_cells(&wide).mul_row(&self.gain)
    }
}

/// x σ(x), cell by cell: SiLU, or Swish.
#[must_use]
pub fn silu<T: LayerOps>(x: &T) -> T {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    x.map_cells(
        move |x| x * sigmoid(x),
        move |x| sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))),
    )
}

/// x Φ(x), cell by cell, with a tanh for the normal distribution Φ, as GPT-2
/// computes it: GELU (Hendrycks and Gimpel, 2016).
#[must_use]
pub fn gelu<T: LayerOps>(x: &T) -> T {
    let c = FRAC_2_PI.sqrt();
    let tanh = move |x: f64| (c * (x + 0.044715 * x.powi(3))).tanh();
    x.map_cells(
        move |x| 0.5 * x * (1.0 + tanh(x)),
        move |x| {
            let (t, slope) = (tanh(x), c * (1.0 + 3.0 * 0.044715 * x * x));
            0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * slope
        },
    )
}

/// (SiLU(x W) ∘ x V) U: one product opens and closes the other, cell by cell
/// (Shazeer, 2020).
#[derive(Clone, Debug)]
pub struct SwiGlu<T> {
    /// W: d_model × d_ff.
    pub gate: T,
    /// V: d_model × d_ff.
    pub value: T,
    /// U: d_ff × d_model.
    pub output: T,
}

parameters!(SwiGlu, [gate value output], [], []);

impl<T: Project> SwiGlu<T> {
    /// A random network with `d_ff` hidden units.
    pub fn new(d_model: usize, d_ff: usize, init: &mut impl Init<T>) -> Self {
        Self {
            gate: init.weight(d_model, d_ff),
            value: init.weight(d_model, d_ff),
            output: init.weight(d_ff, d_model),
        }
    }
}

impl<T: Project> Layer<T> for SwiGlu<T> {
    fn forward(&self, x: &T) -> T {
        let gate = silu(&x.project(&self.gate));
        let value = x.project(&self.value);
        gate.mul_cells(&value).project(&self.output)
    }
}

/// GELU(x W₁ + b₁) W₂ + b₂: feed-forward with another bend.
#[derive(Clone, Debug)]
pub struct Gelu<T> {
    /// W₁ and b₁: d_model × d_ff.
    pub inner: Linear<T>,
    /// W₂ and b₂: d_ff × d_model.
    pub outer: Linear<T>,
}

parameters!(Gelu, [], [inner outer], []);

impl<T: LayerOps> Gelu<T> {
    /// A random network with `d_ff` hidden units.
    pub fn new(d_model: usize, d_ff: usize, init: &mut impl Init<T>) -> Self {
        Self {
            inner: Linear::new(d_model, d_ff, init),
            outer: Linear::new(d_ff, d_model, init),
        }
    }
}

impl<T: Project> Layer<T> for Gelu<T> {
    fn forward(&self, x: &T) -> T {
        let Self { inner, outer } = self;
        let hidden = x.project(&inner.weight).add_row(&inner.bias);
        gelu(&hidden).project(&outer.weight).add_row(&outer.bias)
    }
}

/// Rotary positions (Su et al., 2021): every query and every key is turned,
/// two columns at a time, by the angles of its place, so that their dot
/// product depends on how far they are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotary {
    /// The columns of a head: d_k. It is even.
    pub d_k: usize,
    /// θ: column i turns by θ^(−2i/d_k) for each place, together with column
    /// i + d_k/2.
    pub base: f64,
}

impl Rotary {
    /// The angles of the paper's positions, with θ = 10000.
    pub fn new(d_k: usize) -> Self {
        Self { d_k, base: 10000.0 }
    }

    /// Turns row i of each head by the angles of `places[i]`. The heads are
    /// side by side: n × h·d_k.
    ///
    /// # Panics
    /// If d_k is odd or does not divide the columns, or the places are not as
    /// many as the rows.
    #[must_use]
    pub fn turn<T: LayerOps>(&self, x: &T, places: &[usize]) -> T {
        let (d_k, (_, columns)) = (self.d_k, x.shape());
        let fits =
            d_k > 0 && d_k.is_multiple_of(2) && columns.is_multiple_of(d_k);
        assert!(fits, "rotary: {columns} columns are no heads of {d_k}");
        let [cos, sin] = [f64::cos, f64::sin].map(|wave| {
            let angles = self.angles(places).map(wave);
            x.constant(&angles)
        });
        let turned = x.chunk(2 * columns / d_k);
        let pairs = turned.as_chunks().0.iter().flat_map(|[a, b]| {
            let minus = b.mul_cells(&sin).scale(-1.0);
            let left = a.mul_cells(&cos).add(&minus);
            [left, a.mul_cells(&sin).add(&b.mul_cells(&cos))]
        });
        T::concat(&pairs.collect::<Vec<_>>())
    }

    /// By how much each pair of columns turns at each place: n × d_k/2.
    fn angles(&self, places: &[usize]) -> Matrix {
        let Self { d_k, base } = *self;
        let speed = |i: usize| base.powf(-2.0 * i as f64 / d_k as f64);
        let angle = |row: usize, i| places[row] as f64 * speed(i);
        Matrix::from_fn(places.len(), d_k / 2, angle)
    }
}

/// Heads of which several share their keys and values (Ainslie et al., 2023).
/// With one group they all share them, and with as many groups as heads it is
/// the attention of the paper.
#[derive(Clone, Debug)]
pub struct GroupedHeads<T> {
    /// The number of heads: h.
    pub heads: usize,
    /// How many different keys and values they have: g, a divisor of h.
    pub groups: usize,
    /// How queries and keys are turned by their places, if they are.
    pub rotary: Option<Rotary>,
    /// The query projections of all heads: d_model × h·d_k.
    pub w_q: T,
    /// The key projections of all groups: d_model × g·d_k.
    pub w_k: T,
    /// The value projections of all groups: d_model × g·d_k.
    pub w_v: T,
    /// The output projection: h·d_k × d_model.
    pub w_o: T,
}

parameters!(GroupedHeads, [w_q w_k w_v w_o], [], [heads groups rotary]);

impl<T: Project> GroupedHeads<T> {
    /// Random heads without positions, h of them in g groups, that read and
    /// write rows of `d_model` numbers and have `d_k` columns each.
    ///
    /// # Panics
    /// If g does not divide h, or all heads together are too wide for a
    /// matrix.
    pub fn new(
        [heads, groups]: [usize; 2],
        d_model: usize,
        d_k: usize,
        init: &mut impl Init<T>,
    ) -> Self {
        check_groups([heads, groups]);
        let wide = || panic!("{heads} heads of {d_k} columns are too wide");
        let q = heads.checked_mul(d_k).unwrap_or_else(wide);
        let k = groups * d_k;
        let fan_out = q + 2 * k;
        Self {
            heads,
            groups,
            rotary: None,
            w_q: init.fused_weight(d_model, q, fan_out),
            w_k: init.fused_weight(d_model, k, fan_out),
            w_v: init.fused_weight(d_model, k, fan_out),
            w_o: init.weight(q, d_model),
        }
    }

    /// Self-attention: the rows of `x`, n × d_model, attend to each other.
    /// Row i is at place `places[i]` of its text.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[must_use]
    pub fn forward(&self, x: &T, places: &[usize], mask: &Mask) -> T {
        let [q, k] = [&self.w_q, &self.w_k]
            .map(|weight| self.turn(&x.project(weight), places));
        let v = x.project(&self.w_v);
        let found = by_group(&q, [self.heads, self.groups], |q| {
            T::attend_heads(q, &k, &v, self.groups, mask)
        });
        found.project(&self.w_o)
    }

    /// Queries or keys, turned by their places.
    pub(super) fn turn(&self, x: &T, places: &[usize]) -> T {
        let turned = self.rotary.map(|rotary| rotary.turn(x, places));
        turned.unwrap_or_else(|| x.clone())
    }
}

fn check_groups([heads, groups]: [usize; 2]) {
    let fits = groups > 0 && heads > 0 && heads.is_multiple_of(groups);
    assert!(fits, "{heads} heads cannot share {groups} keys and values");
}

/// Attention of h heads in g groups, n × h·d_k, by an attention of g heads:
/// the first members of all groups ask together, then the second ones.
///
/// # Panics
/// If the sizes do not fit.
#[must_use]
pub fn by_group<T: Heads>(
    q: &T,
    [heads, groups]: [usize; 2],
    attend: impl Fn(&T) -> T,
) -> T {
    check_groups([heads, groups]);
    let (q, members) = (q.chunk(heads), heads / groups);
    let found: Vec<Vec<T>> = (0..members)
        .map(|member| {
            let asking = q.iter().skip(member).step_by(members).cloned();
            attend(&T::concat(&asking.collect::<Vec<_>>())).chunk(groups)
        })
        .collect();
    let head = |i: usize| found[i % members][i / members].clone();
    T::concat(&(0..heads).map(head).collect::<Vec<_>>())
}
