//! A dictionary query, hard and soft.

/// The value of the first key that equals `query`, if there is one.
pub fn hard_lookup(pairs: &[(&str, f64)], query: &str) -> Option<f64> {
    pairs.iter().find(|(key, _)| *key == query).map(|(_, value)| *value)
}

/// The same question as a sum over all pairs: Σ (query = key) · value.
pub fn sum_of_matches(pairs: &[(&str, f64)], query: &str) -> f64 {
    pairs.iter().map(|(key, value)| f64::from(*key == query) * value).sum()
}

/// Σ weight · value: what is left of the sum when equality becomes a degree.
///
/// # Panics
/// If there are more weights than values, or fewer.
pub fn soft_lookup(weights: &[f64], values: &[f64]) -> f64 {
    assert_eq!(weights.len(), values.len(), "one weight for each value");
    weights.iter().zip(values).map(|(w, v)| w * v).sum()
}

/// Any scores, as weights: positive, and 1 in all.
///
/// softmax(s)_j = exp(s_j) / Σ_l exp(s_l)
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    // The highest score becomes 0, so that no exponential overflows.
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> =
        scores.iter().map(|s| (s - highest).exp()).collect();
    let total: f64 = powers.iter().sum();
    powers.iter().map(|p| p / total).collect()
}
