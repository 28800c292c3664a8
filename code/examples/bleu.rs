//! How good a translation is: `cargo run --example bleu`

#[path = "shared/counted.rs"]
mod counted;
#[path = "bleu/five.rs"]
mod five;
#[path = "bleu/made_up.rs"]
mod made_up;

use all_you_need::bleu::Counts;
use all_you_need::tokens::{characters, words};
use counted::{paired, resampled, score, sentences};
use made_up::{all, seeded, sentence, test, wrong_at};
pub use made_up::{law, measured, sizes, without_end};
use print::{Fixed, grouped, log, mean, most, section, table, value};
use rand::RngExt;

fn main() {
    by_hand();
    two_sentences();
    salad();
    one_point();
    right_and_wrong();
    five::five_scores();
    in_five_sizes();
    a_hundred_tests();
    three_trainings();
    by_letters();
    made_up::sentence_by_sentence();
    made_up::letters_for_words();
}

pub const SAID: &str = "the cat jumped over a fence";
pub const WANTED: &str = "the cat jumped over the fence";

/// How many n-grams of a hypothesis are in its reference, none more often
/// than there, and how many there are.
fn matches<T: Eq>(said: &[T], wanted: &[T], n: usize) -> [f64; 2] {
    let mut left: Vec<_> = wanted.windows(n).collect();
    let found = said.windows(n).filter(|n_gram| {
        let place = left.iter().position(|other| other == n_gram);
        place.map(|place| left.swap_remove(place)).is_some()
    });
    [found.count() as f64, said.windows(n).count() as f64]
}

/// BLEU of a test: of all hypotheses with their references.
fn plain_bleu(test: &[(&str, &str)]) -> f64 {
    let (mut sums, mut c, mut r) = ([[0.0; 2]; 4], 0.0, 0.0);
    for (said, wanted) in test {
        let said: Vec<&str> = said.split(' ').collect();
        let wanted: Vec<&str> = wanted.split(' ').collect();
        for (sum, n) in sums.iter_mut().zip(1..) {
            let [matches, all] = matches(&said, &wanted, n);
            *sum = [sum[0] + matches, sum[1] + all];
        }
        (c, r) = (c + said.len() as f64, r + wanted.len() as f64);
    }
    let brevity = if c < r { (1.0 - r / c).exp() } else { 1.0 };
    let product: f64 =
        sums.iter().map(|[matches, all]| matches / all).product();
    100.0 * brevity * product.powf(0.25)
}

/// What the crate counts of two sentences with spaces between their tokens.
fn counts(said: &str, wanted: &str) -> Counts {
    Counts::of(&words(said), &words(wanted))
}

/// So many of so many n-grams, for n from 1 to 4.
fn parts(counts: &Counts) -> [String; 4] {
    let part = |i| format!("{}/{}", counts.matches[i], counts.totals[i]);
    [0, 1, 2, 3].map(part)
}

fn by_hand() {
    let all =
        [SAID, "fence the over jumped cat the", "the the the the the the"];
    section("n-grams");
    let row = |said: &'static str| (said, parts(&counts(said, WANTED)));
    table(["n", "1", "2", "3", "4"], all.map(row));
    section("The first sentence alone");
    let found = counts(SAID, WANTED).bleu();
    let product: f64 = found.precisions.iter().map(|p| p / 100.0).product();
    value("product of the four", product.fixed(3));
    value("BLEU of the first", found.score.fixed(1));
    value("with smoothing", counts(all[1], WANTED).bleu().score.fixed(1));
}

fn two_sentences() {
    let pairs = [(SAID, WANTED), ("I am fine", "I am fine and so are you")];
    let [cat, fine] = pairs.map(|(said, wanted)| counts(said, wanted));
    let both: Counts = [cat, fine].into_iter().sum();
    let found = both.bleu();
    assert!((found.score - plain_bleu(&pairs)).abs() < 1e-12);
    section("Two sentences");
    let all = [cat, fine, both].each_ref().map(parts);
    let row = |i: usize| {
        let parts = all.each_ref().map(|parts| parts[i].clone());
        (i + 1, parts, found.precisions[i].fixed(1))
    };
    let names = ["n", "the cat", "I am fine", "both", "per cent"];
    table(names, [0, 1, 2, 3].map(row));
    section("Its parts");
    value("BP", found.brevity_penalty.fixed(3));
    value("score", found.score.fixed(2));
}

