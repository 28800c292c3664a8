use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::decoder::DecoderLayer;
use all_you_need::embedding::Embedding;
use all_you_need::encoder::{Config, Encoder, EncoderLayer};
use all_you_need::heads::MultiHead;
use all_you_need::layers::LayerOps;
use all_you_need::parameters::parameter_count;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::{close, largest};

// Exercise 1
// All five rows are the same. There is one key, so every weight is 1,
// whatever the query.
#[test]
fn a_source_of_one_word_answers_every_query_alike() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let cross: MultiHead<Matrix> = MultiHead::new(2, 16, (4, 6), rng);
    let (y, x) = (rng.noise(5, 16, 1.0), rng.noise(1, 16, 1.0));
    let seen = cross.forward(&y, &x, &Mask::none(5, 1));
    let answer = &x * cross.w_v * cross.w_o;
    for row in seen.row_iter() {
        assert!(largest(&(row - &answer)) < 1e-14);
    }
}

// Exercise 2
// Above the encoder it is the memory in another order, which changes no
// result. Below it, *I* gets the position of *fine*, which is another sentence. If
// there are no positions, it is the same sentence again.
#[test]
fn order_is_noticed_only_below_the_encoder() {
    let config = Config {
        vocabulary: 3,
        layers: 2,
        d_model: 16,
        d_ff: 32,
        heads: 2,
        d_k: 4,
        d_v: 6,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let embedding: Embedding<Matrix> = Embedding::new(3, 16, rng);
    let encoder: Encoder<Matrix> = Encoder::new(&config, rng);
    let cross: MultiHead<Matrix> = MultiHead::new(2, 16, (4, 6), rng);
    let y = rng.noise(5, 16, 1.0);
    let ask = |x| cross.forward(&y, &x, &Mask::none(5, 3));
    let encode = |x| encoder.forward(&x, &Mask::none(3, 3));
    let (plain, swapped) =
        (embedding.embed(&[0, 1, 2]), embedding.embed(&[2, 1, 0]));
    let places = sinusoidal(&[0, 1, 2], 16);

    let x = encode(&plain + &places);
    let above = ask(x.select_rows(&[2, 1, 0]));
    let below = ask(encode(&swapped + &places));
    let right = ask(x);
    close(&above, &right, 1e-13);
    assert!(largest(&(below - &right)) > 0.1);

    close(&ask(encode(plain)), &ask(encode(swapped)), 1e-13);
}

// Exercise 3
// An encoder layer, and its 3,150,336. Under the causal mask it has a single
// context, its own past: this is the decoder of the third note, and the
// layer of a language model.
#[test]
fn without_cross_attention_it_is_an_encoder_layer() {
    fn single_context<T: LayerOps>(
        layer: DecoderLayer<T>,
    ) -> EncoderLayer<T> {
        EncoderLayer {
            attention: layer.self_attention,
            attention_norm: layer.self_norm,
            feed_forward: layer.feed_forward,
            feed_forward_norm: layer.feed_forward_norm,
        }
    }
    let base = Config::base();
    let layer: DecoderLayer<Shape> =
        DecoderLayer::new(&base, &mut Bill::default());
    assert_eq!(parameter_count(&single_context(layer)), 3_150_336);

    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let config = Config { d_model: 16, d_ff: 32, heads: 2, ..base };
    let layer: EncoderLayer<Matrix> =
        single_context(DecoderLayer::new(&config, rng));
    let mut y = rng.noise(5, 16, 1.0);
    let before = layer.forward(&y, &Mask::causal(5));
    y.row_mut(4).fill(0.5);
    let after = layer.forward(&y, &Mask::causal(5));
    assert_eq!(before.rows(0, 4), after.rows(0, 4));
}
