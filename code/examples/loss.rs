//! How wrong a model is, as one number: `cargo run --example loss`

use all_you_need::attention::{Mask, Softmax};
use all_you_need::encoder::Config;
use all_you_need::loss::{
    CrossEntropy, log_sum_exp, perplexity, shift_right, smoothed,
};
use all_you_need::plain::softmax;
use all_you_need::tensor::{Float, Matrix};
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use nalgebra::{convert, dmatrix};
use print::{Fixed, fixed, grouped, section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

fn main() {
    one_word();
    one_sentence();
    targets();
    by_hand();
    confidence();
    untrained();
    far_behind();
    squares();
    padding();
}

/// What can come after *Mir geht es*.
const WORDS: [&str; 5] = ["Mir", "geht", "es", "gut", "end"];

/// How probable a model finds each of them.
pub const GUESS: [f64; 5] = [0.05, 0.05, 0.10, 0.70, 0.10];

/// The mean surprise of rows of logits at their right tokens, in nats.
pub fn cross_entropy(
    logits: &Matrix,
    right: &[usize],
    smoothing: f64,
) -> f64 {
    let nats = logits.row_iter().zip(right).map(|(x, &token)| {
        let max = x.max();
        let log_sum_exp = max + x.map(|x| (x - max).exp()).sum().ln();
        log_sum_exp - (1.0 - smoothing) * x[token] - smoothing * x.mean()
    });
    nats.sum::<f64>() / right.len() as f64
}

fn one_word() {
    section("One word");
    let row = |i: usize| (WORDS[i], [GUESS[i], -GUESS[i].ln()].fixed(2));
    table(["", "probability", "nats"], (0..5).map(row));
}

/// The probabilities that a model gave to the words that came.
fn one_sentence() {
    let given: [f64; 5] = [0.50, 0.80, 0.90, 0.70, 0.95];
    let product: f64 = given.iter().product();
    let all = WORDS.into_iter().zip(given).chain([("all", product)]);
    section("One sentence");
    let rows = all.map(|(name, p)| (name, [p, -p.ln()].fixed(3)));
    table(["", "probability", "nats"], rows);
    let mean = -product.ln() / 5.0;
    let even = |v: usize| cross_entropy(&Matrix::zeros(1, v), &[0], 0.0);
    section("Knowing much and nothing");
    value("mean", mean.fixed(3));
    value("perplexity", perplexity(mean).fixed(2));
    value("nats, 37,000 words", even(37_000).fixed(2));
}

/// The right token *gut*, hard and smoothed, and the least that it can cost.
fn targets() {
    section("The target gut");
    let row = |smoothing: f64| {
        let target = smoothed::<f64>(&[3], 5, smoothing);
        (format!("ε = {smoothing:.1}"), fixed(&target, 2))
    };
    table(("", WORDS), [0.0, 0.1, 0.5].map(row));
    let least = |v: usize| {
        let best = smoothed::<f64>(&[0], v, 0.1).map(f64::ln);
        cross_entropy(&best, &[0], 0.1)
    };
    section("The least");
    value("5 words", least(5).fixed(3));
    value("37,000 words", least(37_000).fixed(3));
}

/// Two decimals, with a true minus.
fn two(x: f64) -> String {
    grouped(x.fixed(2))
}

/// The loss of the logits 2, 1 and 0, of which the first is right, and its
/// slopes.
fn by_hand() {
    let logits = dmatrix![2.0, 1.0, 0.0];
    let sum = logits.map(f64::exp).sum();
    let p = softmax(&logits);
    let loss = cross_entropy(&logits, &[0], 0.0);
    section("The loss by hand");
    value("sum of the exponentials", sum.fixed(2));
    value("its logarithm", sum.ln().fixed(2));
    value("distance", loss.fixed(2));
    value("probability", p[0].fixed(3));
    let others = sum.ln() - 0.9 * 2.0 - 0.05 * 1.0;
    value("smoothed over the others", others.fixed(2));
    section("Slopes by hand");
    let q = [1.0, 0.0, 0.0];
    let columns = ["logit", "p", "q", "p − q", "two-sided difference"];
    let rows = (0..3).map(|j| {
        let loss = |h: f64| {
            let mut logits = logits.clone();
            logits[j] += h;
            cross_entropy(&logits, &[0], 0.0)
        };
        let tried = (loss(0.001) - loss(-0.001)) / 0.002;
        [logits[j], p[j], q[j], p[j] - q[j], tried].map(two)
    });
    table(columns, rows);
}

/// The loss when the right one of five tokens has probability p and the
/// others share what is left.
pub fn confident(p: f64, smoothing: f64) -> f64 {
    let mut row = Matrix::repeat(1, 5, ((1.0 - p) / 4.0).ln());
    row[3] = p.ln();
    cross_entropy(&row, &[3], smoothing)
}

fn confidence() {
    section("Confidence");
    value("at 0.92", confident(0.92, 0.1).fixed(2));
    value("at 0.999", confident(0.999, 0.1).fixed(2));
    let q: Matrix = smoothed(&[3], 5, 0.1);
    value("the lead that is asked for", (q[3] / q[0]).ln().fixed(1));
}

/// Twenty random sentences of eight tokens out of a thousand.
fn sentences(rng: &mut ChaCha8Rng) -> Vec<Vec<Token>> {
    let sentence = |_| (0..8).map(|_| rng.random_range(0..1000)).collect();
    (0..20).map(sentence).collect()
}

/// What a model costs that has learned nothing.
fn untrained() {
    let config = Config {
        vocabulary: 1002,
        layers: 2,
        d_model: 64,
        d_ff: 128,
        heads: 4,
        d_k: 16,
        d_v: 16,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut model: Transformer<Matrix> = Transformer::new(&config, rng);
    let (sources, said) = (sentences(rng), sentences(rng));
    let targets: Vec<_> = said
        .iter()
        .map(|said| [&[1000], &said[..], &[1001]].concat())
        .collect();
    let loss =
        |model: &Transformer<Matrix>| model.loss(&sources, &targets, 0.0)[0];
    let shifted = targets.iter().map(|target| shift_right(target));
    let (fed, answers): (Vec<_>, Vec<_>) = shifted.unzip();
    let (scores, answers) = (model.forward(&sources, &fed), answers.concat());
    let (mut sums, mut right) = (0.0, 0.0);
    for (row, &token) in scores.row_iter().zip(&answers) {
        sums += log_sum_exp(&Vec::from_iter(row.iter().copied()));
        right += row[token as usize];
    }
    let n = answers.len() as f64;
    let unshifted = model.forward(&sources, &said);
    let unshifted = unshifted.cross_entropy(&said.concat(), 0.0)[0];
    section("Before training");
    value("vocabulary", config.vocabulary);
    value("nats, guessing evenly", two(1002_f64.ln()));
    value("untrained", two(loss(&model)));
    value("mean log-sum-exp", two(sums / n));
    value("mean logit of the right token", two(right / n));
    value("unshifted", two(unshifted));
    model.embedding.table *= 8.0;
    value("a table of standard deviation 1", loss(&model).fixed(0));
}

/// −ln of a softmax, one after the other.
fn naive<F: Float>(scores: &Matrix<F>) -> F {
    -scores.softmax(&Mask::none(1, 2))[0].ln()
}

fn far_behind() {
    section("Far behind");
    let rows = [-10.0, -80.0, -110.0, -800.0].map(|behind| {
        let row = dmatrix![behind, 0.0];
        let single: Matrix<f32> = row.map(convert);
        let (single, double) = (naive(&single), naive(&row));
        let right = cross_entropy(&row, &[0], 0.0);
        let losses = [f64::from(single), double, right].fixed(2);
        (grouped(behind.fixed(0)), losses)
    });
    table(["logit", "in f32", "in f64", "by log-sum-exp"], rows);
}

/// The squared distance of p and q for the right one of two tokens, whose
/// logit this is where the other has 0.
pub fn squared(logit: f64) -> f64 {
    (softmax(&dmatrix![logit, 0.0]) - dmatrix![1.0, 0.0]).norm_squared()
}

fn squares() {
    let entropy = |x: f64| cross_entropy(&dmatrix![x, 0.0], &[0], 0.0);
    let slope = |f: &dyn Fn(f64) -> f64| {
        let slope = (f(-5.999) - f(-6.001)) / 0.002;
        grouped(slope.fixed(3))
    };
    let wrong = 100.0 * softmax(&dmatrix![-6.0, 0.0])[1];
    section("Slopes at −6");
    value("sure of the wrong one", format!("{wrong:.1} %"));
    value("cross-entropy", slope(&entropy));
    value("squares", slope(&squared));
}

/// Four sentences of 3, 4, 5 and 12 tokens at 2.3 nats each, filled up to 12
/// rows each with padding at a thousandth.
fn padding() {
    let (tokens, rows) = (3 + 4 + 5 + 12, 4 * 12);
    let real = 24.0 * 10_f64.ln();
    let fill = f64::from(rows - tokens) * -0.999_f64.ln();
    section("Padding");
    let alone = perplexity(real / f64::from(tokens));
    value("tokens alone, perplexity", alone.fixed(0));
    let all = perplexity((real + fill) / f64::from(rows));
    value("padding counted in, perplexity", all.fixed(1));
}
