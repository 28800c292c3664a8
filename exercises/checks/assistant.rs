//! Checks the exercises of the chapter on assistants.

use super::{batch_worths, narrow_gradients, worths};
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

checks! {
    exercise_2: worths_have_one_size_and_equal_rewards_none,
    exercise_3: narrow_gradients_are_slopes,
    exercise_4: answers_to_one_question_are_compared
}

fn worths_have_one_size_and_equal_rewards_none() {
    let near = |rewards: &[f64], right: &[f64], hint: &str| {
        let found = worths(rewards);
        assert_eq!(found.len(), right.len(), "a number for each answer");
        let mut pairs = found.iter().zip(right);
        let all = pairs.all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(all, "{hint}: {found:?}, not {right:?}");
    };
    near(&[0.0, 1.0], &[-1.0, 1.0], "the mean is ½, and so is the deviation");
    let three = 3f64.sqrt();
    let right = [-1.0 / three, three, -1.0 / three, -1.0 / three];
    near(&[0.0, 1.0, 0.0, 0.0], &right, "squares are divided by n");
    near(&[0.0, 10.0], &[-1.0, 1.0], "ten times the reward changes nothing");
    near(
        &[1.0, 1.0, 1.0],
        &[0.0; 3],
        "all are right, and nothing is learned",
    );
    let hint = "the mean of three times 0.1 is a little more than 0.1";
    near(&[0.1, 0.1, 0.1], &[0.0; 3], hint);
}

fn narrow_gradients_are_slopes() {
    let down = dmatrix![1.0, 2.0; 0.5, -1.0; 3.0, 0.0];
    let up = dmatrix![0.2, -0.4; 1.0, 0.7];
    let gradient = dmatrix![1.0, 0.0; -2.0, 0.5; 0.3, 4.0];
    // Any loss with this gradient; this one is linear in the product.
    let loss = |down: &Matrix, up: &Matrix| (down * up).dot(&gradient);
    let [a, b] = narrow_gradients([&down, &up], &gradient);
    assert_eq!(
        a.shape(),
        down.shape(),
        "the gradient of `down` has its shape"
    );
    assert_eq!(b.shape(), up.shape(), "the gradient of `up` has its shape");
    for i in 0..down.len() {
        let mut nudged = down.clone();
        nudged[i] += 1.0;
        let slope = loss(&nudged, &up) - loss(&down, &up);
        assert!((a[i] - slope).abs() < 1e-9, "down, number {i}: {slope}");
    }
    for i in 0..up.len() {
        let mut nudged = up.clone();
        nudged[i] += 1.0;
        let slope = loss(&down, &nudged) - loss(&down, &up);
        assert!((b[i] - slope).abs() < 1e-9, "up, number {i}: {slope}");
    }
    let zero = Matrix::zeros(2, 2);
    let [a, b] = narrow_gradients([&down, &zero], &gradient);
    assert!(
        a.amax() == 0.0 && b.amax() > 0.0,
        "at the start only `up` moves"
    );
}

fn answers_to_one_question_are_compared() {
    let near = |groups: &[&[f64]], right: &[&[f64]], hint: &str| {
        let groups: Vec<Vec<f64>> =
            groups.iter().map(|group| group.to_vec()).collect();
        let found = batch_worths(&groups);
        let sizes = |all: &[Vec<f64>]| -> Vec<usize> {
            all.iter().map(Vec::len).collect()
        };
        assert_eq!(sizes(&found), sizes(&groups), "a number for each answer");
        let found = found.concat();
        let mut pairs = found.iter().zip(right.concat());
        let all = pairs.all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(all, "{hint}: {found:?}");
    };
    let one: &[f64] = &[-0.25, 0.75, -0.25, -0.25];
    near(&[&[0.0, 1.0, 0.0, 0.0]], &[one], "a single question");
    near(
        &[&[1.0, 1.0], &[0.0, 0.0]],
        &[&[0.0, 0.0], &[0.0, 0.0]],
        "neither question says which of its answers is better",
    );
    near(
        &[&[1.0, 1.0, 0.0, 1.0], &[0.0, 1.0]],
        &[&[0.25, 0.25, -0.75, 0.25], &[-0.5, 0.5]],
        "each question has a mean of its own",
    );
}
