//! Exercises of the chapter on assistants.

use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/assistant.rs"]
mod check;

// Exercise 2

/// What each answer of a group is worth in GRPO: its reward minus their mean,
/// divided by their standard deviation. The square of the deviation is the
/// mean of the squared distances from the mean (divided by n, not by n − 1),
/// and 1e-8 is added to the deviation. So equal rewards are worth 0, even if
/// their mean is off by a rounding error.
pub fn worths(rewards: &[f64]) -> Vec<f64> {
    todo!("the mean, the deviation, and what each reward becomes")
}

// Exercise 3

/// The gradients of `down` and `up`, given both and the gradient of
/// W + `down` · `up`, which is d_in × d_out. `down` is d_in × r, `up` r × d_out.
pub fn narrow_gradients(
    [down, up]: [&Matrix; 2],
    gradient: &Matrix,
) -> [Matrix; 2] {
    todo!("a product with a transpose, twice; let the shapes guide you")
}

// Exercise 4

/// What the answers of a batch are worth, a list of rewards for each question.
/// There is a mistake in it.
pub fn batch_worths(groups: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let all = groups.concat();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let worths = |group: &Vec<f64>| group.iter().map(|r| r - mean).collect();
    groups.iter().map(worths).collect()
}
