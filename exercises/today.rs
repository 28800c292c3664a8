//! Exercises of the chapter on what changed.

use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/today.rs"]
mod check;

// Exercise 2

/// The part of the highest learning rate at this update, counted from 1: it
/// rises in a straight line to 1 at update `warmup`, stays there, and falls in
/// the last `fall` updates in a straight line to 0 at the last.
pub fn share(step: usize, warmup: usize, fall: usize, updates: usize) -> f64 {
    todo!("which of two straight lines and 1 is the lowest?")
}

// Exercise 3

/// What one query, 1 × d_k, finds among the last `recent` of m keys, which it
/// meets block by block. There is a mistake in it.
pub fn latest(
    recent: usize,
    block: usize,
    q: &Matrix,
    k: &Matrix,
    v: &Matrix,
) -> Matrix {
    let m = k.nrows();
    let (mut highest, mut sum) = (f64::NEG_INFINITY, 0.0);
    let mut mixed = Matrix::zeros(1, v.ncols());
    for start in (0..m).step_by(block) {
        let size = block.min(m - start);
        let scores = q * k.rows(start, size).transpose();
        let mut scores = scores / (q.ncols() as f64).sqrt();
        for j in (0..size).filter(|j| start + j + recent < m) {
            scores[j] = f64::NEG_INFINITY; // hidden
        }
        let higher = scores.max().max(highest);
        let shrink = (highest - higher).exp();
        let exps = scores.map(|score| (score - higher).exp());
        sum = sum * shrink + exps.sum();
        mixed = mixed * shrink + exps * v.rows(start, size);
        highest = higher;
    }
    mixed / sum
}
