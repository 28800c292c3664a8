use all_you_need::costs::{Bill, Shape};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::heads::MultiHead;
use all_you_need::optimizer::descend;
use all_you_need::parameters::{Parameters, parameter_count, zip};
use all_you_need::tensor::Matrix;
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::{close, largest};

// Exercise 1
// 757 megabytes: 63 million parameters, each with its two moments, and four
// bytes for each number. The model alone is a third of it. Merges and
// headers are a rounding error.
#[test]
fn three_numbers_for_each_parameter() {
    let shapes: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut Bill::default());
    let bytes = 4 * 3 * parameter_count(&shapes);
    assert_eq!(bytes, 756_547_584);
}

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

// Exercise 2
// The same, to the last digits: the output matrix adds the heads up, and a
// sum has no order. The mean of the two is another model, whose heads are
// equal and neither of the old ones. So a model has twins it cannot be
// averaged with.
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
// As good as the mean of about forty steps: with a twentieth, what is a
// step old counts for a twentieth, what is fourteen steps old for half of
// that. Here is a bowl, x² + y², with noise in every gradient. The
// follower is far lower than the model. It needs no disk, and forgets the
// way down by itself.
#[test]
fn a_follower_is_a_running_mean() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut model = Embedding { table: dmatrix![8.0, 1.0] };
    let mut follower = model.clone();
    let height = |place: &Embedding<Matrix>| place.table.norm_squared();
    let (mut of_model, mut of_follower) = (0.0, 0.0);
    for step in 0..4000 {
        let gradient = model.map("", &mut |_, place: &Matrix| {
            place.map(|x| 2.0 * x + rng.random_range(-3.0..3.0))
        });
        descend(&mut model, &gradient, 0.25);
        follower.table += (&model.table - &follower.table) * 0.05;
        if step >= 200 {
            of_model += height(&model);
            of_follower += height(&follower);
        }
    }
    assert!((7.0..20.0).contains(&(of_model / of_follower)));
}
