//! Twelve translations, and six scores of them.

use all_you_need::bleu::{Bleu, Counts, Tokenize, bleu, signature};
use all_you_need::tokens::{Bpe, characters};
use print::{Fixed, section, table, value};

/// Translations, each with what a person wrote.
const TRANSLATIONS: &str = include_str!("../bleu.tsv");

/// The same translations, cut into tokens in six ways.
pub fn six_scores() {
    section("One of them");
    for tokenizer in [Tokenize::None, Tokenize::V13a] {
        let tokens = tokenizer.tokens("at 7.45, not at 8.");
        println!("{:5} {}", tokenizer.to_string(), tokens.join(" | "));
    }
    let pairs = TRANSLATIONS.lines().filter_map(|line| line.split_once('\t'));
    let (said, wanted): (Vec<&str>, Vec<&str>) = pairs.unzip();
    section("Signed");
    println!("{}", signature(Tokenize::V13a, 1));
    // In two lines: it is longer than a page is wide.
    let line = bleu(&said, &wanted, Tokenize::V13a).to_string();
    println!("{}", line.replace(" (", "\n("));
    let learned = Bpe::train(&wanted.join("\n"), 100);
    let v13a = |text: &str| Tokenize::V13a.tokens(text);
    let pairs_of = |text: &str| {
        let tokens = learned.encode(text).into_iter();
        tokens.map(|token| token.to_string()).collect()
    };
    let none = |text: &str| Tokenize::None.tokens(text);
    let lower = |text: &str| v13a(&text.to_lowercase());
    let split = |text: &str| v13a(&text.replace('-', " - "));
    type Cut<'a> = &'a dyn Fn(&str) -> Vec<String>;
    let ways: [(&str, Cut); 6] = [
        ("none", &none),
        ("13a", &v13a),
        ("13a, lower case", &lower),
        ("13a, hyphens split", &split),
        ("byte pairs", &pairs_of),
        ("characters", &characters),
    ];
    let found = ways.map(|(_, cut)| -> Bleu {
        let both = said.iter().zip(&wanted);
        let counts = both.map(|(s, w)| Counts::of(&cut(s), &cut(w)));
        counts.sum::<Counts>().bleu()
    });
    section("Six scores");
    let row = |(way, found): (&(&'static str, _), &Bleu)| {
        let [first, .., last] = found.precisions;
        (way.0, [found.score, first, last].fixed(1))
    };
    table(["", "score", "p₁", "p₄"], ways.iter().zip(&found).map(row));
    section("Six scores compared");
    for (name, i) in [("whole", 1), ("lower case", 2)] {
        value(name, found[i].score.fixed(1));
    }
}
