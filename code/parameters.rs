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

/// Implements [`Parameters`] for a layer: its own parameters, the layers it
/// consists of, and its plain sizes.
macro_rules! parameters {
    ($layer:ident, [$($leaf:ident)*], [$($part:ident)*], [$($size:ident)*]) => {
        impl<T> Parameters<T> for $layer<T> {
            type With<U> = $layer<U>;

            fn map<'a, U>(
                &'a self,
                name: &str,
                f: &mut dyn FnMut(&str, &'a T) -> U,
            ) -> $layer<U>
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
                        self.$part.map(&name, f)
                    },)*
                    $($size: self.$size,)*
                }
            }

            fn leaves_mut(&mut self) -> Vec<&mut T> {
                let leaves = [$(&mut self.$leaf),*].into_iter();
                $(let leaves = leaves.chain(self.$part.leaves_mut());)*
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
    EncoderLayer,
    [],
    [attention attention_norm feed_forward feed_forward_norm],
    []
);
parameters!(Encoder, [], [layers], []);
parameters!(
    DecoderLayer,
    [],
    [self_attention self_norm cross_attention cross_norm
     feed_forward feed_forward_norm],
    []
);
parameters!(Decoder, [], [layers], []);
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
