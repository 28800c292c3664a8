//! What each quick way saves, in milliseconds, the best of several tries:
//! `cargo bench --bench speed`
//!
//! The sizes are those of one part of a batch, 46 sentences of 15 tokens, as
//! the translation chapter trains with. `times` is how often an update does
//! it, there and back, in its four parts.

use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::heads::{Heads, attend_by_head};
use all_you_need::loss::{CrossEntropy, TiedCrossEntropy};
use all_you_need::tensor::{Float, Init, Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::training::{Example, Recipe, Training};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rayon::ThreadPoolBuilder;
use std::hint::black_box;
use std::time::Instant;

type V = Variable<f32>;

/// In one part of a batch.
const SENTENCES: usize = 46;
const LENGTH: usize = 15;
const ROWS: usize = SENTENCES * LENGTH;
const PARTS: usize = 4;

fn main() {
    println!("what\ttimes\tslow\tquick");
    product();
    subnormal();
    exponentials();
    attending();
    loss();
    update();
}

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

fn noise(rows: usize, cols: usize) -> Matrix<f32> {
    rng().noise(rows, cols, 1.0)
}

/// Prints the best times of two ways. They are tried in turn, so that a
/// moment of rest for the machine is one for both.
fn compare<A, B>(
    what: &str,
    times: usize,
    mut slow: impl FnMut() -> A,
    mut quick: impl FnMut() -> B,
) {
    let mut best = [f64::INFINITY; 2];
    for _ in 0..15 {
        best[0] = best[0].min(milliseconds(&mut slow));
        best[1] = best[1].min(milliseconds(&mut quick));
    }
    println!("{what}\t{times}\t{:.3}\t{:.3}", best[0], best[1]);
}

fn milliseconds<R>(run: &mut impl FnMut() -> R) -> f64 {
    let start = Instant::now();
    black_box(run());
    start.elapsed().as_secs_f64() * 1e3
}

/// There and back: the sum of the result is the loss.
fn there_and_back(tape: &Tape<f32>, result: &V) {
    let (rows, cols) = result.shape();
    let ones = |n, m| tape.variable(Matrix::from_element(n, m, 1.0));
    let sum = ones(1, rows).matmul(result).matmul(&ones(cols, 1));
    black_box(tape.gradients(&sum));
}

/// XᵀG, the gradient of a weight: dot product by dot product, and with X
/// turned first.
fn product() {
    let (x, g) = (noise(ROWS, 128), noise(ROWS, 128));
    compare("product", PARTS * 64, || x.tr_mul(&g), || x.transpose() * &g);
}

/// X W, with X too small for all the digits of an `f32`, and with X zero.
fn subnormal() {
    let (x, w) = (noise(ROWS, 128) * 1e-40, noise(128, 128));
    let zero = Matrix::zeros(ROWS, 128);
    compare("subnormal", 0, || &x * &w, || &zero * &w);
}

/// All scores of the vocabulary.
fn exponentials() {
    let scores = noise(ROWS, Config::tiny().vocabulary);
    let quick = || {
        let mut powers = scores.clone();
        f32::exp_all(powers.as_mut_slice());
        powers
    };
    compare("exponentials", PARTS, || scores.map(f32::exp), quick);
}

/// Self-attention over all sentences at once, and each on its own.
fn attending() {
    let inputs = [(); 3].map(|()| noise(ROWS, 128));
    let lengths = [LENGTH; SENTENCES];
    let mask = Mask::packed(&lengths, &lengths);
    let on = |attend: fn(&V, &V, &V, usize, &Mask) -> V| {
        let tape = Tape::default();
        let [q, k, v] = inputs.clone().map(|x| tape.variable(x));
        there_and_back(
            &tape,
            &attend(&q, &k, &v, Config::tiny().heads, &mask),
        );
    };
    compare(
        "attending",
        PARTS * 12,
        || on(attend_by_head),
        || on(Heads::attend_heads),
    );
}

/// The loss over all scores, and in blocks of rows.
fn loss() {
    let (rows, table) =
        (noise(ROWS, 128), noise(Config::tiny().vocabulary, 128));
    let targets: Vec<Token> =
        (0..ROWS as Token).map(|row| row * 14).collect();
    let on = |loss: fn(&V, &V, &[Token]) -> V| {
        let tape = Tape::default();
        let [rows, table] = [&rows, &table].map(|x| tape.variable(x.clone()));
        there_and_back(&tape, &loss(&rows, &table, &targets));
    };
    let formula = |rows: &V, table: &V, targets: &[Token]| {
        rows.matmul_t(table).cross_entropy(targets, 0.1)
    };
    let quick = |rows: &V, table: &V, targets: &[Token]| {
        rows.tied_cross_entropy(table, targets, 0.1)
    };
    compare("loss", PARTS, || on(formula), || on(quick));
}

/// A whole update, on one thread and on all.
fn update() {
    let sentence = |i: usize, length: usize| -> Vec<Token> {
        let token = |j| (i * LENGTH + j) * 17 % 9000;
        (0..length).map(|j| token(j) as Token).collect()
    };
    // A target has a begin token, too, which is not predicted.
    let example = |i| Example {
        source: sentence(i, LENGTH),
        target: sentence(i + 1, LENGTH + 1),
    };
    let batch: Vec<Example> = (0..SENTENCES * PARTS).map(example).collect();
    let recipe = Recipe { batch_tokens: ROWS * PARTS, ..Recipe::tiny() };
    let mut training: Training = Training::new(&Config::tiny(), recipe);
    let mut other = training.clone();
    let pool =
        |threads| ThreadPoolBuilder::new().num_threads(threads).build();
    let [one, all] = [1, 0].map(|threads| pool(threads).expect("threads"));
    compare(
        &format!("update on {} threads", all.current_num_threads()),
        1,
        || one.install(|| training.update(&batch)),
        || all.install(|| other.update(&batch)),
    );
}
