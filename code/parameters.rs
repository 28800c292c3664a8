//! A model as a tree of parameters, and the gradient of its loss: a tree of
//! the same form.
//!
//! ```
//! use all_you_need::layers::Linear;
//! use all_you_need::parameters::{gradient, parameter_count};
//! use all_you_need::tensor::{Matrix, Tensor};
//! use nalgebra::dmatrix;
//!
//! let layer: Linear<Matrix> =
//!     Linear { weight: dmatrix![2.0; 1.0], bias: dmatrix![0.5] };
//! let x = dmatrix![1.0, 3.0];
//! let (loss, tree) =
//!     gradient(&layer, |layer| layer.forward(&layer.weight.constant(&x)));
//! assert_eq!(loss, 5.5);
//! assert_eq!(tree.weight, dmatrix![1.0; 3.0]);
//! assert_eq!(parameter_count(&layer), 3);
//! ```

use crate::decoder::{Decoder, DecoderLayer};
use crate::embedding::Embedding;
use crate::encoder::{Encoder, EncoderLayer};
use crate::gradient::{Tape, Variable};
use crate::heads::MultiHead;
use crate::layers::{FeedForward, LayerNorm, Linear};
use crate::tensor::{Float, Matrix, Tensor};
use crate::transformer::Transformer;
use std::sync::Arc;
use thiserror::Error;

/// A layer or a model as a tree whose leaves are its parameters, of type
/// `T`.
pub trait Parameters<T> {
    /// A tree of the same form with leaves of another type.
    type With<U>;

    /// The tree in which every leaf is replaced by what `f` makes of it. `f`
    /// also gets the leaf's name, such as `encoder.layers.0.attention.w_q`,
    /// which begins with `name`.
    fn map<'a, U>(
        &'a self,
        name: &str,
        f: &mut dyn FnMut(&str, &'a T) -> U,
    ) -> Self::With<U>
    where
        T: 'a;

    /// All leaves with their names, in the order of [`map`](Self::map).
    fn leaves<'a>(&'a self) -> Vec<(String, &'a T)>
    where
        T: 'a,
    {
        let mut leaves = Vec::new();
        self.map("", &mut |name, leaf| leaves.push((name.to_owned(), leaf)));
        leaves
    }

    /// All leaves, to be changed, in the order of [`map`](Self::map).
    fn leaves_mut(&mut self) -> Vec<&mut T>;
}

/// Implements [`Parameters`](crate::parameters::Parameters) for a layer, a
/// struct that is generic in the type of its parameters: first the fields
/// that are parameters, then those that are layers, then what is not learned,
/// such as sizes.
///
/// ```
/// use all_you_need::layers::{LayerOps, Linear};
/// use all_you_need::parameters;
/// use all_you_need::parameters::parameter_count;
/// use all_you_need::tensor::{Init, Matrix};
///
/// /// x A B, where A is narrow, so that it has few parameters.
/// struct LowRank<T> {
///     narrow: T,
///     wide: Linear<T>,
///     rank: usize,
/// }
///
/// parameters!(LowRank, [narrow], [wide], [rank]);
///
/// impl<T: LayerOps> LowRank<T> {
///     fn new(d: usize, rank: usize, init: &mut impl Init<T>) -> Self {
///         let narrow = init.weight(d, rank);
///         Self { narrow, wide: Linear::new(rank, d, init), rank }
///     }
/// }
///
/// use rand::{SeedableRng, rngs::ChaCha8Rng};
/// let rng = &mut ChaCha8Rng::seed_from_u64(1);
/// let layer: LowRank<Matrix> = LowRank::new(64, 2, rng);
/// assert_eq!(parameter_count(&layer), 64 * 2 + 2 * 64 + 64);
/// ```
///
/// If the struct is generic in its layers as well, their types are named
/// after it, as in `parameters!(Block<N, M>, [], [norm network], [])` for a
/// `Block<T, N, M>`.
#[macro_export]
macro_rules! parameters {
    (
        $layer:ident $(<$($kind:ident),+>)?,
        [$($leaf:ident)*], [$($part:ident)*], [$($size:ident)*]
    ) => {
        impl<T $($(, $kind)+)?> $crate::parameters::Parameters<T>
            for $layer<T $($(, $kind)+)?>
        $(where $($kind: $crate::parameters::Parameters<T>),+)?
        {
            type With<U> = $layer<
                U $($(, <$kind as $crate::parameters::Parameters<T>>::With<U>)+)?
            >;

            fn map<'a, U>(
                &'a self,
                name: &str,
                f: &mut dyn FnMut(&str, &'a T) -> U,
            ) -> Self::With<U>
            where
                T: 'a,
            {
                $layer {
                    $($leaf: {
                        let name = format!("{name}{}", stringify!($leaf));
                        f(&name, &self.$leaf)
                    },)*
                    $($part: {
                        let name = format!("{name}{}.", stringify!($part));
                        $crate::parameters::Parameters::map(&self.$part, &name, f)
                    },)*
                    $($size: ::std::clone::Clone::clone(&self.$size),)*
                }
            }

            fn leaves_mut(&mut self) -> Vec<&mut T> {
                let leaves = [$(&mut self.$leaf),*].into_iter();
                $(let leaves = leaves.chain(
                    $crate::parameters::Parameters::leaves_mut(&mut self.$part),
                );)*
                leaves.collect()
            }
        }
    };
}

