//! Words of a few letters that a small model learns to copy or to reverse.

use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::Example;
use all_you_need::transformer::Transformer;
use rand::{RngExt, rngs::ChaCha8Rng};

/// Eight letters, begin and end of sequence.
pub const VOCABULARY: usize = 10;
pub const BOS: Token = 8;
pub const EOS: Token = 9;

/// Large enough to learn to copy or to reverse a word.
pub const SIZES: Config = Config {
    vocabulary: VOCABULARY,
    layers: 1,
    d_model: 32,
    d_ff: 64,
    heads: 2,
    d_k: 16,
    d_v: 16,
};

/// A random word of three to six letters.
pub fn word(rng: &mut ChaCha8Rng) -> Vec<Token> {
    let length = rng.random_range(3..=6);
    (0..length).map(|_| rng.random_range(0..8)).collect()
}

/// A word and what should become of it.
pub fn example(word: &[Token], answer: &[Token]) -> Example {
    let source = [word, &[EOS]].concat();
    Example { source, target: [&[BOS], answer, &[EOS]].concat() }
}

/// For each row that writes a letter of the target the place in the source
/// that it looks at most: for every head of the cross-attention, bottom
/// layer.
pub fn places(
    model: &Transformer<Matrix<f32>>,
    Example { source, target }: &Example,
) -> Vec<Vec<usize>> {
    let letters = target.len() - 2;
    let read = &target[..=letters];
    let (m, n) = (read.len(), source.len());
    let x = model.encode(&[source]).rows;
    let y = model.embed(&[read]).rows;
    let layer = &model.decoder.layers[0];
    let written = layer.self_attention.forward(&y, &y, &Mask::causal(m));
    let y = layer.self_norm.add_norm(&y, &written);
    let maps = layer.cross_attention.weights(&y, &x, &Mask::none(m, n));
    let most = |map: &Matrix<f32>, i| map.row(i).transpose().argmax().0;
    let rows = |map| (0..letters).map(|i| most(map, i)).collect();
    maps.iter().map(rows).collect()
}
