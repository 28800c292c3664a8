//! Checks the exercises of the chapter on the decoder.

use super::{shifted, without_source};
use crate::expect::expect;
use all_you_need::attention::Mask;
use all_you_need::decoder::DecoderLayer;
use all_you_need::encoder::Config;
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: the_rest_of_the_layer_is_kept,
    exercise_4: the_decoder_learns_to_begin_and_to_stop
}

fn the_rest_of_the_layer_is_kept() {
    let config = Config { d_model: 16, d_ff: 32, heads: 2, ..Config::toy() };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut layer: DecoderLayer<Matrix> = DecoderLayer::new(&config, rng);
    // Norms that differ from each other.
    layer.self_norm.gain.fill(2.0);
    layer.cross_norm.gain.fill(3.0);
    layer.feed_forward_norm.gain.fill(5.0);
    let left = without_source(layer.clone());
    let hint = "of the two attentions, the one to the target is left";
    let found = &left.attention.w_q;
    expect(found, &layer.self_attention.w_q, hint);
    let hint = "and the norm after it";
    expect(&left.attention_norm.gain, &layer.self_norm.gain, hint);
    let (y, past): (Matrix, _) = (rng.uniform(5, 16, 1.0), Mask::causal(5));
    let written = layer.self_attention.forward(&y, &y, &past);
    let once = layer.self_norm.add_norm(&y, &written);
    let mapped = layer.feed_forward.forward(&once);
    let expected = layer.feed_forward_norm.add_norm(&once, &mapped);
    let hint = "five rows under a causal mask";
    expect(&left.forward(&y, &past), &expected, hint);
}

fn the_decoder_learns_to_begin_and_to_stop() {
    let (reads, answers) = shifted(&[5, 6, 7], (0, 1));
    let hint = "at first only `bos` has been read";
    assert_eq!((reads[0], answers[0]), (0, 5), "{hint}");
    let hint = "after the first word the answer is the second";
    assert_eq!((reads[1], answers[1]), (5, 6), "{hint}");
    let hint = "as many answers as tokens that are read";
    assert_eq!(reads.len(), answers.len(), "{hint}");
    let hint = "all words have been read. What should the answer be?";
    assert_eq!(reads.last(), Some(&7), "{hint}");
    assert_eq!(answers.last(), Some(&1), "{hint}");
    let hint = "a target without words is over at the beginning";
    assert_eq!(shifted(&[], (0, 1)), (vec![0], vec![1]), "{hint}");
}
