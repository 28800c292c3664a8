//! A file whose two halves are different, shuffled in windows.

use all_you_need::encoder::Config;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::Transformer;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

/// Two kinds of letters, eight of each, begin and end of sequence.
const KINDS: [u32; 2] = [0, 8];
const BOS: Token = 16;
const EOS: Token = 17;

/// Words of one kind of letters, each with itself backwards.
fn words(first: Token, count: usize, seed: u64) -> Vec<Example> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut word = || {
        let length = rng.random_range(3..=6);
        let letters = (0..length).map(|_| first + rng.random_range(0..8));
        let source: Vec<Token> = letters.chain([EOS]).collect();
        let answer = source[..length].iter().rev().copied();
        let target = [BOS].into_iter().chain(answer).chain([EOS]).collect();
        Example { source, target }
    };
    (0..count).map(|_| word()).collect()
}

/// How many of a hundred words a model has right, of each kind.
fn right(model: &Transformer<Matrix<f32>>) -> [usize; 2] {
    KINDS.map(|first| {
        let words = words(first, 100, 99);
        let right = |Example { source, target }: &&Example| {
            model.greedy(source, BOS, EOS).expect("finite logits")
                == target[1..target.len() - 1]
        };
        words.iter().filter(right).count()
    })
}

/// Trains for an epoch, after the words have been shuffled in windows.
fn epoch(words: &[Example], window: usize) -> [usize; 2] {
    let config = Config {
        vocabulary: 18,
        layers: 1,
        d_model: 32,
        d_ff: 64,
        heads: 2,
        d_k: 16,
        d_v: 16,
    };
    let recipe = Recipe { peak_lr: 0.01, ..Recipe::toy() };
    let mut training: Training = Training::new(&config, recipe);
    let mut order: Vec<usize> = (0..words.len()).collect();
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    order.chunks_mut(window).for_each(|window| window.shuffle(rng));
    for batch in order.chunks(50) {
        let batch: Vec<_> = batch.iter().map(|&i| words[i].clone()).collect();
        training.update(&batch).expect("a finite loss");
    }
    right(&training.model)
}

/// Words of one kind, then words of the other, shuffled in windows of one, of
/// a thousand, and of all.
pub fn windows() {
    let file = KINDS.map(|first| words(first, 20_000, 1)).concat();
    println!("window\tright: first half\tsecond half");
    for window in [1, 1000, file.len()] {
        let [first, second] = epoch(&file, window);
        println!("{window}\t{first}\t{second}");
    }
}
