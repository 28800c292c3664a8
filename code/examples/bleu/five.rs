//! One translation, and five scores of it.

use all_you_need::bleu::{Counts, Tokenize, bleu, signature};
use all_you_need::tokens::characters;
use print::{Fixed, section, table, value};

const SAID: &str = "please do not feed the long-haired goats!";
const WANTED: &str = "Please don't feed the long-haired goats!";

/// The same two sentences, cut into tokens in five ways.
pub fn five_scores() {
    section("Signed");
    println!("{}", signature(Tokenize::V13a, 1));
    // In two lines: it is longer than a page is wide.
    let line = bleu(&[SAID], &[WANTED], Tokenize::V13a).to_string();
    println!("{}", line.replace(" (", "\n("));
    let v13a = |text: &str| Tokenize::V13a.tokens(text);
    let none = |text: &str| Tokenize::None.tokens(text);
    let lower = |text: &str| v13a(&text.to_lowercase());
    let split = |text: &str| v13a(&text.replace('-', " - "));
    type Cut<'a> = &'a dyn Fn(&str) -> Vec<String>;
    let ways: [(&str, Cut); 5] = [
        ("none", &none),
        ("13a", &v13a),
        ("13a, lower case", &lower),
        ("13a, hyphens split", &split),
        ("characters", &characters),
    ];
    section("Five scores");
    let row = |(way, cut): (&'static str, Cut)| {
        let counts = Counts::of(&cut(SAID), &cut(WANTED));
        (way, super::parts(&counts), counts.bleu().score.fixed(1))
    };
    let names = ["n", "1", "2", "3", "4", "score"];
    table(names, ways.map(row));
    section("The pair");
    value("said", SAID);
    value("wanted", WANTED);
}
