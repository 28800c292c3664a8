//! Checks the exercises of the chapter on checkpoints.

use super::{follow, mean};
use crate::expect::expect;
use nalgebra::dmatrix;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: a_follower_is_lower_in_the_bowl,
    exercise_4: every_model_counts_as_much_as_every_other
}

fn a_follower_is_lower_in_the_bowl() {
    let model = dmatrix![8.0, 1.0];
    let mut follower = dmatrix![0.0, 1.0];
    follow(&mut follower, &model, 0.0);
    expect(&follower, &dmatrix![0.0, 1.0], "no part of the way");
    follow(&mut follower, &model, 0.25);
    expect(&follower, &dmatrix![2.0, 1.0], "a quarter of the way");
    follow(&mut follower, &model, 0.5);
    expect(&follower, &dmatrix![5.0, 1.0], "half of what is left of it");
    follow(&mut follower, &model, 1.0);
    expect(&follower, &model, "all of the way");

    // A bowl, x² + y², with noise in every gradient.
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let (mut model, mut height) = (model, [0.0, 0.0]);
    for step in 0..4000 {
        model =
            model.map(|x| x - 0.25 * (2.0 * x + rng.random_range(-3.0..3.0)));
        follow(&mut follower, &model, 0.05);
        if step >= 200 {
            height[0] += model.norm_squared();
            height[1] += follower.norm_squared();
        }
    }
    let times = height[0] / height[1];
    let hint = "at the bottom of a bowl the model should be higher than its \
                follower, about thirteen times";
    assert!((7.0..20.0).contains(&times), "{hint}, and not {times}");
}

fn every_model_counts_as_much_as_every_other() {
    let models = [dmatrix![1.0, 0.0], dmatrix![5.0, 0.0], dmatrix![0.0, 6.0]];
    expect(&mean(&models[..1]), &models[0], "of one model, this model");
    expect(&mean(&models[..2]), &dmatrix![3.0, 0.0], "two models");
    let hint = "three models: how much does the last of them count, and how \
                much does the first?";
    expect(&mean(&models), &dmatrix![2.0, 2.0], hint);
    let mut other = models.clone();
    other.reverse();
    expect(&mean(&other), &dmatrix![2.0, 2.0], "the same in another order");
}
