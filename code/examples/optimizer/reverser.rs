//! A model that learns to say words of four letters backwards.

use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::loss::{CrossEntropy, smoothed};
use all_you_need::optimizer::descend;
use all_you_need::parameters::{Parameters, gradient, parameter_count};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

pub const END: Token = 6;

pub type Model<T = Matrix> = Transformer<T>;
pub type Words = Vec<Vec<Token>>;

/// The word with this number, from 0 to 6⁴ − 1.
pub fn word(number: usize) -> Vec<Token> {
    let letter = |place| (number / 6usize.pow(place) % 6) as Token;
    (0..4).map(letter).collect()
}

/// A hundred words that no lesson ever contains, *stop* among them.
pub fn is_held_out(number: usize) -> bool {
    number.is_multiple_of(13)
}

pub fn reversed(words: &Words) -> Words {
    words.iter().map(|word| word.iter().rev().copied().collect()).collect()
}

/// What the decoder should write: each word backwards, between two ends.
pub fn targets(words: &Words) -> Words {
    let words = reversed(words).into_iter();
    words.map(|word| [&[END], &word[..], &[END]].concat()).collect()
}

/// What is to be learned: to say each word backwards.
pub fn lesson(model: &Model<Variable<f64>>, words: &Words) -> Variable<f64> {
    model.loss(words, &targets(words), 0.1)
}

pub fn newborn(layers: usize, seed: u64) -> Model {
    let config = Config {
        vocabulary: 7,
        layers,
        d_model: 16,
        d_ff: 32,
        heads: 2,
        d_k: 8,
        d_v: 8,
    };
    Model::new(&config, &mut ChaCha8Rng::seed_from_u64(seed))
}

/// Twelve random words, none of them held out.
pub fn batch(rng: &mut ChaCha8Rng) -> Words {
    let numbers = std::iter::repeat_with(|| rng.random_range(0..1296));
    numbers.filter(|n| !is_held_out(*n)).map(word).take(12).collect()
}

/// What is left of a training run.
pub struct Run {
    /// The loss of every step.
    pub losses: Vec<f64>,
    /// The model before the first step, and after each.
    pub models: Vec<Model>,
}

/// Changes a model, by its gradient, in the step with this number.
pub type Update = Box<dyn FnMut(usize, &mut Model, &Model)>;

/// Step by step: twelve words, a loss, a gradient, a better model.
pub fn train(
    model: Model,
    steps: usize,
    seed: u64,
    mut update: Update,
) -> Run {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed + 1);
    let mut run = Run { losses: Vec::new(), models: vec![model] };
    for step in 1..=steps {
        let words = batch(rng);
        let mut model = run.models[step - 1].clone();
        let (loss, gradients) =
            gradient(&model, |model| lesson(model, &words));
        update(step, &mut model, &gradients);
        run.losses.push(loss);
        run.models.push(model);
    }
    run
}

/// Zeros in the form of a model.
pub fn zeros(model: &Model) -> Model {
    model.map("", &mut |_, leaf: &Matrix| leaf * 0.0)
}

/// The least that a smoothed target can cost.
pub fn floor() -> f64 {
    let best = smoothed::<f64>(&[0], 7, 0.1).map(f64::ln);
    best.cross_entropy(&[0], 0.1)[0]
}

/// How far two models are apart: the root of the mean square over all
/// weights.
pub fn distance(one: &Model, other: &Model) -> f64 {
    let mut apart = one.clone();
    descend(&mut apart, other, 1.0);
    let leaves = apart.leaves().into_iter();
    let squares: f64 = leaves.map(|(_, leaf)| leaf.norm_squared()).sum();
    (squares / parameter_count(one) as f64).sqrt()
}
