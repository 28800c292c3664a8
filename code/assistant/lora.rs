//! A model that stays as it is, and narrow matrices beside its own.

use super::Answer;
use crate::layers::LayerOps;
use crate::loss::TiedCrossEntropy;
use crate::parameters::Parameters;
use crate::tensor::{Init, Matrix};
use crate::writer::{Half, TrainingExample};
use std::sync::Arc;

/// Two narrow matrices, whose product is added to a wide one.
#[derive(Clone, Debug)]
pub struct LowRank<T> {
    /// A: d_in × r.
    pub down: T,
    /// B: r × d_out, at first all 0.
    pub up: T,
}

parameters!(LowRank, [down up], [], []);

/// A model that is not changed any more, and what is added to each matrix of
/// its layers.
#[derive(Clone, Debug)]
pub struct Lora<T> {
    /// What is added to the matrices, in their order.
    pub added: Vec<LowRank<T>>,
    /// The model to which it is added.
    pub base: Arc<Half<Matrix>>,
}

parameters!(Lora, [], [added], [base]);

/// The matrices of a model's layers. Norms and biases are single rows.
fn matrices<T: LayerOps>(
    model: &mut Half<T>,
) -> impl Iterator<Item = &mut T> {
    let leaves = model.stack.leaves_mut().into_iter();
    leaves.filter(|leaf| leaf.shape().0 > 1)
}

impl<T: LayerOps> Lora<T> {
    /// Products of this rank, which change nothing yet.
    pub fn new(
        base: &Half<Matrix<f32>>,
        rank: usize,
        init: &mut impl Init<T>,
    ) -> Self {
        let mut base = base.map("", &mut |_, leaf| leaf.map(f64::from));
        let added = matrices(&mut base).map(|w| LowRank {
            down: init.weight(w.nrows(), rank),
            up: init.filled(rank, w.ncols(), 0.0),
        });
        Self { added: added.collect(), base: Arc::new(base) }
    }

    /// The model with what is added to it: each W becomes W + A B.
    ///
    /// # Panics
    /// If nothing is added.
    #[must_use]
    pub fn merged(&self) -> Half<T> {
        let any = &self.added.first().expect("narrow matrices").down;
        let mut model = self.base.map("", &mut |_, w| any.constant(w));
        for (w, LowRank { down, up }) in matrices(&mut model).zip(&self.added)
        {
            *w = w.add(&down.matmul(up));
        }
        model
    }
}

impl<T: LayerOps + TiedCrossEntropy> TrainingExample<Lora<T>, T> for Answer {
    fn answers(&self) -> usize {
        self.tokens().len()
    }

    fn loss(model: &Lora<T>, answers: &[Self], label_smoothing: f64) -> T {
        Self::nats(&model.merged(), answers, label_smoothing)
    }
}
