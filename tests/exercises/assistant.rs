#[path = "../../exercises/checks/assistant.rs"]
mod check;

use all_you_need::tensor::Matrix;

// Exercise 1
//
// The two narrow matrices have 8 · (4096 + 4096) = 65,536 numbers, and the
// wide one has 16,777,216, which is 256 times as many.
#[test]
fn narrow_matrices_are_a_part_in_256() {
    let (d, r) = (4096, 8);
    assert_eq!(r * (d + d), 65_536);
    assert_eq!(d * d / (r * (d + d)), 256);
}

// Exercise 2
//
// Without a distance from the mean there is no deviation to divide by, and 0
// divided by 0 is not a number. Such a group teaches nothing anyway. Note what
// the division does to others: if only one of many is right it is worth more
// than if half are, so rare successes weigh more.

/// Rewards minus their mean, over their standard deviation.
pub fn worths(rewards: &[f64]) -> Vec<f64> {
    let n = rewards.len() as f64;
    let mean = rewards.iter().sum::<f64>() / n;
    let squares = rewards.iter().map(|reward| (reward - mean).powi(2));
    let deviation = (squares.sum::<f64>() / n).sqrt();
    let worth = |reward: &f64| match deviation {
        0.0 => 0.0,
        _ => (reward - mean) / deviation,
    };
    rewards.iter().map(worth).collect()
}

// Exercise 3
//
// A product passes its gradient back as every product does: to the left factor
// times the right one transposed, to the right factor times the left one
// transposed. If `up` is 0, so is the gradient of `down`. If `down` were 0 as
// well, neither would ever move.

/// The gradients of `down` and `up`, given that of W + `down` · `up`.
pub fn narrow_gradients(
    [down, up]: [&Matrix; 2],
    gradient: &Matrix,
) -> [Matrix; 2] {
    [gradient * up.transpose(), down.transpose() * gradient]
}

// Exercise 4
//
// The row that predicts the first token of the answer is the one before it,
// that of the question mark. The loop begins one row too late, so the model is
// never told how an answer begins. If the answer is a word and a full stop, it
// learns the full stop.

/// Minus the logarithm of the probability of an answer.
pub fn nats(shares: &Matrix, text: &[usize], asked: usize) -> f64 {
    let nats = |i: usize| -shares[(i - 1, text[i])].ln();
    (asked..text.len()).map(nats).sum()
}