parameters!(Embedding, [table], [], []);
parameters!(MultiHead, [w_q w_k w_v w_o], [], [heads]);
parameters!(Linear, [weight bias], [], []);
parameters!(LayerNorm, [gain bias], [], []);
parameters!(FeedForward, [], [inner outer], []);
parameters!(
    EncoderLayer<N, M>,
    [],
    [attention attention_norm feed_forward feed_forward_norm],
    []
);
parameters!(Encoder<N, M>, [], [layers], []);
parameters!(
    DecoderLayer<N, M>,
    [],
    [self_attention self_norm cross_attention cross_norm
     feed_forward feed_forward_norm],
    []
);
parameters!(Decoder<N, M>, [], [layers], []);
parameters!(Transformer, [], [embedding encoder decoder], []);

impl<T, L: Parameters<T>> Parameters<T> for Vec<L> {
    type With<U> = Vec<L::With<U>>;

    fn map<'a, U>(
        &'a self,
        name: &str,
        f: &mut dyn FnMut(&str, &'a T) -> U,
    ) -> Self::With<U>
    where
        T: 'a,
    {
        let layers = self.iter().enumerate();
        layers
            .map(|(i, layer)| layer.map(&format!("{name}{i}."), f))
            .collect()
    }

    fn leaves_mut(&mut self) -> Vec<&mut T> {
        self.iter_mut().flat_map(Parameters::leaves_mut).collect()
    }
}

/// Each leaf of one tree with the same leaf of another.
///
/// # Panics
/// If the trees have different leaves, or leaves of different sizes.
pub fn zip<'a, T: Tensor + 'a, U: Tensor + 'a>(
    one: &'a mut impl Parameters<T>,
    other: &'a impl Parameters<U>,
) -> Vec<(&'a mut T, &'a U)> {
    let (ones, others) = (one.leaves_mut(), other.leaves());
    let (n, m) = (ones.len(), others.len());
    assert!(n == m, "a tree of {n} leaves meets a tree of {m}");
    let pair = |(one, (name, other)): (&'a mut T, (String, &'a U))| {
        let (own, its) = (one.shape(), other.shape());
        assert!(own == its, "{name}: a leaf {own:?} meets a leaf {its:?}");
        (one, other)
    };
    ones.into_iter().zip(others).map(pair).collect()
}

/// Adds every leaf of `other` to the same leaf of `sum`.
///
/// # Panics
/// If the trees have different leaves, or leaves of different sizes.
pub fn add_into<F, L>(sum: &mut L, other: &L)
where
    F: Float,
    L: Parameters<Matrix<F>>,
{
    zip(sum, other).into_iter().for_each(|(sum, leaf)| *sum += leaf);
}

/// How many numbers a layer or a model learns.
pub fn parameter_count<T: Tensor>(layer: &impl Parameters<T>) -> usize {
    let size = |(_, leaf): (String, &T)| {
        let (rows, cols) = leaf.shape();
        rows * cols
    };
    layer.leaves().into_iter().map(size).sum()
}

/// A tree of matrices that a tape can take: every layer and every model.
pub trait Trainable<F: Float>:
    Parameters<Matrix<F>, With<Arc<Matrix<F>>> = Self::Shared>
{
    /// The same tree, whose matrices several tapes can read without a copy.
    type Shared: Parameters<Arc<Matrix<F>>, With<Variable<F>> = Self::OnTape>;

    /// The same tree on a tape.
    type OnTape: Parameters<Variable<F>, With<Matrix<F>> = Self>;

    /// A copy to be shared by tapes.
    #[must_use]
    fn share(&self) -> Self::Shared {
        self.map("", &mut |_, leaf| Arc::new(leaf.clone()))
    }
}

