//! Checks the exercises of the chapter on the parts of a layer.

use super::{gelu, larger, pre_norm, rms_norm, standardize};
use crate::expect::expect;
use all_you_need::layers::{LAYER_NORM_EPSILON, Rowwise};
use nalgebra::dmatrix;

checks! {
    exercise_3: a_network_finds_the_larger,
    exercise_4_rms_norm: rows_get_the_size_1,
    exercise_4_gelu: gelu_is_a_smooth_relu,
    exercise_4_pre_norm: the_norm_is_in_front_of_the_sublayer,
    exercise_5: every_row_gets_mean_0_and_variance_1
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
}

fn rows_get_the_size_1() {
    let ones = dmatrix![1.0, 1.0];
    let root = |m: f64| (m + LAYER_NORM_EPSILON).sqrt();
    let found = rms_norm(&dmatrix![6.0, 8.0], &ones);
    let expected = dmatrix![6.0, 8.0] / root(50.0);
    let hint = "the squares of 6 and 8 are 36 and 64, and their mean is 50";
    // Nearly, so that a forgotten ε gets the next hint.
    expect(
        &found.map(|x| (x * 1e4).round()),
        &expected.map(|x| (x * 1e4).round()),
        hint,
    );
    let hint = "small numbers, 0.006 and 0.008: has the root an ε in it?";
    let expected = dmatrix![0.006, 0.008] / root(50e-6);
    expect(&rms_norm(&dmatrix![0.006, 0.008], &ones), &expected, hint);
    let hint = "5 and 5: nothing is subtracted, so the row does not become 0";
    let expected = dmatrix![5.0, 5.0] / root(25.0);
    expect(&rms_norm(&dmatrix![5.0, 5.0], &ones), &expected, hint);
    let hint = "two rows, and a gain of 1 and 10";
    let x = dmatrix![6.0, 8.0; 0.0, 0.0];
    let expected = dmatrix![6.0, 80.0; 0.0, 0.0] / root(50.0);
    expect(&rms_norm(&x, &dmatrix![1.0, 10.0]), &expected, hint);
}

fn gelu_is_a_smooth_relu() {
    let of = |x: f64| gelu(&dmatrix![x]);
    expect(&of(0.0), &dmatrix![0.0], "0 stays 0");
    expect(&of(10.0), &dmatrix![10.0], "a large number stays as it is");
    expect(&of(-10.0), &dmatrix![0.0], "a very negative one becomes 0");
    let hint = "1: u is √(2/π) · 1.044715, and half of 1 + tanh u is left";
    expect(&of(1.0), &dmatrix![0.8411919906082768], hint);
    let hint = "−½ does not become 0";
    expect(&of(-0.5), &dmatrix![-0.15428599017485606], hint);
}

fn the_norm_is_in_front_of_the_sublayer() {
    let x = dmatrix![1.0, -2.0; 3.0, 4.0];
    let hint = "a sublayer that returns zeros changes nothing, whatever the \
                norm is";
    let found = pre_norm(&x, |x| x * 2.0, |x| x * 0.0);
    expect(&found, &x, hint);
    let hint = "a norm that doubles and a sublayer that adds 1: what is \
                normalized, and what is not?";
    let found = pre_norm(&x, |x| x * 2.0, |x| x.add_scalar(1.0));
    expect(&found, &(&x * 3.0).add_scalar(1.0), hint);
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
