use all_you_need::gradient::Tape;
use all_you_need::layers::Rowwise;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::Transformer;
use rand::{SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};
use std::ops::ControlFlow;

use crate::common::letters::{SIZES, example, places, word};

#[path = "../../exercises/checks/training.rs"]
mod check;

fn recipe(batch_tokens: usize) -> Recipe {
    Recipe { batch_tokens, updates: 350, peak_lr: 0.01, ..Recipe::toy() }
}

// Exercise 1
//
// It grows, by the factor 1/0.7 at a dropout of 0.3. Of the squares of ones,
// 0.7 are left, and each has become 1/0.49. Outside of training nothing is
// dropped, so the next layer gets numbers that scatter less than those that
// it has learned with.
#[test]
fn the_squares_do_not_stay() {
    let tape = Tape::with_dropout(0.3, ChaCha8Rng::seed_from_u64(1));
    let ones = tape.variable(Matrix::<f64>::from_element(400, 500, 1.0));
    let dropped = ones.dropout();
    let squares = dropped.value().map(|x| x * x);
    assert!((dropped.value().mean() - 1.0).abs() < 0.01);
    assert!((squares.mean() - 1.0 / 0.7).abs() < 0.01);
}

// Exercise 2
//
// One variable remembers where the lowest loss was. When the current place is
// `patience` places further, training is over.

/// Which of the models to use, counted from 0.
pub fn stopped_early(losses: &[f64], patience: usize) -> usize {
    let mut best = 0;
    for (now, loss) in losses.iter().enumerate() {
        if *loss < losses[best] {
            best = now;
        }
        if now - best >= patience {
            break;
        }
    }
    best
}

/// Of all rows that write a letter, the part that looks at the letter as far
/// from the left as the row is from the top, in the better of two heads.
fn diagonal(model: &Transformer<Matrix<f32>>, examples: &[Example]) -> f64 {
    let (mut hits, mut rows) = ([0; 2], 0);
    for example in examples {
        rows += example.target.len() - 2;
        for (hits, places) in hits.iter_mut().zip(places(model, example)) {
            let rows = places.iter().enumerate();
            *hits += rows.filter(|(row, place)| row == *place).count();
        }
    }
    hits[0].max(hits[1]) as f64 / rows as f64
}

// Exercise 3
//
// Along the other diagonal, from the upper left. Nothing is different but the
// examples: where a model looks is not built in, it follows from the task.
#[test]
fn who_copies_looks_along_the_diagonal() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let mut copy = || {
        let word = word(rng);
        example(&word, &word)
    };
    let mut lessons: Vec<_> = (0..4000).map(|_| copy()).collect();
    let held_out = lessons.split_off(3900);
    let mut training = Training::new(&SIZES, recipe(300));
    assert!(diagonal(&training.model, &held_out) < 0.5);
    let on = |_: &Training, _| ControlFlow::<()>::Continue(());
    assert!(training.run(&lessons, on).is_ok());
    assert!(diagonal(&training.model, &held_out) > 0.8);
}

// Exercise 4
//
// The sum of seed and epoch is the same for seed 1, epoch 1 and for seed 2,
// epoch 0. So the run with seed 2 has the orders of the run with seed 1, one
// epoch earlier, and the runs are more alike than chance allows. A stream of
// its own for each epoch keeps seed and epoch apart.

/// The order of some examples in an epoch.
pub fn order(examples: usize, seed: u64, epoch: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..examples).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(epoch);
    order.shuffle(&mut rng);
    order
}
