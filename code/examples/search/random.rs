//! Random models of twelve words.

#![allow(dead_code)] // Each of two examples takes what it needs.

use all_you_need::encoder::Config;
use all_you_need::loss::log_sum_exp;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use rand::{SeedableRng, rngs::ChaCha8Rng};

pub const SOURCE: [Token; 3] = [2, 3, 4];
pub const LIMIT: usize = 12;

/// A random model of twelve words. Its table is larger than training would
/// begin with, so that it has opinions.
pub fn random(seed: u64) -> Transformer<Matrix> {
    let config = Config {
        vocabulary: 12,
        layers: 1,
        d_model: 8,
        d_ff: 16,
        heads: 2,
        d_k: 4,
        d_v: 4,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut model = Transformer::new(&config, rng);
    model.embedding.table *= 2.5;
    model
}

/// The logits after some tokens.
pub fn logits(model: &Transformer<Matrix>, said: &[usize]) -> Vec<f64> {
    let fed: Vec<Token> = said.iter().map(|&id| id as Token).collect();
    let rows = model.forward(&[SOURCE.to_vec()], &[fed]);
    rows.row(said.len() - 1).iter().copied().collect()
}

/// ln P(Y | X), from begin to end, computed once more.
pub fn recomputed(model: &Transformer<Matrix>, said: &[usize]) -> f64 {
    let log = |n: usize| logarithms(&logits(model, &said[..n]))[said[n]];
    (1..said.len()).map(log).sum()
}

/// The logarithms of probabilities, from logits.
pub fn logarithms(logits: &[f64]) -> Vec<f64> {
    let sum = log_sum_exp(logits);
    logits.iter().map(|logit| logit - sum).collect()
}
