use all_you_need::attention::{Mask, weights};
use all_you_need::plain::softmax;
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::{close, largest};

#[path = "../../exercises/checks/attention.rs"]
mod check;

// Exercise 1
//
// Added to the keys, it changes nothing. Every score of a query becomes
// larger by the same number, which is the product of the query with the
// vector, and softmax sees only differences. Added to the queries, it changes
// the weights: the vector is then compared with keys that are not alike.
#[test]
fn a_vector_added_to_all_keys_cancels() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let (q, k): (Matrix, Matrix) =
        (rng.uniform(3, 4, 1.0), rng.uniform(5, 4, 1.0));
    let more = |x: &Matrix| x.map_with_location(|_, j, x| x + j as f64);
    let mask = Mask::none(3, 5);
    let before = weights(&q, &k, &mask);
    close(&weights(&q, &more(&k), &mask), &before, 1e-14);
    assert!(largest(&(weights(&more(&q), &k, &mask) - before)) > 0.1);
}

// Exercise 2
//
// For each query we find the largest score, and then add up two things over
// the keys: the exponentials, and the values times their exponentials. One
// divided by the other is the mixture, so the weights need never be stored.
// Without the subtraction a score above 709 overflows.

/// Attention(Q, K, V) in loops, without a mask.
pub fn in_loops(q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    let mut mixtures = Matrix::zeros(q.nrows(), v.ncols());
    for i in 0..q.nrows() {
        let scale = (k.ncols() as f64).sqrt();
        let score = |j: usize| q.row(i).dot(&k.row(j)) / scale;
        let highest = (0..k.nrows()).map(score).fold(f64::MIN, f64::max);
        let mut sum = 0.0;
        for j in 0..k.nrows() {
            let exponential = (score(j) - highest).exp();
            sum += exponential;
            for c in 0..v.ncols() {
                mixtures[(i, c)] += exponential * v[(j, c)];
            }
        }
        mixtures.row_mut(i).unscale_mut(sum);
    }
    mixtures
}

// Exercise 3
//
// The scores were divided by the root of $d_v$, the width of a value. A score
// is a sum of $d_k$ products, so its size depends on the width of queries and
// keys, and how wide the values are does not matter.

/// Attention(Q, K, V), without a mask.
pub fn attended(q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    let scores = q * k.transpose() / (k.ncols() as f64).sqrt();
    softmax(&scores) * v
}
