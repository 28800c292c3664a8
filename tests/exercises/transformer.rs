use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::dictionary::softmax;
use all_you_need::encoder::Config;
use all_you_need::layers::Linear;
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use nalgebra::DVector;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::largest;

#[path = "../../exercises/checks/transformer.rs"]
mod check;

fn random(vocabulary: usize, seed: u64) -> Transformer<Matrix> {
    let config = Config {
        vocabulary,
        layers: 2,
        d_model: 16,
        d_ff: 32,
        heads: 2,
        d_k: 4,
        d_v: 6,
    };
    Transformer::new(&config, &mut ChaCha8Rng::seed_from_u64(seed))
}

// Exercise 1
//
// None, and none. A row of the decoder attends only to itself and to rows
// before it, so a token that follows changes nothing. The memory was there
// before the first token was written.
#[test]
fn another_token_changes_no_earlier_row() {
    let model = random(11, 1);
    let memory = model.encode(&[[1, 2, 3]]);
    let before = model.decode(&[[0, 4, 5]], &memory);
    let after = model.decode(&[[0, 4, 5, 6]], &memory);
    assert!(largest(&(after.rows(0, 3) - before)) < 1e-13);
}

// Exercise 2
//
// What is left of a decoder layer is an encoder layer, and the mask makes it
// a decoder. Nothing has to be trained anew for this to run; to write
// something sensible it has to be trained on texts.

/// The logits after each token of a text, of a decoder alone.
pub fn gpt(model: &Transformer<Matrix>, text: &[Token]) -> Matrix {
    let past = Mask::causal(text.len());
    let mut y = model.embed(&[text]).rows;
    for layer in &model.decoder.layers {
        let written = layer.self_attention.forward(&y, &y, &past);
        y = layer.self_norm.add_norm(&y, &written);
        let mapped = layer.feed_forward.forward(&y);
        y = layer.feed_forward_norm.add_norm(&y, &mapped);
    }
    model.logits(&y)
}

/// A text and `more` tokens that continue it, each the most probable one.
pub fn continued(
    model: &Transformer<Matrix>,
    text: &[Token],
    more: usize,
) -> Vec<Token> {
    let mut written = text.to_vec();
    for _ in 0..more {
        let logits = gpt(model, &written);
        let last = logits.row(written.len() - 1).transpose();
        written.push(last.argmax().0 as Token);
    }
    written
}

// Exercise 3
//
// The target was not shifted: row i was compared with token i, which it had
// been fed. It has to predict token i + 1, so the last token is fed to no row
// and the first one is no answer.

/// The share of a target's tokens that a model predicts correctly.
pub fn share_right(
    model: &Transformer<Matrix>,
    source: &[Token],
    target: &[Token],
) -> f64 {
    let (fed, answers) = (&target[..target.len() - 1], &target[1..]);
    let logits = model.forward(&[source], &[fed]);
    let guess = |i: usize| logits.row(i).transpose().argmax().0 as Token;
    let right = (0..fed.len()).filter(|&i| guess(i) == answers[i]);
    right.count() as f64 / answers.len() as f64
}

// Exercise 4
//
// One table more: 81,989,632. Two tables more: 100,933,632. With a bias for
// each word it would be another 37,000.
#[test]
fn tables_are_the_largest_part() {
    let (base, bill) = (Config::base(), &mut Bill::default());
    let tied: Transformer<Shape> = Transformer::new(&base, bill);
    let table = parameter_count(&tied.embedding);
    assert_eq!(parameter_count(&tied) + table, 81_989_632);
    assert_eq!(parameter_count(&tied) + 2 * table, 100_933_632);
    let output: Linear<Shape> =
        Linear::new(base.d_model, base.vocabulary, bill);
    assert_eq!(parameter_count(&output), table + 37_000);
}

// Exercise 5
//
// For 37 of forty random models it is. For three another sentence is more
// probable, for two of them more than twice.
#[test]
fn greedy_sometimes_misses_the_best_sentence() {
    let mut missed = 0;
    for seed in 0..40 {
        let model = random(3, seed);
        let memory = model.encode(&[[0, 1, 2, 1]]);
        let rows = |fed: &[Token]| -> Vec<Vec<f64>> {
            let z = model.decode(&[fed], &memory);
            let logits = model.logits(&z).transpose();
            let rows = logits.column_iter();
            rows.map(|row| softmax(row.clone_owned().as_slice())).collect()
        };
        let probability = |y: [Token; 3]| -> f64 {
            let rows = rows(&[0, y[0], y[1]]);
            (0..3).map(|i| rows[i][y[i] as usize]).product()
        };
        let all = (0..27).map(|i| [i / 9, i / 3 % 3, i % 3]);
        let best = all.map(probability).fold(0.0, f64::max);
        let mut said = vec![0];
        for i in 0..3 {
            let next = rows(&said).swap_remove(i);
            said.push(DVector::from_vec(next).argmax().0 as Token);
        }
        let greedy = probability([said[1], said[2], said[3]]);
        assert!(greedy <= best);
        missed += usize::from(greedy < best);
    }
    assert_eq!(missed, 3);
}
