//! What came later, as plain functions beside those of the first part.

use super::{Matrix, causal, softmax};

/// One head whose scores fall with distance, by `rate` for each place: ALiBi.
/// From n × d_k, n × d_k and n × d_v to n × d_v.
pub fn distant(rate: f64, q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    let (n, d_k) = q.shape();
    let far = Matrix::from_fn(n, n, |i, j| rate * (j as f64 - i as f64));
    let scores = q * k.transpose() / (d_k as f64).sqrt();
    softmax(&(scores + far + causal(n))) * v
}

/// Keys and values of all heads from one narrow row for each token, which is
/// all that a cache must keep. From n × d_model to twice n × h·d_k.
pub fn latent([narrow, w_k, w_v]: &[Matrix; 3], x: &Matrix) -> [Matrix; 2] {
    let kept = x * narrow; // n × c
    [&kept * w_k, &kept * w_v]
}

/// Each row of x goes to the two networks with the highest scores, and gets
/// what they make of it, in the ratio of the softmax of the two.
pub fn experts(
    router: &Matrix,
    networks: &[impl Fn(&Matrix) -> Matrix],
    x: &Matrix,
) -> Matrix {
    let mut y = x.clone();
    for (i, scores) in (x * router).row_iter().enumerate() {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let two = Matrix::from_fn(1, 2, |_, j| scores[order[j]]);
        let (share, row) = (softmax(&two), x.rows(i, 1).into_owned());
        let [a, b] = [0, 1].map(|j| networks[order[j]](&row) * share[j]);
        y.row_mut(i).copy_from(&(a + b));
    }
    y
}

/// About the nearest matrix whose singular values are all 1, for a gradient
/// with no more rows than columns: the direction of Muon's step.
pub fn muon(gradient: &Matrix) -> Matrix {
    let mut x = gradient / gradient.norm();
    for _ in 0..5 {
        let square = &x * x.transpose();
        let inner = &square * &square * 2.0315 - square * 4.7750;
        x = &x * 3.4445 + inner * x;
    }
    x
}

/// Attention that sees the keys block by block, and never all scores at once:
/// from n × d_k, m × d_k and m × d_v to n × d_v.
pub fn in_blocks(block: usize, q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    let mut found = Matrix::zeros(q.nrows(), v.ncols());
    for i in 0..q.nrows() {
        let (mut highest, mut sum) = (f64::NEG_INFINITY, 0.0);
        let mut mixed = Matrix::zeros(1, v.ncols());
        for start in (0..k.nrows()).step_by(block) {
            let size = block.min(k.nrows() - start);
            let scores = q.rows(i, 1) * k.rows(start, size).transpose();
            let scores = scores / (q.ncols() as f64).sqrt();
            let higher = scores.max().max(highest);
            let shrink = (highest - higher).exp(); // 0 before the first block
            let exps = scores.map(|score| (score - higher).exp());
            sum = sum * shrink + exps.sum();
            mixed = mixed * shrink + exps * v.rows(start, size);
            highest = higher;
        }
        found.row_mut(i).copy_from(&(mixed / sum));
    }
    found
}
