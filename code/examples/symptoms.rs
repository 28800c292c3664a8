//! Three tests that take a minute: `cargo run --example symptoms`

use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::loss::shift_right;
use all_you_need::mask::leaks;
use all_you_need::optimizer::{Adam, learning_rate};
use all_you_need::parameters::{Parameters, gradient};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use print::{Fixed, section, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

#[path = "shared/entropy.rs"]
mod entropy;

use entropy::nats;

const BOS: Token = 10;
const EOS: Token = 11;
const VOCABULARY: usize = 12;

fn main() {
    one_batch_by_heart();
    what_the_rows_read();
    who_is_not_a_number();
}

fn model() -> Transformer<Matrix> {
    let config = Config {
        vocabulary: VOCABULARY,
        layers: 1,
        d_model: 16,
        d_ff: 32,
        heads: 2,
        d_k: 8,
        d_v: 8,
    };
    Transformer::new(&config, &mut ChaCha8Rng::seed_from_u64(1))
}

/// Sources, and targets that have nothing to do with them.
fn batch() -> [Vec<Vec<Token>>; 2] {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let mut words = || -> Vec<Vec<Token>> {
        let word = |_| (0..5).map(|_| rng.random_range(0..BOS)).collect();
        (0..8).map(word).collect()
    };
    let [mut sources, mut targets] = [words(), words()];
    sources.iter_mut().for_each(|source| source.push(EOS));
    for target in &mut targets {
        *target = [vec![BOS], target.clone(), vec![EOS]].concat();
    }
    [sources, targets]
}

const STEPS: [usize; 5] = [0, 20, 50, 100, 200];

/// The loss after some steps, with a learning rate for each step.
fn losses(rate: impl Fn(usize) -> f64) -> Vec<f64> {
    let [sources, targets] = batch();
    let loss = |model: &Transformer<Variable<f64>>| {
        model.loss(&sources, &targets, 0.0)
    };
    let mut model = model();
    let mut adam = Adam::new(&model);
    let mut losses = Vec::new();
    for step in 0..=STEPS[STEPS.len() - 1] {
        let (nats, slope) = gradient(&model, loss);
        if STEPS.contains(&step) {
            losses.push(nats);
        }
        adam.step(&mut model, &slope, rate(step + 1));
    }
    losses
}

/// The loss of a model that knows how frequent each answer is, and no more.
fn by_frequency() -> f64 {
    let [_, targets] = batch();
    let answers: Vec<Token> =
        targets.iter().flat_map(|target| target[1..].to_vec()).collect();
    nats(&answers)
}

/// Eight pairs that can only be learned by heart.
fn one_batch_by_heart() {
    let rate = |step| learning_rate(0.01, step, 10);
    section("One batch by heart");
    let steps = STEPS.map(|step| format!("{step:7}"));
    println!("after steps              {}", steps.concat());
    let line = |name: &str, rate: &dyn Fn(usize) -> f64| {
        let losses = losses(rate).into_iter();
        let numbers = losses.map(|nats| format!("{nats:7.2}"));
        println!("{name:25}{}", numbers.collect::<String>());
    };
    line("as it should be", &rate);
    line("warm-up of 4000 steps", &|step| learning_rate(0.01, step, 4000));
    line("learning rate times 50", &|step| 50.0 * rate(step));
    line("wrong sign", &|step| -rate(step));
    section("What to expect");
    value("guessing evenly", ((VOCABULARY as f64).ln()).fixed(2));
    value("by frequency alone", by_frequency().fixed(2));
}

/// What the decoder reads of a target.
type Cut = fn(&[Token]) -> &[Token];

/// Which rows of the decoder have read what they should answer?
fn what_the_rows_read() {
    let model = model();
    let [sources, targets] = batch();
    let (source, target) = (&sources[0], &targets[0]);
    let answers = target.len() - 1;
    // Row i answers with token i + 1 of the target, and may know those before.
    let before = (0..answers).map(|i| 0..i + 1).collect();
    let before = Mask::new(before, target.len());
    section("Leaks");
    let cuts: [(&str, Cut); 2] = [
        ("shifted", |target| shift_right(target).0),
        ("not shifted", |target| shift_right(target).1),
    ];
    for (name, cut) in cuts {
        let other = |&token: &Token| (token + 1) % VOCABULARY as Token;
        let leaks = leaks(&before, target, other, |target| {
            model.forward(&[source], &[cut(target)])
        });
        value(name.to_string(), format!("{leaks:?}"));
    }
}

/// One number of one weight is NaN. What does the next gradient tell?
fn who_is_not_a_number() {
    let [sources, targets] = batch();
    let mut model = model();
    model.encoder.layers[0].feed_forward.inner.weight[(0, 0)] = f64::NAN;
    let (nats, slope) = gradient(&model, |m: &Transformer<Variable<f64>>| {
        m.loss(&sources, &targets, 0.0)
    });
    let bad = |leaf: &Matrix| leaf.iter().any(|x| !x.is_finite());
    let names = |tree: &Transformer<Matrix>| -> Vec<String> {
        let leaves = tree.leaves().into_iter();
        leaves.filter(|(_, leaf)| bad(leaf)).map(|(name, _)| name).collect()
    };
    section("Not a number");
    assert!(nats.is_nan() && names(&model).len() == 1);
    let all = slope.leaves().len();
    value("gradients", format!("{} of {all}", names(&slope).len()));
}
