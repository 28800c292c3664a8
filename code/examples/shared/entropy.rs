//! What is lost if only frequencies are known.

use std::collections::BTreeMap;

/// What each of these tokens costs on average, if a model gives each the
/// probability with which it occurs among them, and knows no more.
pub fn nats<K: Ord>(tokens: &[K]) -> f64 {
    let mut counts = BTreeMap::new();
    for token in tokens {
        *counts.entry(token).or_insert(0.0) += 1.0;
    }
    let shares =
        counts.values().map(|count: &f64| count / tokens.len() as f64);
    shares.map(|p| -p * p.ln()).sum()
}
