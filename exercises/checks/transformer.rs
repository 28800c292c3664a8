//! Checks the exercises of the chapter on the whole Transformer.

use super::{continued, gpt, share_right};
use crate::expect::expect;
use all_you_need::attention::Mask;
use all_you_need::encoder::{Config, Encoder, EncoderLayer};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: a_decoder_alone_continues_a_text,
    exercise_3: a_row_predicts_the_token_that_follows
}

fn small() -> Transformer<Matrix> {
    let config = Config { vocabulary: 40, d_model: 32, ..Config::toy() };
    Transformer::new(&config, &mut ChaCha8Rng::seed_from_u64(1))
}

fn a_decoder_alone_continues_a_text() {
    let (model, text) = (small(), [0, 7, 3, 3, 12]);
    let found = gpt(&model, &text);
    assert_eq!(found.shape(), (5, 40), "a row of logits for each token");

    let begun = gpt(&model, &text[..2]);
    let hint = "no row may depend on later tokens: is there a causal mask?";
    expect(&found.rows(0, 2).into(), &begun, hint);

    let layers = model.decoder.layers.iter().map(|layer| EncoderLayer {
        attention: layer.self_attention.clone(),
        attention_norm: layer.self_norm.clone(),
        feed_forward: layer.feed_forward.clone(),
        feed_forward_norm: layer.feed_forward_norm.clone(),
    });
    let encoder = Encoder { layers: layers.collect() };
    let rows = model.embed(&[text]).rows;
    let z = encoder.forward(&rows, &Mask::causal(5));
    let hint = "is each of the two sublayers followed by add & norm, and are \
                the rows passed on from layer to layer?";
    expect(&found, &model.logits(&z), hint);

    let written = continued(&model, &text, 3);
    assert_eq!(written.len(), 8, "the text itself, and three tokens more");
    for i in 5..8 {
        let logits = gpt(&model, &written[..i]);
        let next = logits.row(i - 1).transpose().argmax().0 as Token;
        assert_eq!(
            written[i], next,
            "the last row has the largest logit here"
        );
    }
}

/// The last guess of a model that was fed these tokens.
fn guess(
    model: &Transformer<Matrix>,
    source: &[Token],
    fed: &[Token],
) -> Token {
    let logits = model.forward(&[source], &[fed]);
    logits.row(fed.len() - 1).transpose().argmax().0 as Token
}

fn a_row_predicts_the_token_that_follows() {
    let (model, source) = (small(), [5, 6, 7]);
    let target = [0, 9, 4, 21, 33, 14, 2, 17, 1];
    let right = (1..9)
        .filter(|&i| guess(&model, &source, &target[..i]) == target[i])
        .count();
    let (found, expected) =
        (share_right(&model, &source, &target), right as f64 / 8.0);
    assert!(
        (found - expected).abs() < 1e-9,
        "a model with random weights is right by chance only, here for \
         {expected} of the tokens, not for {found}. Row i was fed token i: \
         which one should it predict? And how many predictions are there?"
    );
}
