//! Checks the exercises of the chapter on costs.

use super::{attention_parameters, layer_cost};
use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::{Config, EncoderLayer};
use all_you_need::heads::MultiHead;

checks! {
    exercise_3: the_formula_counts_what_shapes_count,
    exercise_4: every_projection_is_counted
}

/// As a shape counts it.
fn counted(config: &Config, n: u64) -> i128 {
    let mut bill = Bill::default();
    let layer: EncoderLayer<Shape> = EncoderLayer::new(config, &mut bill);
    let x = bill.shape(n as usize, config.d_model);
    let _ = layer.forward(&x, &Mask::none(n as usize, n as usize));
    i128::from(bill.cost().multiply_adds)
}

/// Narrow heads, with values wider than keys.
fn uneven() -> Config {
    Config { d_k: 3, d_v: 5, ..Config::toy() }
}

fn the_formula_counts_what_shapes_count() {
    let found = |config: &Config, n| i128::from(layer_cost(config, n));
    let base = Config::base();
    // What grows with n, and what grows with n², each doubled.
    let split = |one: i128, two: i128| (4 * one - two, two - 2 * one);
    let (linear, square) = split(counted(&base, 30), counted(&base, 60));
    let (each, between) = split(found(&base, 30), found(&base, 60));
    let hint = "what grows in proportion to n: four projections, and the two \
                matrices of the feed-forward network";
    assert_eq!(each, linear, "{hint}");
    let hint = "what grows with the square of n: every query meets every \
                key, and every weight a value, in each head";
    assert_eq!(between, square, "{hint}");
    let hint = "a layer in which d_k and d_v are different";
    assert_eq!(found(&uneven(), 7), counted(&uneven(), 7), "{hint}");
}

fn every_projection_is_counted() {
    for (config, hint) in [
        (Config::base(), "the base model"),
        (Config::tiny(), "the translator of this book"),
        (
            Config { d_k: 16, ..Config::base() },
            "the base model with 16 numbers in a key and 64 in a value. \
             Which sizes do the projections have?",
        ),
        (uneven(), "values wider than keys"),
    ] {
        let Config { heads, d_model, d_k, d_v, .. } = config;
        let mut bill = Bill::default();
        let _: MultiHead<Shape> =
            MultiHead::new(heads, d_model, (d_k, d_v), &mut bill);
        let found = attention_parameters(&config) as u64;
        assert_eq!(found, bill.cost().parameters, "{hint}");
    }
}
