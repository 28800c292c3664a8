//! Checks the exercises of the chapter on the encoder.

use super::{forward, heard};
use crate::expect::expect;
use all_you_need::attention::Mask;
use all_you_need::encoder::{Config, Encoder, EncoderLayer};
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: it_is_known_which_words_are_heard,
    exercise_4: the_layer_is_that_of_the_crate
}

fn small(layers: usize) -> Config {
    Config {
        vocabulary: 1,
        layers,
        d_model: 12,
        d_ff: 20,
        heads: 2,
        d_k: 3,
        d_v: 5,
    }
}

fn it_is_known_which_words_are_heard() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let x: Matrix = rng.uniform(6, 12, 1.0);
    let none: Encoder<Matrix> = Encoder::new(&small(0), rng);
    let found = heard(&none, &x, &Mask::none(6, 6));
    let hint = "without any layer each word knows only itself";
    expect(&found, &Matrix::identity(6, 6), hint);
    let encoder: Encoder<Matrix> = Encoder::new(&small(2), rng);
    let within = |far: fn(usize, usize) -> bool| {
        Matrix::from_fn(6, 6, |i, j| f64::from(far(i, j)))
    };
    let found = heard(&encoder, &x, &Mask::none(6, 6));
    expect(&found, &within(|_, _| true), "every word hears every word");
    let found = heard(&encoder, &x, &Mask::causal(6));
    let hint = "causal: row i is the word that hears, and hears only words \
                up to column i";
    expect(&found, &within(|i, j| j <= i), hint);
    let found = heard(&encoder, &x, &Mask::window(6, 1));
    let hint = "two layers in which each word sees its neighbours. Do you \
                always change a single row, and put it back afterwards?";
    expect(&found, &within(|i, j| i.abs_diff(j) <= 2), hint);
}

fn the_layer_is_that_of_the_crate() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let x: Matrix = rng.uniform(4, 12, 1.0);
    let mask = Mask::none(4, 4);
    let layer: EncoderLayer<Matrix> = EncoderLayer::new(&small(1), rng);
    let mut silent = layer.clone();
    silent.feed_forward.outer.weight.fill(0.0);
    let hint = "the feed-forward network of this layer returns zeros. Where \
                has the result of the attention gone?";
    let expected = silent.forward(&x, &mask);
    expect(&forward(&silent, &x, &mask), &expected, hint);
    let hint = "a layer with random weights";
    let expected = layer.forward(&x, &mask);
    expect(&forward(&layer, &x, &mask), &expected, hint);
}
