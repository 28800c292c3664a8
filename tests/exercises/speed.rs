use all_you_need::attention::Mask;
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
// that an `f32` can hold. The sum of the tenths is off by more than a
// thousand: a tenth is rounded to begin with, and each addition to a large
// sum rounds again, for long stretches in the same direction.
#[test]
fn halves_are_exact_in_any_order() {
    let sum = |x: f32| vec![x; 1 << 20].iter().fold(0.0, |sum, x| sum + x);
    assert_eq!(sum(0.5), 524_288.0);
    assert!((sum(0.1) - 104_857.6f32).abs() > 1000.0);
}

// Exercise 3
//
// Both become 0. In a softmax the largest exponential is 1, and a sum of
// `f32`s that contains a 1 is the same with $e^{-40}$ and without. It would
// matter where the small number itself is needed: $e^{-100}$ is about
// 4 · 10⁻⁴⁴, which an `f64` can hold.
#[test]
fn next_to_a_one_it_changes_nothing() {
    let mut powers = [-100.0f32, -1000.0];
    f32::exp_all(&mut powers);
    assert_eq!(powers, [0.0, 0.0]);
    assert_eq!(1.0 + (-40f32).exp(), 1.0);
    assert!((-100f64).exp() > 3e-44);
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