/// The right words in any order.
fn salad() {
    let rng = &mut seeded(1);
    let shuffled = |_| {
        let wanted = sentence(rng);
        let mut said = wanted.clone();
        for i in (1..said.len()).rev() {
            said.swap(i, rng.random_range(0..=i));
        }
        (said, wanted)
    };
    let found = all(&Vec::from_iter((0..200).map(shuffled))).bleu();
    section("Salad");
    for (p, n) in found.precisions.iter().zip(1..) {
        value(format!("salad, {n}"), p.fixed(1));
    }
    value("salad, plain mean", mean(&found.precisions).fixed(1));
    value("salad", found.score.fixed(1));
}

fn one_point() {
    let off = |(wrong, score): (f64, f64)| (law(wrong) - score).abs();
    let off: Vec<f64> = measured().into_iter().map(off).collect();
    section("One point");
    value("farthest from the formula", most(&off).fixed(1));
    value("one in ten wrong", law(10.0).fixed(0));
    value("wrong at 41", (100.0 * wrong_at(41.0)).fixed(0));
    let step = wrong_at(41.0) - wrong_at(42.0);
    value("words for a point at 41", (1.0 / step).fixed(0));
}

/// Right in other words, and wrong in the same.
fn right_and_wrong() {
    section("Right and wrong");
    let wanted = "you must not open the red door before noon on monday";
    for said in [
        "you must now open the red door before noon on monday",
        "on monday the red door has to stay shut until twelve",
    ] {
        println!("{said:54} {:5.1}", counts(said, wanted).bleu().score);
    }
}

fn in_five_sizes() {
    section("A thousand resamples");
    let row = |(n, [score, from, to]): (usize, [f64; 3])| {
        (n, [score, from, to, to - from].fixed(1))
    };
    let names = ["sentences", "score", "from", "to", "width"];
    table(names, sizes().into_iter().map(row));
}

/// How many of a hundred tests have the score of an endless one between the
/// sixth and the last but five of two hundred resamples.
fn a_hundred_tests() {
    let rng = &mut seeded(4);
    let endless = without_end();
    let holds = |_: &i32| {
        let scores = resampled(&test(150, rng), 200, rng);
        scores[5] <= endless && endless <= scores[194]
    };
    let held = (0..100).filter(holds).count();
    section("A hundred tests");
    value("without end", endless.fixed(1));
    value("intervals that hold it", held);
}

/// Test2017, as three trainings of the translator have translated it.
fn three_trainings() {
    let log =
        |seed| log::read(&format!("translation-sentences-{seed}-test2017"));
    let models = [1, 2, 3].map(|seed| sentences(log(seed)));
    section("Three trainings");
    let row = |(seed, counts): (usize, &Vec<Counts>)| {
        // The draws of the chapter on the translator.
        let scores = resampled(counts, 1000, &mut seeded(1));
        let cells = [score(counts), scores[25], scores[974]];
        (format!("seed {seed}"), cells.fixed(1))
    };
    table(["", "BLEU", "from", "to"], (1..).zip(&models).map(row));
    section("In pairs");
    let rng = &mut seeded(10);
    let row = |(i, j): (usize, usize)| {
        let all = paired(&models[i], &models[j], rng);
        let ahead = all.iter().filter(|by| **by > 0.0).count();
        let by = score(&models[i]) - score(&models[j]);
        let cells = [by, all[25], all[974]].fixed(1).map(grouped);
        (format!("{} before {}", i + 1, j + 1), cells, ahead)
    };
    let rows = [(0, 1), (0, 2), (1, 2)].map(row);
    table(["seed", "by", "from", "to", "of 1000"], rows);
    section("The test");
    value("sentences", models[0].len());
}

/// Precision and recall of runs of letters, and chrF.
fn chrf(said: &str, wanted: &str) -> [f64; 3] {
    let (said, wanted) = (characters(said), characters(wanted));
    let longest = said.len().min(wanted.len()).min(6);
    let mean = |a: &[String], b: &[String]| {
        let parts = (1..=longest).map(|n| matches(a, b, n));
        parts.map(|[matches, all]| matches / all).sum::<f64>()
            / longest as f64
    };
    let (p, r) = (mean(&said, &wanted), mean(&wanted, &said));
    [p, r, 100.0 * 5.0 * p * r / (4.0 * p + r)]
}

fn by_letters() {
    let [p, r, score] = chrf("hund", "hunde");
    section("By letters");
    value("precision", p.fixed(2));
    value("recall", r.fixed(2));
    value("chrF", score.fixed(1));
}
