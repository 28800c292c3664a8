//! Exercises of the chapter on search.

#[cfg(test)]
#[path = "checks/search.rs"]
mod check;

// Exercise 2

/// The tokens that may not come next, since with them the last `n` tokens
/// would be a run that was said before; each once, from the smallest on. `n`
/// is at least 1.
pub fn forbidden(said: &[usize], n: usize) -> Vec<usize> {
    todo!("where have the last n − 1 tokens been said before?")
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
