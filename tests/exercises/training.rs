use all_you_need::gradient::Tape;
use all_you_need::layers::Rowwise;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::{
    Example, Recipe, Training, Update, validation_loss,
};
use rand::{SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};
use std::ops::ControlFlow;

use crate::common::letters::{SIZES, example, word};

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

// Exercise 3
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

// Exercise 4
//
// Without dropout the curves run side by side, because there are far more
// words than this model can learn by heart. With dropout the curve of the
// training is the upper one, although these are the words that it learns: it
// is measured with some of the numbers missing, and the other with all.
#[test]
fn dropout_parts_the_curves() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let mut all = words(4100, rng);
    let lessons = all.split_off(100);
    let curves = |dropout| {
        let label_smoothing = 0.0;
        let changed =
            Recipe { dropout, label_smoothing, updates: 200, ..recipe(300) };
        let mut training: Training = Training::new(&SIZES, changed);
        let mut losses = Vec::new();
        let on = |_: &Training, update: Update<f32>| {
            losses.push(f64::from(update.loss));
            ControlFlow::<()>::Continue(())
        };
        assert!(training.run(&lessons, on).is_ok());
        let learned = losses[180..].iter().sum::<f64>() / 20.0;
        learned / validation_loss(&training.model, &all)
    };
    let (without, with) = (curves(0.0), curves(0.3));
    assert!((0.5..2.0).contains(&without), "{without}");
    assert!(with > 2.0, "{with}");
}

/// Words to be reversed.
fn words(count: usize, rng: &mut ChaCha8Rng) -> Vec<Example> {
    let reverse = |word: Vec<Token>| {
        let answer: Vec<_> = word.iter().rev().copied().collect();
        example(&word, &answer)
    };
    (0..count).map(|_| reverse(word(rng))).collect()
}
