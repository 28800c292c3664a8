//! Checks the exercises of the chapter on the encoder.

use super::{forward, heard};
use crate::expect::expect;
use all_you_need::plain::{
    EncoderLayer, Heads, Matrix, causal, encoder_layer,
};
use all_you_need::tensor::Init;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: it_is_known_which_words_are_heard,
    exercise_4: the_layer_is_that_of_the_book
}

/// A layer of random numbers for rows of 12, with two heads.
fn layer(rng: &mut ChaCha8Rng) -> EncoderLayer {
    let mut random = |rows, columns| rng.uniform(rows, columns, 0.4);
    let look = [random(12, 6), random(12, 6), random(12, 10), random(10, 12)];
    let think =
        [random(12, 20), random(1, 20), random(20, 12), random(1, 12)];
    let norm = || [Matrix::from_element(1, 12, 1.0), Matrix::zeros(1, 12)];
    (Heads(2, look), norm(), think, norm())
}

fn it_is_known_which_words_are_heard() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let x: Matrix = rng.uniform(6, 12, 1.0);
    let found = heard(Matrix::clone, &x);
    let hint = "without any layer each word knows only itself";
    expect(&found, &Matrix::identity(6, 6), hint);
    let layers = [layer(rng), layer(rng)];
    let through = |mask: Matrix| {
        let up = |x: Matrix, p| encoder_layer(p, &x, &mask);
        heard(|x| layers.iter().fold(x.clone(), up), &x)
    };
    let within = |far: fn(usize, usize) -> bool| {
        Matrix::from_fn(6, 6, |i, j| f64::from(far(i, j)))
    };
    let found = through(Matrix::zeros(6, 6));
    expect(&found, &within(|_, _| true), "every word hears every word");
    let found = through(causal(6));
    let hint = "causal: row i is the word that hears, and hears only words \
                up to column i";
    expect(&found, &within(|i, j| j <= i), hint);
    let far =
        |i: usize, j| if i.abs_diff(j) > 1 { f64::NEG_INFINITY } else { 0.0 };
    let found = through(Matrix::from_fn(6, 6, far));
    let hint = "two layers in which each word sees its neighbours. Do you \
                always change a single row, and put it back afterwards?";
    expect(&found, &within(|i, j| i.abs_diff(j) <= 2), hint);
}

fn the_layer_is_that_of_the_book() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let (x, mask): (Matrix, _) =
        (rng.uniform(4, 12, 1.0), Matrix::zeros(4, 4));
    let mut p = layer(rng);
    let hint = "all gains are 1 and all biases 0: this was right before";
    expect(&forward(&p, &x, &mask), &encoder_layer(&p, &x, &mask), hint);
    let mut trained = || {
        let gains: Matrix = rng.uniform(1, 12, 0.5);
        [gains.add_scalar(1.0), rng.uniform(1, 12, 0.5)]
    };
    (p.1, p.3) = (trained(), trained());
    let hint = "now each of the two norms has gains and biases of its own";
    expect(&forward(&p, &x, &mask), &encoder_layer(&p, &x, &mask), hint);
}
