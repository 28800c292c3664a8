//! Words of a few letters that a small model learns to copy or to reverse.

use all_you_need::encoder::Config;
use all_you_need::tokens::Token;
use all_you_need::training::Example;
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
