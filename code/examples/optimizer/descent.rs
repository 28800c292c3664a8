//! Gradient descent with small batches, and with more steps.

use super::race::{SGD, STEPS, TO_REPORT, of_seeds};
use super::reverser::{
    Words, distance, is_held_out, lesson, loss_at, newborn, train, word,
    zeros,
};
use all_you_need::parameters::gradient;
use print::{Fixed, grouped, least, median, most, section, table, value};
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

/// Are the runs of gradient descent stuck? They get more steps.
pub fn patient(lr: f64) {
    let steps = [STEPS, 500, 1000];
    let runs = of_seeds(TO_REPORT, |seed| {
        let model = newborn(1, seed);
        let update = (SGD.update)(&model, lr);
        let run = train(model, steps[2], seed, update);
        steps.map(|step| loss_at(&run, step))
    });
    section("More steps of SGD");
    let row = |i: usize| {
        let losses: Vec<f64> = runs.iter().map(|run| run[i]).collect();
        let all = [least(&losses), median(&losses), most(&losses)];
        (steps[i], all.fixed(2))
    };
    table(["steps", "best", "median", "worst"], [0, 1, 2].map(row));
}
