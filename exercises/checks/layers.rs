//! Checks the exercises of the chapter on the parts of a layer.

use super::{larger, standardize};
use crate::expect::expect;
use all_you_need::layers::{FeedForward, Rowwise};
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

checks! {
    exercise_3: a_network_finds_the_larger,
    exercise_4: every_row_gets_mean_0_and_variance_1
}

fn a_network_finds_the_larger() {
    let of = |pair| larger().forward(&pair);
    let hint = "(2, 1): both are positive";
    expect(&of(dmatrix![2.0, 1.0]), &dmatrix![2.0], hint);
    let hint = "the larger is b plus what a has more, if it has more: \
                max(0, a − b) + b";
    expect(&of(dmatrix![1.0, 2.0]), &dmatrix![2.0], hint);
    let hint = "(−7, −5): b is negative, and a ReLU would replace it by 0. \
                Which two ReLUs let any number pass?";
    expect(&of(dmatrix![-7.0, -5.0]), &dmatrix![-5.0], hint);
    let hint = "(−2,000,000, −1,000,000): a bias that lifts b above 0 helps \
                only down to a point. Which two ReLUs let any number pass?";
    expect(&of(dmatrix![-2e6, -1e6]), &dmatrix![-1e6], hint);
    let pairs = dmatrix![3.0, -1.0; -2.0, 2.0; 4.0, 4.0];
    expect(&of(pairs), &dmatrix![3.0; 2.0; 4.0], "three more pairs");
    no_bend_is_elsewhere(dmatrix![1.3, 0.1], dmatrix![1.0, -0.7]);
    no_bend_is_elsewhere(dmatrix![0.2, -1.1], dmatrix![0.6, 1.3]);
}

/// Along a line, the network and the larger number are straight between the
/// places where a ReLU begins or the pair is equal. So these places, and one
/// beyond them at either end, are enough, however large the biases are.
fn no_bend_is_elsewhere(from: Matrix, step: Matrix) {
    let FeedForward { inner, .. } = larger();
    let (at, by) =
        (&from * &inner.weight + &inner.bias, &step * inner.weight);
    let mut places: Vec<f64> =
        at.iter().zip(&by).map(|(x, y)| -x / y).collect();
    places.push((from[0] - from[1]) / (step[1] - step[0]));
    places.retain(|place| place.is_finite());
    let far = places.iter().fold(1.0, |far: f64, x| far.max(2.0 * x.abs()));
    places.extend([-far, far]);
    for place in places {
        let pair = &from + &step * place;
        let size = pair.amax().max(1.0);
        let hint = format!(
            "({}, {}), and here both numbers divided by {size}: a bias helps \
             only down to a point. Which two ReLUs let any number pass?",
            pair[0], pair[1]
        );
        let found = larger().forward(&pair) / size;
        expect(&found, &dmatrix![pair.max() / size], &hint);
    }
}

fn every_row_gets_mean_0_and_variance_1() {
    let x = dmatrix![-7.0, -1.0, 1.0, 7.0];
    expect(&standardize(&x), &x.standardize(), "a row with mean 0");
    let x = dmatrix![3.0, 9.0, 11.0, 17.0];
    let hint = "the row of the chapter. Its variance is 25. Which squares \
                have the mean 25?";
    expect(&standardize(&x), &x.standardize(), hint);
    let x = dmatrix![1.0, 2.0; 5.0, 5.0; -3.0, 100.0];
    expect(&standardize(&x), &x.standardize(), "three rows");
}
