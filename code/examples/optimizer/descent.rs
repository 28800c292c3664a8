//! Gradients of small batches.

use super::reverser::{
    Words, distance, is_held_out, lesson, newborn, word, zeros,
};
use all_you_need::parameters::gradient;
use print::{grouped, median, section, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

/// How far the gradients of small batches are from that of all words.
pub fn stochastic() {
    section("Gradients of batches");
    let (model, rng) = (newborn(1, 1), &mut ChaCha8Rng::seed_from_u64(2));
    let of = |words: &Words| gradient(&model, |model| lesson(model, words)).1;
    let all: Words =
        (0..1296).filter(|n| !is_held_out(*n)).map(word).collect();
    let exact = of(&all);
    let nothing = zeros(&exact);
    println!("words   off by");
    for count in [1, 3, 12, 48] {
        let off = (0..20).map(|_| {
            let mut draw = || all[rng.random_range(0..all.len())].clone();
            let words: Words = (0..count).map(|_| draw()).collect();
            distance(&of(&words), &exact) / distance(&exact, &nothing)
        });
        let off = 100.0 * median(&Vec::from_iter(off));
        println!("{count:5} {off:6.0} %");
    }
    section("Words to learn from");
    value("words to learn from", grouped(all.len()));
}
