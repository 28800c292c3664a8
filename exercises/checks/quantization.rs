//! Checks the exercises of the chapter on quantization.

use super::{in_groups, rounded};
use crate::expect::expect;
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: each_group_has_a_scale_of_its_own,
    exercise_3: every_number_keeps_within_half_a_scale
}

fn each_group_has_a_scale_of_its_own() {
    let w = dmatrix![4.0, -7.0, 0.6];
    let hint = "one group and 7 as the highest level: the scale is 1";
    expect(&in_groups(&w, 3, 7.0), &dmatrix![4.0, -7.0, 1.0], hint);
    let w = dmatrix![4.0, -7.0, 0.43, -0.7; 0.0, 0.0, 70.0, 14.0];
    let expected = dmatrix![4.0, -7.0, 0.4, -0.7; 0.0, 0.0, 70.0, 10.0];
    let hint = "groups of two: with a scale of their own, small numbers \
                survive next to large ones. And a group of zeros stays one: \
                is anything divided by 0?";
    expect(&in_groups(&w, 2, 7.0), &expected, hint);
    let w = dmatrix![7.0, 3.4, 7.0, 3.4, 70.0];
    let expected = dmatrix![7.0, 3.0, 7.0, 3.0, 70.0];
    let hint = "five numbers in groups of two: the last group has only one";
    expect(&in_groups(&w, 2, 7.0), &expected, hint);
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    // A sum of random numbers is seldom large.
    let w: Matrix = (0..6).map(|_| rng.uniform(8, 128, 1.0)).sum();
    let error = |size| (in_groups(&w, size, 7.0) - &w).norm();
    let hint = "smaller groups should have smaller errors";
    assert!(error(32) < 0.9 * error(128), "{hint}");
}

fn every_number_keeps_within_half_a_scale() {
    for row in [
        [0.25_f64, -0.5, 1.0, 0.0],
        [-0.3, 0.123, -1.27, 1.0],
        [0.62, 1.27, 0.304, 0.019],
    ] {
        let most = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        for (x, found) in row.iter().zip(rounded(&row)) {
            let far = (x - found).abs();
            assert!(
                far <= 0.501 * most / 127.0,
                "{x} became {found}, which is off by {:.2} scales. Which \
                 level should it get, and does an `i8` have this level?",
                far / (most / 127.0)
            );
        }
    }
}
