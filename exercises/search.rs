//! Exercises of the chapter on search.

#[cfg(test)]
#[path = "checks/search.rs"]
mod check;

// Exercise 2

/// Top-p: the fewest of the most probable tokens that have at least `p` of
/// the probability together; of equals the first. All others get 0, and the
/// sum is 1 again.
pub fn nucleus(probabilities: &[f64], p: f64) -> Vec<f64> {
    todo!("sort, add up until there is enough, and divide by the sum")
}

// Exercise 4

/// The best `width` continuations of some hypotheses: the place of the
/// hypothesis that is continued, the token, and the log-probability of both
/// together. There is a mistake in it.
///
/// `sums` has the log-probability of each hypothesis so far, and `next` for
/// each of them those of all tokens.
pub fn best_of_all(
    sums: &[f64],
    next: &[Vec<f64>],
    width: usize,
) -> Vec<(usize, usize, f64)> {
    let mut all = Vec::new();
    for (parent, next) in next.iter().enumerate() {
        for (token, log) in next.iter().enumerate() {
            all.push((parent, token, sums[parent] + log));
        }
    }
    all.sort_by(|a, b| b.2.total_cmp(&a.2));
    all.truncate(width);
    let best = all.into_iter().enumerate();
    best.map(|(parent, (_, token, sum))| (parent, token, sum)).collect()
}
