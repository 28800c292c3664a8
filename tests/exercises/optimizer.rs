use all_you_need::costs::{Bill, Shape};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::optimizer::{Adam, descend, learning_rate};
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::Matrix;
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;

// Exercise 1
// Gradient descent takes steps a thousand times as long. Adam's m and √v are
// both a thousand times as large, and its steps stay as they were.
#[test]
fn a_louder_loss_moves_adam_no_further() {
    let place = Embedding::<Matrix> { table: dmatrix![1.0, -2.0] };
    let quiet = Embedding { table: dmatrix![0.3, -0.02] };
    let loud = Embedding { table: &quiet.table * 1000.0 };
    let steps = |after: [Embedding<Matrix>; 2]| {
        let [quiet, loud] = after.map(|after| &after.table - &place.table);
        loud.norm() / quiet.norm()
    };
    let descent = [&quiet, &loud].map(|gradient| {
        let mut after = place.clone();
        descend(&mut after, gradient, 0.1);
        after
    });
    assert!((steps(descent) - 1000.0).abs() < 1e-9);
    let adam = [&quiet, &loud].map(|gradient| {
        let mut after = place.clone();
        Adam::new(&place).step(&mut after, gradient, 0.1);
        after
    });
    assert!((steps(adam) - 1.0).abs() < 1e-6);
}

// Exercise 2
// At 2000, half-way up, and at 16,000: four times the steps, half the rate.
#[test]
fn half_the_peak_comes_twice() {
    let half =
        |step: usize| (learning_rate(1.0, step, 4000) - 0.5).abs() < 1e-12;
    let steps: Vec<usize> = (1..100_000).filter(|&s| half(s)).collect();
    assert_eq!(steps, [2000, 16_000]);
}

// Exercise 3
// Two numbers for each parameter, 126 million. With the parameters and their
// gradients that is four numbers each: a gigabyte in f32.
#[test]
fn adam_remembers_twice_the_model() {
    let model: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut Bill::default());
    let remembered = 2 * parameter_count(&model);
    assert_eq!(remembered, 126_091_264);
    assert_eq!(4 * (2 * parameter_count(&model) + remembered), 1_008_730_112);
}
