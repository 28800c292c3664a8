use all_you_need::attention::{Mask, Softmax, weights};
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
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
// The slope is $p(1 - p)$: weight times (value − answer), with the values 1
// and 0. It is 0.005 where $1 - p$ is about 0.005, and then the scores differ
// by ln(0.995/0.005) = 5.3. Raising the score by 0.1 moves the weight by no
// more than 0.0005 from there on.
#[test]
fn scores_that_differ_by_5_hardly_respond() {
    let weight = |a: f64| dmatrix![a, 0.0].softmax(&Mask::none(1, 2))[0];
    let moved = |a: f64| weight(a + 0.1) - weight(a);
    assert!(moved(5.3) < 0.0005 && moved(5.2) > 0.0005);
}

// Exercise 4
//
// The sum was never set back to 0. The second row was divided by the sum of
// both rows and every later row by the sum of all rows so far, so from the
// second row on all weights came out too small.

/// Softmax along each row.
pub fn softmax_rows(scores: &Matrix) -> Matrix {
    let mut weights = scores.map(f64::exp);
    for mut row in weights.row_iter_mut() {
        let mut sum = 0.0;
        for exponential in row.iter() {
            sum += exponential;
        }
        row /= sum;
    }
    weights
}
