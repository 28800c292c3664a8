use all_you_need::attention::Mask;
use all_you_need::loss::CrossEntropy;
use all_you_need::tensor::{Float, Matrix};

#[path = "../../exercises/checks/speed.rs"]
mod check;

// Exercise 1
//
// One, one and seven. In a window nearly every row begins at another key, and
// only the first three begin at key 0 together.

/// How many stretches of rows there are whose ranges begin at the same key.
fn blocks(mask: &Mask) -> usize {
    mask.visible().chunk_by(|a, b| a.start == b.start).count()
}

#[test]
fn a_window_falls_into_small_blocks() {
    assert_eq!(blocks(&Mask::none(9, 9)), 1);
    assert_eq!(blocks(&Mask::causal(9)), 1);
    assert_eq!(blocks(&Mask::window(9, 2)), 7);
}

// Exercise 2
//
// The sum of the halves is right, because every sum on the way is a number
// that an `f32` can hold. The sum of the tenths is 100,958 instead of
// 100,000: a tenth is rounded to begin with, and each addition to a large
// sum rounds again, for long stretches in the same direction.
#[test]
fn halves_are_exact_in_any_order() {
    let sum = |x: f32| vec![x; 1_000_000].iter().fold(0.0, |sum, x| sum + x);
    assert_eq!(sum(0.5), 500_000.0);
    assert_eq!(sum(0.1).round(), 100_958.0);
}

// Exercise 3
//
// The loss is the logarithm of the sum of both exponentials, minus the right
// logit. The sum is 1 with the small one and without, as an `f32`, and so the
// loss is 0 + 100 = 100. A loss that takes the logarithm of the *probability*
// would find ln 0, and be infinite.
#[test]
fn the_loss_needs_no_small_exponential() {
    let logits = Matrix::<f32>::from_row_slice(1, 2, &[0.0, -100.0]);
    assert_eq!(logits.cross_entropy(&[1], 0.0)[0], 100.0);
    let mut power = [-100.0f32];
    f32::exp_all(&mut power);
    assert_eq!(power[0].ln(), f32::NEG_INFINITY);
}

// Exercise 4
//
// When a score is larger than all before it, both sums so far were measured
// from a lower level. They are multiplied by the exponential of the old
// largest score minus the new one, and go on from there. This is the idea of
// FlashAttention, which goes over the keys in blocks.

/// Attention without a mask, in a single pass over the keys.
pub fn in_one_pass(q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    let mut mixtures = Matrix::zeros(q.nrows(), v.ncols());
    for (i, mut mixture) in mixtures.row_iter_mut().enumerate() {
        let (mut largest, mut sum) = (f64::NEG_INFINITY, 0.0);
        for (key, value) in k.row_iter().zip(v.row_iter()) {
            let score = q.row(i).dot(&key) / (k.ncols() as f64).sqrt();
            let before = largest;
            largest = before.max(score);
            let smaller = (before - largest).exp();
            let power = (score - largest).exp();
            sum = sum * smaller + power;
            mixture *= smaller;
            mixture += value * power;
        }
        mixture /= sum;
    }
    mixtures
}

// Exercise 5
//
// `chunks_exact` passes over a last block that is not full, so up to fifteen
// numbers were never added. `chunks` has a shorter last block, and `zip` ends
// with the shorter of the two.

/// The sum of all numbers, in sixteen strands.
pub fn sum_in_strands(numbers: &[f32]) -> f32 {
    let mut strands = [0.0; 16];
    for block in numbers.chunks(16) {
        for (strand, x) in strands.iter_mut().zip(block) {
            *strand += x;
        }
    }
    strands.iter().sum()
}
