//! Gradient descent with small batches, with more steps, and what is left of
//! Adam without its mean.

use super::race::{
    ADAM, Method, SGD, STEPS, TO_REPORT, of_seeds, train_by, tune,
};
use super::reverser::{
    Model, Words, distance, held_out, is_held_out, lesson, loss_at, newborn,
    targets, train, word, zeros,
};
use all_you_need::optimizer::{Adam, descend};
use all_you_need::parameters::gradient;
use print::{Fixed, least, median, most, section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;

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
    two_or_two_hundred(&all);
}

/// The loss of the test words after two steps along the exact gradient, and
/// after as many small batches as have the same number of words together.
fn two_or_two_hundred(all: &Words) {
    let test = held_out();
    let loss = |model: &Model| model.loss(&test, &targets(&test), 0.1)[0];
    let best = |run: &(dyn Fn(f64) -> Model + Sync)| {
        let lrs = vec![0.05, 0.1, 0.2, 0.5, 1.0, 2.0];
        let losses = lrs.into_par_iter().map(|lr| loss(&run(lr)));
        losses.reduce(|| f64::INFINITY, f64::min)
    };
    let steps = 2 * all.len() / 12;
    let exact = best(&|lr| {
        let mut model = newborn(1, 1);
        for _ in 0..2 {
            let (_, g) = gradient(&model, |model| lesson(model, all));
            descend(&mut model, &g, lr);
        }
        model
    });
    let small = best(&|lr| {
        let (model, update) = (newborn(1, 1), SGD.update);
        let update = update(&model, lr);
        train(model, steps, 1, update).models.swap_remove(steps)
    });
    section("Two steps or two hundred");
    value("words to learn from", all.len());
    value("untrained", loss(&newborn(1, 1)).fixed(2));
    value("exact steps", exact.fixed(2));
    value("small steps", steps);
    value("with small steps", small.fixed(2));
}

/// Adam without the mean of the gradients: only the division is left.
const DIVISION: Method = Method {
    name: "division alone",
    update: |model, lr| {
        let mut adam = Adam::new(model);
        adam.betas.0 = 0.0;
        Box::new(move |_, model, gradients| adam.step(model, gradients, lr))
    },
    lrs: ADAM.lrs,
};

pub fn division_alone() {
    let lr = tune(DIVISION).best_lr();
    let losses = of_seeds(TO_REPORT, |seed| {
        loss_at(&train_by(DIVISION, lr, seed), STEPS)
    });
    section("Division alone");
    value("division, median", median(&losses).fixed(2));
    value("division, lowest", least(&losses).fixed(2));
    value("division, highest", most(&losses).fixed(2));
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
