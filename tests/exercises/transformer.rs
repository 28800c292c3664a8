use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
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
// Two and a half: the table has 18,944,000 numbers, and a layer on each side
// has 7,350,272. Three attentions, two feed-forward networks and five norms
// make up the two layers.
#[test]
fn a_table_is_worth_two_and_a_half_layers() {
    let Config { vocabulary, d_model, d_ff, .. } = Config::base();
    let attention = 4 * d_model * d_model;
    let feed_forward = 2 * d_model * d_ff + d_ff + d_model;
    let layers = 3 * attention + 2 * feed_forward + 5 * 2 * d_model;
    assert_eq!((vocabulary * d_model, layers), (18_944_000, 7_350_272));
}
