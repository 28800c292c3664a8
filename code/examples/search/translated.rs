//! What the book's translator writes in a beam, and what is drawn.

use super::random::logarithms;
use super::sampling::{SETTINGS, drawn};
use super::{beam, whole};
use all_you_need::plain::{decode, encode};
use all_you_need::search::Beam;
use all_you_need::tokens::Token;
use all_you_need::translation::Translator;
use print::{section, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::BTreeSet;

const CAPTION: &str = "a woman in a red coat is reading a book .";

/// Translations of a caption: that of a beam, and some that are drawn.
pub fn drawn_translations() {
    let translator = Translator::captions();
    let model = whole::model(&translator);
    let read = whole::tokens(&translator, CAPTION);
    let ends = whole::ends(&translator);
    let z = encode(&model, &read);
    let next = |said: &[usize]| {
        let scores = decode(&model, said, &z);
        let last = scores.row(said.len() - 1);
        logarithms(&Vec::from_iter(last.iter().copied()))
    };
    let (said, score) = beam(next, ends, (4, 0.6, read.len() + 50));
    let found = &said[1..said.len() - 1];
    let words = |said: &[usize]| whole::text(&translator, said);
    same_as_the_crates(&translator, found, score);
    section("The caption");
    value("caption", CAPTION);
    value("found", words(found));
    section("Twenty translations");
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let all = SETTINGS.map(|(name, settings)| {
        let drawn = (0..20).map(|_| drawn(next, ends, settings, rng));
        (name, drawn.collect::<Vec<_>>())
    });
    for (name, drawn) in &all[..3] {
        let different = BTreeSet::from_iter(drawn).len();
        value(format!("{name}: different"), different);
    }
    let [(_, as_it_says), _, (_, hot), ..] = &all;
    section("Some as the model says");
    for drawn in as_it_says.iter().filter(|drawn| *drawn != found).take(4) {
        println!("{}", words(drawn).trim());
    }
    section("One of the hot ones");
    value("it begins", words(&hot[0][..5]).trim());
}

/// Fails if the crate's beam finds something else.
fn same_as_the_crates(translator: &Translator, found: &[usize], score: f64) {
    let Translator { model, tokenizer, .. } = translator;
    let beam = Beam::paper(tokenizer.bos(), tokenizer.eos());
    let source = tokenizer.encode_source(CAPTION);
    let theirs =
        &model.search(&[source], &beam).expect("finite logits")[0][0];
    let found = found.iter().map(|&id| id as Token);
    assert!(found.eq(theirs.tokens.iter().copied()));
    assert!((score - theirs.score).abs() < 1e-5);
}
