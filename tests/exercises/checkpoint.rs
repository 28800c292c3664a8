use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::heads::MultiHead;
use all_you_need::parameters::{parameter_count, zip};
use all_you_need::tensor::Matrix;
use all_you_need::transformer::Transformer;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::{close, largest};

#[path = "../../exercises/checks/checkpoint.rs"]
mod check;

// Exercise 1
//
// 757 megabytes: 63 million parameters, two moments for each of them, and
// four bytes for each number. The model alone is a third of this, and the
// other files are too small to count.
#[test]
fn three_numbers_for_each_parameter() {
    let shapes: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut Bill::default());
    let bytes = 4 * 3 * parameter_count(&shapes);
    assert_eq!(bytes, 756_547_584);
}

// Exercise 2
//
// It writes the same, because the output projection adds up what the heads
// have found, and a sum has no order. The mean of the two models is another
// model: its two heads are equal, and each is halfway between the old ones.

/// The columns of both heads, the other way round.
fn changed(attention: &MultiHead<Matrix>) -> MultiHead<Matrix> {
    let columns = |w: &Matrix| {
        let half = w.ncols() / 2;
        let order: Vec<_> = (half..w.ncols()).chain(0..half).collect();
        w.select_columns(&order)
    };
    MultiHead {
        heads: 2,
        w_q: columns(&attention.w_q),
        w_k: columns(&attention.w_k),
        w_v: columns(&attention.w_v),
        w_o: columns(&attention.w_o.transpose()).transpose(),
    }
}

#[test]
fn heads_have_no_order_and_no_mean() {
    let config = Config {
        vocabulary: 9,
        layers: 2,
        d_model: 8,
        d_ff: 12,
        heads: 2,
        d_k: 3,
        d_v: 5,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let model: Transformer<Matrix> = Transformer::new(&config, rng);
    let mut twin = model.clone();
    for layer in &mut twin.encoder.layers {
        layer.attention = changed(&layer.attention);
    }
    for layer in &mut twin.decoder.layers {
        layer.self_attention = changed(&layer.self_attention);
        layer.cross_attention = changed(&layer.cross_attention);
    }
    let says =
        |model: &Transformer<Matrix>| model.forward(&[[1, 2, 3]], &[[4, 5]]);
    close(&says(&twin), &says(&model), 1e-12);
    let mut mean = model.clone();
    for (weight, other) in zip(&mut mean, &twin) {
        *weight = (&*weight + other) / 2.0;
    }
    assert!(largest(&(says(&mean) - says(&model))) > 0.1);
}

// Exercise 3
//
// The follower keeps nineteen twentieths of itself and takes one of the model.
// It needs no disk, and forgets the way down by itself.

/// Moves every number of the follower towards that of the model.
pub fn follow(follower: &mut Matrix, model: &Matrix, part: f64) {
    *follower += (model - &*follower) * part;
}

// Exercise 4
//
// Each new model counts for a half, so the one before it is left with a
// quarter, and the one before that with an eighth: nearly all of the result
// comes from the last three. We need the sum of all models, divided by their
// number.

/// The mean of some models.
pub fn mean(models: &[Matrix]) -> Matrix {
    let mut sum = models[0].clone();
    for model in &models[1..] {
        sum += model;
    }
    sum / models.len() as f64
}

// Exercise 5
//
// Thirty-nine. The newest counts for 1/20, the one before it for 19/20 of
// that, and so on. The sum of the squared weights is (1/20)² / (1 − (19/20)²) = 1/39, as
// with 39 equal weights of 1/39.
#[test]
fn a_follower_has_as_little_noise_as_a_mean_of_39() {
    let weight = |age| 0.95f64.powi(age) / 20.0;
    let squares: f64 = (0..1000).map(|age| weight(age).powi(2)).sum();
    assert!((squares - 1.0 / 39.0).abs() < 1e-12);
}
