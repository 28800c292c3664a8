//! Exercises of the chapter on costs.

use all_you_need::encoder::Config;

#[cfg(test)]
#[path = "checks/costs.rs"]
mod check;

// Exercise 3

/// The multiply-adds of one encoder layer of these sizes for a sentence of n
/// words: of the four projections, of the scores and mixtures of all heads,
/// and of the feed-forward network.
pub fn layer_cost(config: &Config, n: u64) -> u64 {
    todo!("find each matrix product, and multiply its three sizes")
}

// Exercise 4

/// The parameters of one multi-head attention. There is a mistake in it.
pub fn attention_parameters(config: &Config) -> usize {
    4 * config.d_model * config.d_model
}
