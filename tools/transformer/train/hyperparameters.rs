//! How the model is trained.

use crate::flags::{self, misuse};
use all_you_need::training::Recipe;
use clap::Args;

/// How the model is trained.
#[derive(Args)]
pub struct Hyperparameters {
    /// The size of a batch in target tokens.
    #[arg(long, value_parser = flags::count)]
    batch_tokens: Option<usize>,
    /// Into how many parts a batch is cut, which can be computed at the same
    /// time: more than four threads need more parts.
    #[arg(long, value_parser = flags::parts)]
    parts: Option<usize>,
    /// The number of updates of the weights.
    #[arg(long, value_parser = flags::count)]
    updates: Option<usize>,
    /// The number of updates in which the learning rate rises.
    #[arg(long, value_parser = flags::count)]
    warmup: Option<usize>,
    /// The highest learning rate.
    #[arg(long, value_parser = flags::learning_rate)]
    peak_lr: Option<f64>,
    /// The part of the numbers that dropout sets to 0.
    #[arg(long, value_parser = flags::part)]
    dropout: Option<f64>,
    /// λ of the weight decay: a step with learning rate η multiplies every
    /// parameter with 1 − ηλ.
    #[arg(long, value_parser = flags::part)]
    weight_decay: Option<f64>,
    /// The part of the target that is spread over the whole vocabulary.
    #[arg(long, value_parser = flags::part)]
    label_smoothing: Option<f64>,
    /// Where all random numbers come from: the same seed gives the same
    /// model.
    #[arg(long, default_value = "1", value_parser = flags::seed)]
    pub seed: u64,
}

impl Hyperparameters {
    /// The usual recipe, with what the flags change.
    pub fn of(&self, usual: &Recipe) -> Recipe {
        let recipe = Recipe {
            batch_tokens: self.batch_tokens.unwrap_or(usual.batch_tokens),
            parts: self.parts.unwrap_or(usual.parts),
            updates: self.updates.unwrap_or(usual.updates),
            bidirectional_updates: usual.bidirectional_updates,
            warmup: self.warmup.unwrap_or(usual.warmup),
            peak_lr: self.peak_lr.unwrap_or(usual.peak_lr),
            dropout: self.dropout.unwrap_or(usual.dropout),
            weight_decay: self.weight_decay.unwrap_or(usual.weight_decay),
            label_smoothing: self
                .label_smoothing
                .unwrap_or(usual.label_smoothing),
            seed: self.seed,
        };
        recipe.check().unwrap_or_else(|error| misuse(error));
        recipe
    }
}
