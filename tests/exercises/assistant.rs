#[path = "../../exercises/checks/assistant.rs"]
mod check;

use all_you_need::tensor::Matrix;

// Exercise 1
//
// With 0.01 all eight are wrong in 0.99⁸ = 92 % of the groups, so about 8 in a
// hundred groups teach something. With 0.5 all are wrong in 0.5⁸ = 0.4 %, and
// all are right as often, which leaves 99 in a hundred. So a policy gradient
// needs a model that is right now and then, and has least to do where it
// always is.
#[test]
fn a_group_teaches_if_some_are_right_and_some_are_wrong() {
    let teaches = |p: f64| 1.0 - p.powi(8) - (1.0 - p).powi(8);
    let in_a_hundred = |p| (100.0 * teaches(p)).round();
    assert_eq!([0.01, 0.5].map(in_a_hundred), [8.0, 99.0]);
}

// Exercise 2
//
// The small number keeps a group of equal rewards from being divided by 0, or
// by a rounding error: three times 0.1 has a mean of 0.10000000000000002.
// If one of eight answers is right, it is worth 7/8 without the division; if
// four are, each of them is worth ½. With it they are worth 2.65 and 1, so the
// division gives more weight to rare successes, and to rare failures.

/// Rewards minus their mean, over their standard deviation.
pub fn worths(rewards: &[f64]) -> Vec<f64> {
    let n = rewards.len() as f64;
    let mean = rewards.iter().sum::<f64>() / n;
    let squares = rewards.iter().map(|reward| (reward - mean).powi(2));
    let deviation = (squares.sum::<f64>() / n).sqrt();
    let worth = |reward: &f64| (reward - mean) / (deviation + 1e-8);
    rewards.iter().map(worth).collect()
}

// Exercise 3
//
// The product passes its gradient G back as every product does: the left
// factor gets G times the right one transposed, and the right factor gets the
// left one transposed times G. If `up` is 0, so is the gradient of `down`. If `down` were 0 as
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
// The mean is that of the whole batch. On average over many draws the slopes
// are nearly right still, since a baseline that hardly depends on the answer
// leaves them as they are. But where all answers to a question are equally
// good, none of them says anything, and still each is worth something: that is
// noise. The mean of one question's own answers takes it away.

/// What the answers of a batch are worth, group by group.
pub fn batch_worths(groups: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let worths = |group: &Vec<f64>| {
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        group.iter().map(|reward| reward - mean).collect()
    };
    groups.iter().map(worths).collect()
}
