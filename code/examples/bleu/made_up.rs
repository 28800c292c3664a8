//! Sentences of a made-up language, and what BLEU says of wrong words in them.

use super::counted::{resampled, score};
use all_you_need::bleu::Counts;
use all_you_need::tokens::characters;
use print::{Fixed, mean, section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

pub fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A word of a made-up language.
pub fn word(rng: &mut ChaCha8Rng) -> String {
    let syllables = rng.random_range(1..=4);
    let letters = |_| {
        let first = b"bdfgklmnprst"[rng.random_range(0..12)];
        let second = b"aeiou"[rng.random_range(0..5)];
        [char::from(first), char::from(second)]
    };
    (0..syllables).flat_map(letters).collect()
}

/// A sentence of five to twenty words.
pub fn sentence(rng: &mut ChaCha8Rng) -> Vec<String> {
    (0..rng.random_range(5..=20)).map(|_| word(rng)).collect()
}

/// The sentence with this part of its words exchanged for others.
fn worse(wanted: &[String], part: f64, rng: &mut ChaCha8Rng) -> Vec<String> {
    let say = |wanted: &String| match rng.random::<f64>() < part {
        true => word(rng),
        false => wanted.clone(),
    };
    wanted.iter().map(say).collect()
}

/// A hypothesis and its reference.
pub type Pair = (Vec<String>, Vec<String>);

/// Sentences, each with the same part of its words wrong.
fn even(n: usize, part: f64, rng: &mut ChaCha8Rng) -> Vec<Pair> {
    pairs(n, |_| part, rng)
}

/// Sentences, some of them easy and some of them hard: every tenth word is
/// wrong, or every second, or anything in between.
fn uneven(n: usize, rng: &mut ChaCha8Rng) -> Vec<Pair> {
    pairs(n, |rng| rng.random_range(0.1..0.5), rng)
}

fn pairs(
    n: usize,
    part: impl Fn(&mut ChaCha8Rng) -> f64,
    rng: &mut ChaCha8Rng,
) -> Vec<Pair> {
    let pair = |_| {
        let (wanted, part) = (sentence(rng), part(rng));
        (worse(&wanted, part, rng), wanted)
    };
    (0..n).map(pair).collect()
}

pub fn all(pairs: &[Pair]) -> Counts {
    pairs.iter().map(|(said, wanted)| Counts::of(said, wanted)).sum()
}

/// BLEU if so many of a hundred words are wrong, by the formula.
pub fn law(wrong: f64) -> f64 {
    100.0 * (1.0 - wrong / 100.0).powf(2.5)
}

/// The part of wrong words at which a score is reached, by the formula.
pub fn wrong_at(score: f64) -> f64 {
    1.0 - (score / 100.0).powf(0.4)
}

/// BLEU against the number of wrong words in a hundred, measured.
pub fn measured() -> Vec<(f64, f64)> {
    let rng = &mut seeded(2);
    let point = |i| {
        let pairs = even(400, f64::from(i) / 20.0, rng);
        (5.0 * f64::from(i), all(&pairs).bleu().score)
    };
    (0..=16).map(point).collect()
}

/// What is counted of each sentence of a new test.
pub fn test(n: usize, rng: &mut ChaCha8Rng) -> Vec<Counts> {
    let pairs = uneven(n, rng);
    pairs.iter().map(|(said, wanted)| Counts::of(said, wanted)).collect()
}

/// The score of a test without end. pₙ is the mean of (1 − w)ⁿ, for w from
/// 0.1 to 0.5.
pub fn without_end() -> f64 {
    let precision = |n: i32| {
        let integral = |x: f64| x.powi(n + 1) / f64::from(n + 1);
        (integral(0.9) - integral(0.5)) / 0.4
    };
    100.0 * (1..=4).map(precision).product::<f64>().powf(0.25)
}

/// The score of a test in five sizes, each with both ends of its interval.
pub fn sizes() -> Vec<(usize, [f64; 3])> {
    let rng = &mut seeded(7);
    let all = test(2000, rng);
    let size = |n: usize| {
        let score = score(&all[..n]);
        let scores = resampled(&all[..n], 1000, rng);
        (n, [score, scores[25], scores[974]])
    };
    [125, 250, 500, 1000, 2000].into_iter().map(size).collect()
}

pub fn sentence_by_sentence() {
    let rng = &mut seeded(5);
    let hard = uneven(800, rng);
    let short = |_| [word(rng), word(rng), word(rng)].to_vec();
    let easy = (0..200).map(short).map(|said| (said.clone(), said));
    let both: Vec<Pair> = hard.iter().cloned().chain(easy).collect();
    section("Sentence by sentence");
    let row = |(name, pairs): (&'static str, &Vec<Pair>)| {
        let scores = pairs
            .iter()
            .map(|(said, wanted)| Counts::of(said, wanted).bleu().score);
        let mean = mean(&Vec::from_iter(scores));
        (name, [mean, all(pairs).bleu().score].fixed(1))
    };
    let rows = [("800 sentences", &hard), ("and 200 perfect ones", &both)];
    table(["", "    mean", "   BLEU"], rows.map(row));
}

/// A text in place of a list of words: each letter is taken for a word.
pub fn letters_for_words() {
    let rng = &mut seeded(6);
    let rows = [30.0, 50.0, 75.0].map(|wrong: f64| {
        let pairs = even(300, wrong / 100.0, rng);
        let letters = |text: &[String]| characters(&text.join(" "));
        let taken = pairs.iter().map(|(said, wanted)| {
            Counts::of(&letters(said), &letters(wanted))
        });
        let counts = [all(&pairs), taken.sum()];
        (wrong, counts.map(|counts| counts.bleu().score.fixed(1)))
    });
    section("Letters for words");
    table(["wrong words", "words", "letters"], &rows);
    let [.., (_, [words, letters])] = &rows;
    section("Three of four wrong");
    value("by words", words);
    value("by letters", letters);
}
