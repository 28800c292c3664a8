//! Checks the exercises of the chapter on the whole Transformer.

use super::{continued, gpt, share_right};
use crate::expect::expect;
use all_you_need::plain::{
    Heads, Model, causal, decode, embed, encode, encoder_layer,
};
use all_you_need::tensor::Init;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: a_decoder_alone_continues_a_text,
    exercise_3: a_row_predicts_the_token_that_follows
}

/// A model of random numbers: 40 tokens, rows of 32, two layers on each side.
fn small() -> Model {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut random = |rows, columns| rng.uniform(rows, columns, 0.1);
    let mut look = || Heads(4, [(); 4].map(|()| random(32, 32)));
    let looks = [(); 6].map(|()| look());
    let mut thinks = [(); 4]
        .map(|()| {
            let [w1, b1] = [random(32, 48), random(1, 48)];
            [w1, b1, random(48, 32), random(1, 32)]
        })
        .into_iter();
    let mut norm = || [random(1, 32).add_scalar(1.0), random(1, 32)];
    let [a, b, c, d, e, f] = looks;
    let mut think = || thinks.next().expect("four networks");
    let encoder =
        vec![(a, norm(), think(), norm()), (b, norm(), think(), norm())];
    let decoder = vec![
        (c, norm(), d, norm(), think(), norm()),
        (e, norm(), f, norm(), think(), norm()),
    ];
    // Rows so long that they outweigh what the layers add: a row of the result
    // is most like the token that was fed.
    Model(random(40, 32) * 10.0, encoder, decoder)
}

fn a_decoder_alone_continues_a_text() {
    let (model, text) = (small(), [0, 7, 3, 3, 12]);
    let found = gpt(&model, &text);
    assert_eq!(found.shape(), (5, 40), "a row of logits for each token");

    let begun = gpt(&model, &text[..2]);
    let hint = "no row may depend on later tokens: is there a causal mask?";
    expect(&found.rows(0, 2).into(), &begun, hint);

    let Model(table, _, layers) = &model;
    let mut z = embed(table, &text);
    for (look, norm1, _, _, think, norm2) in layers.clone() {
        z = encoder_layer(&(look, norm1, think, norm2), &z, &causal(5));
    }
    let hint = "is each of the two sublayers followed by add & norm, and are \
                the rows passed on from layer to layer?";
    expect(&found, &(z * table.transpose()), hint);

    let written = continued(&model, &text, 3);
    assert_eq!(written.len(), 8, "the text itself, and three tokens more");
    for i in 5..8 {
        let logits = gpt(&model, &written[..i]);
        let next = logits.row(i - 1).transpose().argmax().0;
        assert_eq!(
            written[i], next,
            "the last row has the largest logit here"
        );
    }
}

/// The last guess of a model that was fed these tokens.
fn guess(model: &Model, source: &[usize], fed: &[usize]) -> usize {
    let logits = decode(model, fed, &encode(model, source));
    logits.row(fed.len() - 1).transpose().argmax().0
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
