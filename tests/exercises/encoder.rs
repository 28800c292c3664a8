use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::{Config, Encoder, EncoderLayer};
use all_you_need::heads::Heads;
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::largest;

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

// Exercise 1
// No. Each layer has weights of its own, and what the second learned to do
// with the rows of the first it now does with the rows of the embedding.
#[test]
fn exchanged_layers_read_otherwise() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let encoder: Encoder<Matrix> = Encoder::new(&small(3), rng);
    let mut exchanged = encoder.clone();
    exchanged.layers.swap(0, 1);
    let (x, mask): (Matrix, _) = (rng.noise(4, 12, 1.0), Mask::none(4, 4));
    let gap = encoder.forward(&x, &mask) - exchanged.forward(&x, &mask);
    assert!(largest(&gap) > 0.1);
}

// Exercise 2
// Between words: 2 n² d. For itself: 4 n d² in the projections and
// 2 n d · 4 d in the feed-forward network, 12 n d² in all. Equal at n = 6 d,
// which is 3,072 for the base model and 6,144 for the big one.
#[test]
fn the_big_model_is_even_at_6144_words() {
    let config = Config::big();
    let n = 6 * config.d_model;
    assert_eq!(n, 6144);
    let mut bill = Bill::default();
    let x = bill.shape(n, config.d_model);
    let mask = Mask::none(n, n);
    let _ = Shape::attend_heads(&x, &x, &x, config.heads, &mask);
    let between = bill.cost().multiply_adds;
    let layer: EncoderLayer<Shape> = EncoderLayer::new(&config, &mut bill);
    let _ = layer.forward(&x, &mask);
    let layer = bill.cost().multiply_adds - between;
    assert_eq!(layer - between, between);
}

// Exercise 3
// Five: each layer carries a change one word further, and *the* and *fence*
// are five apart. With the full mask it takes one.
#[test]
fn news_travels_one_neighbour_a_layer() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let encoder: Encoder<Matrix> = Encoder::new(&small(6), rng);
    let mask = Mask::window(6, 1);
    let mut one: Matrix = rng.noise(6, 12, 1.0);
    let mut other = one.clone();
    other.row_mut(5).fill(3.0);
    for (l, layer) in (1..).zip(&encoder.layers) {
        one = layer.forward(&one, &mask);
        other = layer.forward(&other, &mask);
        assert_eq!(one.row(0) != other.row(0), l >= 5, "layer {l}");
    }
}
