//! Sentences that are drawn, token by token.

use super::language::{END, ENDS, I_AM_FINE, Language, START, joined};
use all_you_need::search::Sampling;
use print::{section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::BTreeMap;

/// The tokens that may be drawn next, the most probable first, each with its
/// weight: those that are left by top-k and then by top-p.
fn possible(
    logs: &[f64],
    (temperature, top_k, top_p): (f64, usize, f64),
) -> Vec<(usize, f64)> {
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |log: &f64| ((log - highest) / temperature).exp();
    let weights = logs.iter().map(weight).enumerate();
    let mut all: Vec<(usize, f64)> = weights.collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(top_k);
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    let mut before = 0.0;
    all.retain(|(_, weight)| {
        let is_needed = before < top_p * sum;
        before += weight;
        is_needed
    });
    all
}

/// Draws a sentence, token by token.
pub fn drawn(
    next: impl Fn(&[usize]) -> Vec<f64>,
    [begin, end]: [usize; 2],
    settings: Settings,
    rng: &mut ChaCha8Rng,
) -> Vec<usize> {
    let mut said = vec![begin];
    while said.len() <= 20 {
        let all = possible(&next(&said), settings);
        let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
        let mut left = rng.random::<f64>() * sum;
        let hit = all.iter().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        let (token, _) = *hit.unwrap_or(&all[0]);
        if token == end {
            break;
        }
        said.push(token);
    }
    said.split_off(1)
}

/// A temperature, top-k and top-p.
pub type Settings = (f64, usize, f64);

/// Sampling as the model says, and with each of the settings.
pub const SETTINGS: [(&str, Settings); 5] = [
    ("as the model says", (1.0, usize::MAX, 1.0)),
    ("temperature 0.5", (0.5, usize::MAX, 1.0)),
    ("temperature 2", (2.0, usize::MAX, 1.0)),
    ("top-k of 2", (1.0, 2, 1.0)),
    ("top-p of 0.85", (1.0, usize::MAX, 0.85)),
];

/// The words that come first in answer to *I am fine*, with their
/// probabilities.
pub fn first_words(settings: Settings) -> Vec<(String, f64)> {
    let language = Language::new(I_AM_FINE);
    let all = possible(&language.logs(&[ENDS[0]]), settings);
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    let of = |word: &str| {
        let found =
            all.iter().find(|(token, _)| language.words[*token] == word);
        found.map_or(0.0, |(_, weight)| weight / sum)
    };
    let words = language.after("").iter();
    words.map(|(word, _)| (word.to_string(), of(word))).collect()
}

/// A sentence is rare if its probability is below this.
const RARE: f64 = 0.03;

/// How often each of two sentences is drawn.
pub fn a_thousand_draws() {
    section("A thousand draws");
    let language = Language::new(I_AM_FINE);
    let row = |(name, settings): (&'static str, Settings)| {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut counts = BTreeMap::<String, usize>::new();
        for _ in 0..1000 {
            let next = |said: &[usize]| language.logs(said);
            let said = drawn(next, ENDS, settings, rng).into_iter();
            let words: Vec<_> = said.map(|i| language.words[i]).collect();
            *counts.entry(words.join(" ")).or_default() += 1;
        }
        let of = |said: &str| counts.get(said).copied().unwrap_or(0);
        let rare = counts.iter().filter(|(said, _)| {
            language.probability(&joined(said, "<end>")) < RARE
        });
        let rare: usize = rare.map(|(_, count)| count).sum();
        (name, counts.len(), of("Mir geht es gut"), of("Gut"), rare)
    };
    let names = ["", "different", "Mir geht es gut", "Gut", "rare"];
    table(names, SETTINGS.map(row));
    section("Rare");
    value("rare below", RARE);
    let cold = (0.0001, usize::MAX, 1.0);
    let all = SETTINGS.map(|(_, settings)| settings);
    all.into_iter().chain([cold]).for_each(same_as_the_crates);
}

/// Fails if the crate draws the first word with other probabilities.
fn same_as_the_crates((temperature, top_k, top_p): Settings) {
    let new = Sampling::new(START, END);
    let sampling = Sampling { temperature, top_k, top_p, ..new };
    let language = Language::new(I_AM_FINE);
    let found = sampling.probabilities(&language.logs(&ENDS[..1]));
    let found = found.expect("finite logits");
    for (word, p) in first_words((temperature, top_k, top_p)) {
        assert!((found[language.id(&word)] - p).abs() < 1e-15);
    }
}
