//! From sentences to a trained model (§5).

use crate::optimizer::Adam;
use crate::tensor::Matrix;
use crate::transformer::Transformer;
use serde::{Deserialize, Serialize};

/// How to train.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Target tokens in a batch, about.
    pub tokens: usize,
    /// How many updates of the weights there will be.
    pub updates: usize,
    /// How many of them the rate rises for.
    pub warmup: usize,
    /// The highest rate.
    pub peak: f64,
    /// What part of the numbers is dropped on the way.
    pub dropout: f64,
    /// What part of the target is spread over the whole vocabulary.
    pub smoothing: f64,
    /// Where all random numbers come from.
    pub seed: u64,
}

/// A model on its way. As many updates are made as Adam has taken steps.
#[derive(Clone, Debug)]
pub struct Training {
    /// How.
    pub recipe: Recipe,
    /// What it has become.
    pub model: Transformer<Matrix<f32>>,
    /// What is remembered of the gradients.
    pub adam: Adam<f32>,
}
