use all_you_need::plain::{Matrix, today::distant};

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
// cross before they reach 1.

/// The part of the highest learning rate at this update, counted from 1.
pub fn share(step: usize, warmup: usize, fall: usize, updates: usize) -> f64 {
    let rising = step as f64 / warmup as f64;
    let falling = (updates - step) as f64 / fall as f64;
    rising.min(falling).min(1.0)
}

// Exercise 3
//
// The sum is that of all experts, so the two shares leave out what belongs to
// the others, and every row becomes too small. Here the softmax is over the
// two that are used. (Some published models keep that over all on purpose.)

/// The two experts with the highest scores, and their shares.
pub fn two(scores: &[f64]) -> [(usize, f64); 2] {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let exp = |place: usize| (scores[order[place]] - scores[order[0]]).exp();
    [0, 1].map(|place| (order[place], exp(place) / (exp(0) + exp(1))))
}
