//! The figures of the chapter on scores.

#[path = "../code/examples/bleu.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tokens::words;
use example::{SAID, WANTED, law, measured, sizes, without_end};
use plot::{Chart, Diagram, Hue};

pub fn draw() {
    matches();
    wrong_words();
    intervals();
}

/// All n-grams of the hypothesis, a row for each n.
fn matches() {
    let (said, wanted) = (words(SAID), words(WANTED));
    let mut figure = Diagram::new(
        "What matches",
        "Four rows of boxes. First the words: the, cat, jumped, over and \
         fence are tinted, a is not. Then two words in a box: the cat, cat \
         jumped and jumped over are tinted. Of three words the cat jumped and \
         cat jumped over, of four only the cat jumped over.",
        22.5,
        9.2,
    );
    for n in 1..=4 {
        let (y, width) = (2.2 * n as f64 - 0.9, 22.3 / (7 - n) as f64);
        for (i, run) in said.windows(n).enumerate() {
            let hue = match wanted.windows(n).any(|other| other == run) {
                true => Hue::OURS,
                false => Hue::Rule,
            };
            let x = 0.1 + width * (i as f64 + 0.5);
            figure.block((x, y), (width - 0.2, 1.6), &run.join(" "), hue);
        }
    }
    plot::save("bleu-matches", &figure.draw());
}

/// BLEU against the part of words that are wrong.
fn wrong_words() {
    let curve = (0..=80).map(|i| (f64::from(i), law(f64::from(i))));
    let [none, few, some, half, most] = [0, 10, 30, 50, 80]
        .map(|wrong| format!("{:.0} at {wrong} %", law(f64::from(wrong))));
    let figure = Chart::new(
        "What wrong words cost",
        &format!(
            "BLEU against the share of words that are wrong. It falls from \
             {none} to {few}, {some}, {half} and {most}. The measured dots \
             lie on the curve."
        ),
    )
    .size(450.0, 290.0)
    .x("wrong words in a hundred")
    .y("BLEU")
    .y_range(0.0..100.0)
    .line("", curve)
    .dots("", measured());
    plot::save("bleu-wrong", &figure.draw());
}

/// The score and its interval for tests of different sizes.
fn intervals() {
    let sizes = sizes();
    let line = |i: usize| sizes.iter().map(move |(n, row)| (*n as f64, row[i]));
    let width = |i: usize| sizes[i].1[2] - sizes[i].1[1];
    let last = sizes.len() - 1;
    let figure = Chart::new(
        "How sure is a score",
        &format!(
            "The score and its interval against the number of sentences, \
             from {} to {}. The interval is {:.1} points wide at first and \
             {:.1} at last. The score of an endless test, {:.1}, is always \
             inside.",
            sizes[0].0,
            sizes[last].0,
            width(0),
            width(last),
            without_end()
        ),
    )
    .size(500.0, 300.0)
    .log_x()
    .x("sentences of the test")
    .y("BLEU")
    .band(Hue::OURS, line(1), line(2))
    .line_in(Hue::OURS, "score", line(0))
    .guide_y(without_end(), "endless");
    plot::save("bleu-resampled", &figure.draw());
}
