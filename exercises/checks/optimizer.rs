//! Checks the exercises of the chapter on the optimizer.

use super::{Momentum, adam_step};
use crate::expect::expect;
use all_you_need::layers::Linear;
use all_you_need::optimizer::Adam;
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

checks! {
    exercise_2: momentum_goes_along_the_mean,
    exercise_3: every_step_is_that_of_adam
}

fn layer(weight: f64, bias: f64) -> Linear<Matrix> {
    Linear { weight: dmatrix![weight], bias: dmatrix![bias] }
}

fn momentum_goes_along_the_mean() {
    let mut model = layer(1.0, 2.0);
    let mut momentum = Momentum { beta: 0.9, mean: layer(0.0, 0.0) };
    momentum.step(&mut model, &layer(10.0, -10.0), 0.5);
    let hint = "after the first step, a tenth of the gradient is in the mean";
    expect(&momentum.mean.weight, &dmatrix![1.0], hint);
    expect(&momentum.mean.bias, &dmatrix![-1.0], hint);
    let hint = "the step is the learning rate times the mean, downhill";
    expect(&model.weight, &dmatrix![0.5], hint);
    expect(&model.bias, &dmatrix![2.5], hint);

    momentum.step(&mut model, &layer(-9.0, -10.0), 0.5);
    let hint = "the gradient has turned round, and the new mean is \
                0.9 · 1 + 0.1 · (−9) = 0";
    expect(&momentum.mean.weight, &dmatrix![0.0], hint);
    expect(&model.weight, &dmatrix![0.5], hint);
    let hint = "where the gradient stays the same, the mean approaches it";
    expect(&momentum.mean.bias, &dmatrix![-1.9], hint);
    expect(&model.bias, &dmatrix![3.45], hint);
}

fn every_step_is_that_of_adam() {
    let mut model = layer(1.0, 0.0);
    let mut adam = Adam::new(&model);
    let (mut w, mut m, mut v) = (1.0, 0.0, 0.0);
    for (t, g) in (1..).zip([3.0, 2.0, -1.0, 0.5]) {
        adam.step(&mut model, &layer(g, 0.0), 0.1);
        adam_step(&mut w, g, (&mut m, &mut v), t, 0.1);
        let hint = match t {
            1 => "step 1: both moments began at 0. What makes up for that?",
            _ => "a later step: what do the moments take along into it?",
        };
        expect(&dmatrix![w], &model.weight, hint);
    }
}
