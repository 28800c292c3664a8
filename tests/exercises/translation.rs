use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::tokens::words;
use all_you_need::transformer::Transformer;
use all_you_need::translation::TextPair;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashMap;

#[path = "../../exercises/checks/translation.rs"]
mod check;

// Exercise 1
//
// Half of it: 1,280,000 of 2,598,912. Without merges there are 258 tokens, for
// the bytes and the two marks, and the table is a fortieth as large. So the
// model has 1,351,936 parameters. But then a caption has a token for every
// letter, and every letter is a step of the search.
#[test]
fn half_the_model_is_its_table() {
    let config = Config::tiny();
    let count = |config: &Config| {
        let model: Transformer<Shape> =
            Transformer::new(config, &mut Bill::default());
        parameter_count(&model)
    };
    let (table, all) = (10_000 * 128, count(&config));
    assert_eq!((table, all), (1_280_000, 2_598_912));
    let bytes = Config { vocabulary: 258, ..config };
    assert_eq!(count(&bytes), all - table + 258 * 128);
    assert_eq!(count(&bytes), 1_351_936);
}

// Exercise 2
//
// By the lengths. A long caption has a long translation. So in hardly any
// pair one text is half as long again as the other. Off by a line, the texts
// of a pair have nothing to do with each other, and in many pairs one is.
#[test]
fn a_lost_line_shows_in_the_lengths() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let english: Vec<i32> =
        (0..200).map(|_| rng.random_range(5..20)).collect();
    let german: Vec<i32> =
        english.iter().map(|n| n + rng.random_range(-2..=2)).collect();
    let unequal = |english: &[i32], german: &[i32]| {
        let pairs = english.iter().zip(german);
        pairs.filter(|&(a, b)| 2 * a.max(b) > 3 * a.min(b)).count()
    };
    assert!(unequal(&english, &german) < 10);
    assert!(unequal(&english[..199], &german[1..]) > 60);
}

// Exercise 3
//
// The counts of the words say how many are in common: of each word the smaller
// of two counts, as with the n-grams of BLEU. Only a text that is more similar
// takes the place of an earlier one.

/// How often each word occurs.
fn counts(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    words(text).into_iter().for_each(|w| *counts.entry(w).or_default() += 1);
    counts
}

/// How similar two texts are, from 0 to 1.
fn similarity(a: &str, b: &str) -> f64 {
    let (in_a, in_b) = (counts(a), counts(b));
    let smaller = |(word, &count): (&String, &usize)| {
        in_b.get(word).map_or(0, |&other| count.min(other))
    };
    let common: usize = in_a.iter().map(smaller).sum();
    2.0 * common as f64 / (words(a).len() + words(b).len()) as f64
}

/// The translation of the most similar text.
pub fn recall<'a>(text: &str, known: &'a [TextPair]) -> &'a str {
    let mut best = (similarity(text, &known[0].0), &known[0].1);
    for (other, translation) in &known[1..] {
        let similar = similarity(text, other);
        if similar > best.0 {
            best = (similar, translation);
        }
    }
    best.1
}
