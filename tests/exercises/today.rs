use all_you_need::plain::today::distant;
use all_you_need::tensor::Matrix;

#[path = "../../exercises/checks/today.rs"]
mod check;

// Exercise 1
//
// Nearly all. The weights are a geometric series: each is $e^{-1/2}$ = 0.61 times
// the one before it, so what lies beyond the last ten is $e^{-5}$, 0.7 % of all.
// The nearest token alone has 39 %.
#[test]
fn the_first_head_sees_ten_tokens() {
    let n = 60;
    let same = Matrix::from_element(n, 1, 1.0);
    // The values say which tokens are the last ten.
    let last = Matrix::from_fn(n, 1, |i, _| f64::from(n - i <= 10));
    let seen = distant(0.5, &same, &same, &last)[n - 1];
    assert!((seen - (1.0 - (-5f64).exp())).abs() < 1e-9, "{seen}");
    let nearest = Matrix::from_fn(n, 1, |i, _| f64::from(i == n - 1));
    let seen = distant(0.5, &same, &same, &nearest)[n - 1];
    assert!((seen - 0.393).abs() < 1e-3, "{seen}");
}

// Exercise 2
//
// Each of the two lines says how high the rate may be at most, and between
// them it may be 1. So the share is the lowest of the three, even if the lines
// cross before they reach 1. The last update of all has a share of 0 and moves
// nothing; a rate of 0 one update later would waste none.

/// The part of the highest learning rate at this update, counted from 1.
pub fn share(step: usize, warmup: usize, fall: usize, updates: usize) -> f64 {
    let rising = step as f64 / warmup as f64;
    let falling = (updates - step) as f64 / fall as f64;
    rising.min(falling).min(1.0)
}

// Exercise 3
//
// In a block that is hidden entirely, the highest score is −∞. As long as no
// key has been seen, `highest` is −∞, too, so `shrink` is the exponential of
// −∞ − (−∞), which is not a number, and NaN stays NaN. A hidden block after a
// visible one would do no harm, for `highest` is finite then: with a causal
// mask, where the first key is never hidden, the same lines are right. Nothing
// can be learned from a hidden block, so it is left out.

/// What one query, 1 × d_k, finds among the last `recent` of m keys, which it
/// meets block by block.
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
        if higher == f64::NEG_INFINITY {
            continue; // no key has been seen
        }
        let shrink = (highest - higher).exp();
        let exps = scores.map(|score| (score - higher).exp());
        sum = sum * shrink + exps.sum();
        mixed = mixed * shrink + exps * v.rows(start, size);
        highest = higher;
    }
    mixed / sum
}
