//! What counts fill in, and what knowledge of the grammar would cost.

use super::logged::{RUNS, last};
use all_you_need::gaps::{Form, GAP, Neighbours, Sentence, Sets, vocabulary};
use all_you_need::tokens::{Vocabulary, words};
use print::log::number;
use print::{Fixed, grouped, mean, section, value};

/// Three sentences to count in.
const STORY: [&str; 3] = [
    "the dog is tired today .",
    "the cats near the dog are tired today .",
    "the dog is old today .",
];

/// A gap that the counts fill, and what should be there.
const GAP_OF_DOG: &str = "the cats near the dog ___ old today .";

pub fn most_frequent() {
    let text = words(&[&STORY[..], &[GAP_OF_DOG]].concat().join(" "));
    let vocabulary = Vocabulary::of(&text);
    let encode = |text| vocabulary.encode(&words(text)).expect("known words");
    section("After dog");
    for (name, before, after) in [("before", 1, 0), ("both", 1, 1)] {
        let mut counts = Neighbours::new(before, after);
        STORY.iter().for_each(|text| counts.count(&encode(text)));
        let text = words(GAP_OF_DOG);
        let gap = text.iter().position(|word| word == "___").expect("a gap");
        let said = counts.fill(&encode(GAP_OF_DOG), gap).expect("a word");
        value(name, &vocabulary.decode(&[said])[0]);
    }
}

/// Among how many equally probable words a gap leaves the choice, if all other
/// words are there.
fn choices(sentence: &Sentence, gap: usize) -> f64 {
    let Sentence { words, form, nouns, subject, verb, time } = sentence;
    let is_noun = nouns.contains(&gap);
    match words[gap].as_str() {
        "the" | "that" | "." => 1.0,
        _ if gap == *verb || gap == *time => 1.0,
        // A verb tells the number of its noun.
        _ if gap == *subject => 10.0,
        _ if is_noun && *form == Form::Clause => 10.0,
        _ if is_noun => 20.0,
        _ if gap == verb + 1 || nouns.contains(&(gap + 1)) => 8.0,
        // A preposition, or the verb of a clause.
        _ => 4.0,
    }
}

/// The gaps to learn from, and the least that they can cost.
pub fn floor() {
    let Sets { training, examples, .. } = Sets::new(1, &vocabulary());
    let gaps = training.iter().zip(&examples).flat_map(|(sentence, gaps)| {
        let hidden = (0..).zip(&gaps.text).filter(|(_, word)| **word == GAP);
        hidden.map(|(gap, _)| choices(sentence, gap).ln())
    });
    let nats: Vec<f64> = gaps.collect();
    let floor = mean(&nats);
    for log in *RUNS {
        let share = number::<f64>(last(log)[2]) / floor;
        assert!((0.98..1.1).contains(&share), "{share} of the floor");
    }
    section("The floor");
    value("training sentences", grouped(training.len()));
    let per_sentence = nats.len() as f64 / training.len() as f64;
    value("gaps in a sentence", per_sentence.fixed(1));
    value("least loss", floor.fixed(2));
}
