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
        (rng.noise(3, 4, 1.0), rng.noise(5, 4, 1.0));
    let more = |x: &Matrix| x.map_with_location(|_, j, x| x + j as f64);
    let mask = Mask::none(3, 5);
    let before = weights(&q, &k, &mask);
    close(&weights(&q, &more(&k), &mask), &before, 1e-14);
    assert!(largest(&(weights(&more(&q), &k, &mask) - before)) > 0.1);
}

// Exercise 2
//
// For each query we add up two things over the keys: the exponentials, and
// the values times their exponentials. One divided by the other is the
// mixture, so the weights need never be stored.

/// Attention(Q, K, V) in loops, without a mask.
pub fn in_loops(q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    let mut mixtures = Matrix::zeros(q.nrows(), v.ncols());
    for i in 0..q.nrows() {
        let mut sum = 0.0;
        for j in 0..k.nrows() {
            let score = q.row(i).dot(&k.row(j)) / (k.ncols() as f64).sqrt();
            sum += score.exp();
            for c in 0..v.ncols() {
                mixtures[(i, c)] += score.exp() * v[(j, c)];
            }
        }
        mixtures.row_mut(i).unscale_mut(sum);
    }
    mixtures
}

// Exercise 3
//
// For two keys, and of the difference of their scores. Divide the numerator
// and the denominator of $e^a / (e^a + e^b)$ by $e^a$, and you get
// $1 / (1 + e^{-(a - b)})$.
#[test]
fn for_two_keys_softmax_is_a_sigmoid() {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    for (a, b) in [(1.0, 3.0), (0.0, 0.0), (-2.0, 7.5)] {
        let weights = dmatrix![a, b].softmax(&Mask::none(1, 2));
        assert!((weights[0] - sigmoid(a - b)).abs() < 1e-15);
    }
}

// Exercise 4
//
// The sum was never set back to 0. The second row was divided by the sum of
// both rows, so its weights came out too small, and those of every later row
// smaller still.

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
