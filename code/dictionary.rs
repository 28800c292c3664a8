//! A dictionary query, hard and soft.
//!
//! ```
//! use all_you_need::dictionary::{soft_lookup, softmax};
//!
//! let weights = softmax(&[2.0, 1.0, 0.0]);
//! let price = soft_lookup(&weights, &[10.0, 5.0, 2.0]);
//! assert!(2.0 < price && price < 10.0);
//! ```

/// The value of the first pair whose key equals `query`, if there is one.
pub fn hard_lookup(pairs: &[(&str, f64)], query: &str) -> Option<f64> {
    pairs.iter().find(|(key, _)| *key == query).map(|(_, value)| *value)
}

/// A look-up as a sum over all pairs, Σ (query = key) · value: 0 without a
/// match.
pub fn sum_of_matches(pairs: &[(&str, f64)], query: &str) -> f64 {
    pairs.iter().map(|(key, value)| f64::from(*key == query) * value).sum()
}

/// Σ weight · value: a look-up in which every value counts by its weight.
///
/// # Panics
/// If there are more weights than values, or fewer.
pub fn soft_lookup(weights: &[f64], values: &[f64]) -> f64 {
    assert_eq!(weights.len(), values.len(), "one weight for each value");
    weights.iter().zip(values).map(|(w, v)| w * v).sum()
}

/// Turns any scores into weights, which are positive and sum to 1.
///
/// softmax(s)_j = exp(s_j) / Σ_l exp(s_l)
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    // The highest score becomes 0, so that no exponential overflows.
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exps: Vec<f64> = scores.iter().map(|s| (s - highest).exp()).collect();
    let total: f64 = exps.iter().sum();
    exps.iter().map(|e| e / total).collect()
}
