use all_you_need::gradient::Tape;
use all_you_need::layers::Rowwise;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::Transformer;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::ops::ControlFlow;

use crate::common::letters::{SIZES, example, places, word};

fn recipe(batch_tokens: usize) -> Recipe {
    Recipe { batch_tokens, updates: 350, peak_lr: 0.01, ..Recipe::toy() }
}

// Exercise 1
// 29,000 sentences of 15 tokens, the end among them, are 435,000. A batch
// of 4000 fills with 267 sentences, and 267 go 108 times into 29,000. The
// 164 that are left over are others in every epoch.
#[test]
fn an_epoch_has_108_updates() {
    // A target has its begin token, too.
    let example = |i| Example { source: vec![i], target: vec![0; 16] };
    let examples: Vec<Example> = (0..29_000).map(example).collect();
    let mut epoch = vec![false; 29_000];
    for batch in recipe(4000).batches(&examples, 0).take(108) {
        assert_eq!(batch.len(), 267);
        for example in batch {
            let seen = &mut epoch[example.source[0] as usize];
            assert!(!std::mem::replace(seen, true), "twice in an epoch");
        }
    }
    assert_eq!(epoch.iter().filter(|seen| !**seen).count(), 164);
}

// Exercise 2
// The mean is 1, as it was. The mean of the squares is 1/0.7, 1.43: what is
// dropped is noise, and noise has a variance. Outside of training there is
// none, so the layers behind see quieter numbers than they have learned with.
#[test]
fn the_squares_do_not_stay() {
    let tape = Tape::with_dropout(0.3, ChaCha8Rng::seed_from_u64(1));
    let ones = tape.variable(Matrix::<f64>::from_element(400, 500, 1.0));
    let dropped = ones.dropout();
    let squares = dropped.value().map(|x| x * x);
    assert!((dropped.value().mean() - 1.0).abs() < 0.01);
    assert!((squares.mean() - 1.0 / 0.7).abs() < 0.01);
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
// On the other diagonal, from the upper left. Nothing was changed but the
// lessons.
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
