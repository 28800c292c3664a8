#[path = "../../exercises/checks/today.rs"]
mod check;

// Exercise 1
//
// Eight groups keep a key and a value of 128 numbers in each of 32 layers,
// 65,536 numbers a token. The latent heads keep 512 numbers in each layer, and
// that is 16,384, a quarter.
#[test]
fn latent_heads_keep_a_quarter() {
    let (layers, groups, d_k, latent) = (32, 8, 128, 512);
    assert_eq!(2 * layers * groups * d_k, 65_536);
    assert_eq!(layers * latent, 16_384);
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
// the others, and every row becomes too small. The softmax is over the two
// that are used.

/// The two experts with the highest scores, and their shares.
pub fn two(scores: &[f64]) -> [(usize, f64); 2] {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let exp = |place: usize| (scores[order[place]] - scores[order[0]]).exp();
    [0, 1].map(|place| (order[place], exp(place) / (exp(0) + exp(1))))
}