impl<F, L, S, V> Trainable<F> for L
where
    F: Float,
    L: Parameters<Matrix<F>, With<Arc<Matrix<F>>> = S>,
    S: Parameters<Arc<Matrix<F>>, With<Variable<F>> = V>,
    V: Parameters<Variable<F>, With<Matrix<F>> = L>,
{
    type Shared = S;
    type OnTape = V;
}

/// The loss of a model, 1 × 1, and its gradient: a tree like the model.
///
/// # Panics
/// If the loss is not a single number.
#[must_use]
pub fn gradient<F: Float, L: Trainable<F>>(
    model: &L,
    loss: impl FnOnce(&L::OnTape) -> Variable<F>,
) -> (F, L) {
    gradient_on::<F, L>(&Tape::default(), &model.share(), loss)
}

/// The same as [`gradient`], for a model that is shared between several
/// tapes, and on a given tape, which may have dropout.
///
/// # Panics
/// If the loss is not a single number.
#[must_use]
pub fn gradient_on<F: Float, L: Trainable<F>>(
    tape: &Tape<F>,
    model: &L::Shared,
    loss: impl FnOnce(&L::OnTape) -> Variable<F>,
) -> (F, L) {
    let model = model.map("", &mut |_, leaf| tape.variable(leaf.clone()));
    let loss = loss(&model);
    let mut gradients = tape.gradients(&loss);
    (loss.value()[0], model.map("", &mut |_, leaf| gradients.take(leaf)))
}

/// A part of a gradient that is not the slope of the loss.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "{leaf}, row {row}, column {column}: the gradient is {found}, and the \
     slope of the loss is {slope}"
)]
#[non_exhaustive]
pub struct WrongGradient {
    /// The name of the leaf.
    pub leaf: String,
    /// The row of the number, counted from 0.
    pub row: usize,
    /// Its column, counted from 0.
    pub column: usize,
    /// What the gradient says.
    pub found: f64,
    /// How fast the loss rises with this number, as two-sided differences
    /// say.
    pub slope: f64,
}

/// How far a number is moved to each side to measure a slope.
const NUDGE: f64 = 1e-5;

/// How far a gradient and a slope may be apart, as a part of the larger one
/// of slope and 1.
const TOLERANCE: f64 = 1e-6;

/// Compares the gradient of a loss with two-sided differences,
/// (loss(w + h) − loss(w − h)) / 2h, for every number w of a model. This
/// takes two passes for each, so the model should be small, and its loss of
/// about the size of 1.
///
/// ```
/// use all_you_need::layers::Linear;
/// use all_you_need::parameters::check_gradient;
/// use all_you_need::tensor::{Matrix, Tensor};
/// use nalgebra::dmatrix;
///
/// let layer: Linear<Matrix> =
///     Linear { weight: dmatrix![2.0; 1.0], bias: dmatrix![0.5] };
/// let x = dmatrix![1.0, 3.0];
/// check_gradient(&layer, |layer| {
///     let y = layer.forward(&layer.weight.constant(&x));
///     y.matmul(&y)
/// })?;
/// # Ok::<(), all_you_need::parameters::WrongGradient>(())
/// ```
///
/// # Errors
/// The first number whose gradient is not the slope.
///
/// # Panics
/// If the loss is not a single number.
pub fn check_gradient<L: Trainable<f64>>(
    model: &L,
    loss: impl Fn(&L::OnTape) -> Variable<f64>,
) -> Result<(), WrongGradient> {
    let (_, tree) = gradient(model, &loss);
    let leaves = tree.leaves().into_iter().enumerate();
    for (i, (leaf, gradient)) in leaves {
        for (cell, &found) in gradient.iter().enumerate() {
            let nudged = |by: f64| nudged_loss(model, &loss, (i, cell), by);
            let slope = (nudged(NUDGE) - nudged(-NUDGE)) / (2.0 * NUDGE);
            let apart = (found - slope).abs();
            let is_slope = apart <= TOLERANCE * slope.abs().max(1.0);
            if !is_slope {
                let (row, column) = gradient.vector_to_matrix_index(cell);
                return Err(WrongGradient {
                    leaf,
                    row,
                    column,
                    found,
                    slope,
                });
            }
        }
    }
    Ok(())
}

/// The loss of a model in which one number of one leaf is changed.
fn nudged_loss<L: Trainable<f64>>(
    model: &L,
    loss: impl Fn(&L::OnTape) -> Variable<f64>,
    (changed, cell): (usize, usize),
    by: f64,
) -> f64 {
    let (tape, mut i) = (Tape::default(), 0);
    let model = model.share().map("", &mut |_, leaf| {
        let mut leaf = Matrix::clone(leaf);
        if i == changed {
            leaf[cell] += by;
        }
        i += 1;
        tape.variable(leaf)
    });
    loss(&model).value()[0]
}
