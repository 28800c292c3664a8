//! Few labels: `cargo run --example labels`

use all_you_need::classifier::{self, BLAME, Kind, Labelled, PRAISE};
use all_you_need::encoder::Config;
use all_you_need::gaps::{self, Gaps, HIDDEN};
use all_you_need::tokens::{Token, Vocabulary};
use all_you_need::training::{Stream, generator};
use print::log::{self, number};
use print::{Fixed, grouped, section, spread, table, value};
use rand::{Rng, RngExt};
use std::collections::HashSet;
use std::iter;

#[path = "labels/rules.rs"]
pub mod rules;
#[path = "labels/said.rs"]
mod said;

fn main() {
    the_texts();
    the_experiment();
    without_labels();
    with_labels();
    said::in_the_text();
}

/// What `src/logs/labels.sh` has found.
const GAPS: &str = include_str!("../../src/logs/labels-gaps.tsv");
const FEW: &str = include_str!("../../src/logs/labels-few.tsv");

/// How many labels there are.
pub const COUNTS: [usize; 5] = [20, 50, 100, 300, 1000];

/// The updates without labels, and with them.
pub const UPDATES: [usize; 2] = [2000, 500];

/// How many labelled reviews an update has, if there are as many.
pub const BATCH: usize = 32;

/// An encoder half as wide as that of the last chapter.
pub fn sizes() -> Config {
    let same = classifier::config(vocabulary().len());
    Config { d_model: 32, d_ff: 64, d_k: 8, d_v: 8, ..same }
}

/// A text without labels: reviews of a kind. Of those with *not* only a part
/// is kept.
pub struct UnlabelledText {
    pub name: &'static str,
    pub kind: Kind,
    pub denied: f64,
}

/// The texts that gaps are filled in. Fillers of the first two go on to labels.
pub const TEXTS: [UnlabelledText; 3] = [
    UnlabelledText { name: "mixed", kind: Kind::Double, denied: 0.25 },
    UnlabelledText { name: "contrasts", kind: Kind::Pair, denied: 0.25 },
    UnlabelledText { name: "denied", kind: Kind::Pair, denied: 1.0 },
];

/// How many reviews each of them has.
pub const UNLABELLED: usize = 20_000;

/// What learns from labels. *Longer* is with as many updates for the labels
/// as both steps have together, and so are the runs of up to three words. In *frozen* nothing learns but the output matrix.
pub const CLASSIFIERS: [&str; 8] = [
    "runs",
    "new",
    "new longer",
    "mixed",
    "mixed longer",
    "contrasts",
    "contrasts longer",
    "contrasts frozen",
];

/// Those with many updates, and their names on the page.
pub const LONG: [(&str, &str); 5] = [
    ("runs", "runs"),
    ("new longer", "from scratch"),
    ("mixed longer", "mixed"),
    ("contrasts longer", "contrasts"),
    ("contrasts frozen", "frozen"),
];

/// Those with few.
const SHORT: [(&str, &str); 3] =
    [("new", "from scratch"), ("mixed", "mixed"), ("contrasts", "contrasts")];

/// Reviews of a kind that are not among those seen. Of those with *not* a
/// part is kept.
pub fn reviews(
    kind: Kind,
    denied: f64,
    count: usize,
    seen: &mut HashSet<String>,
    rng: &mut impl Rng,
) -> Vec<Labelled> {
    let (words, mut kept) = (vocabulary(), Vec::new());
    while kept.len() < count {
        for review in kind.draw(rng) {
            let denies = review.text.contains(" not ");
            let keep = !denies || rng.random_bool(denied);
            if keep && seen.insert(review.text.clone()) {
                kept.push(review.label(&words));
            }
        }
    }
    kept.truncate(count);
    kept
}

/// The gap, and the words of the reviews.
pub fn vocabulary() -> Vocabulary {
    let words = classifier::vocabulary();
    let all: Vec<Token> = (0..words.len() as Token).collect();
    let gap = iter::once("___".to_owned());
    Vocabulary::of(&gap.chain(words.decode(&all)).collect::<Vec<_>>())
}

/// Two clauses with one adjective each: whether one praises and the other
/// blames.
fn opposite(text: &[String]) -> bool {
    let praises = |word: &String| PRAISE.contains(&word.as_str());
    let blames = |word: &String| BLAME.contains(&word.as_str());
    text.iter().any(praises) && text.iter().any(blames)
}

fn the_texts() {
    section("Reviews of each text");
    let words = vocabulary();
    let draw = |text: &UnlabelledText, count| -> Vec<Vec<String>> {
        let rng = &mut generator(4, Stream::Data);
        let seen = &mut HashSet::new();
        let drawn = reviews(text.kind, text.denied, count, seen, rng);
        drawn.iter().map(|review| words.decode(&review.text)).collect()
    };
    for text in &TEXTS[..2] {
        let drawn = draw(text, 40).into_iter().map(|review| review.join(" "));
        let (with, without): (Vec<_>, Vec<_>) =
            drawn.partition(|review| review.contains(" not "));
        // Contrasts come in pairs of the same words.
        for review in without.iter().step_by(2).take(3).chain(&with[..1]) {
            println!("{:10}{review}", text.name);
        }
    }
    section("Praise beside blame");
    for text in &TEXTS {
        let all = draw(text, UNLABELLED);
        let opposite = all.iter().filter(|review| opposite(review)).count();
        let share = opposite as f64 / all.len() as f64;
        value(format!("one of each in {}", text.name), share.percent(0));
    }
}

fn the_experiment() {
    rules::what_rules_have_right();
    section("The experiment");
    value("unlabelled", grouped(UNLABELLED));
    let all_updates: usize = UPDATES.iter().sum();
    value("updates without labels", grouped(UPDATES[0]));
    value("few updates with labels", UPDATES[1]);
    value("updates with labels", grouped(all_updates));
    value("seeds", found("new", COUNTS[0]).len());
    // A batch of the gap filler is so many gaps.
    let (rng, seen) = (&mut generator(1, Stream::Data), &mut HashSet::new());
    let texts = reviews(Kind::Pair, TEXTS[1].denied, 1000, seen, rng);
    let gaps = |it: &Labelled| Gaps::random(&it.text, HIDDEN, rng).answers;
    let all = texts.iter().flat_map(gaps).count();
    let read = gaps::recipe(1).batch_tokens * texts.len() / all;
    value("reviews in an update of the filler", read);
    let filled = (UPDATES[0] * read) as f64 / (all_updates * BATCH) as f64;
    value("read by a filled encoder", (1.0 + filled).fixed(0));
}

fn without_labels() {
    section("Probability on the right side, in per cent");
    for UnlabelledText { name, .. } in &TEXTS {
        let own = log::table(GAPS).filter(|row: &[_; 3]| row[0] == *name);
        let known: Vec<_> = own.map(|row| number(row[2])).collect();
        value(format!("right side, {name}"), percent(&known));
    }
}

/// What share of the test reviews a classifier has right, and of the pairs,
/// seed by seed.
pub fn found(classifier: &str, labels: usize) -> Vec<[f64; 2]> {
    let own = log::table(FEW).filter(|row: &[_; 7]| {
        row[0] == classifier && number::<usize>(row[1]) == labels
    });
    own.map(|row| [row[5], row[6]].map(number)).collect()
}

/// One of the two, and its standard deviation.
pub fn right(classifier: &str, labels: usize, kind: usize) -> (f64, f64) {
    let found = found(classifier, labels);
    spread(&found.iter().map(|both| both[kind]).collect::<Vec<_>>())
}

/// The same in per cent.
pub fn in_percent(classifier: &str, labels: usize, kind: usize) -> String {
    let (mean, deviation) = right(classifier, labels, kind);
    format!("{:.0} ± {:.0}", 100.0 * mean, 100.0 * deviation)
}

fn percent(shares: &[f64]) -> String {
    let (mean, deviation) = spread(shares);
    format!("{:.1} ± {:.1}", 100.0 * mean, 100.0 * deviation)
}

fn with_labels() {
    let kinds = ["Two clauses", "Pairs"];
    for (kind, of) in kinds.into_iter().enumerate() {
        section(&format!("{of}, right in per cent"));
        all(&LONG, kind);
        section(&format!("{of}, with few updates"));
        all(&SHORT, kind);
    }
}

fn all<const N: usize>(classifiers: &[(&str, &str); N], kind: usize) {
    let rows = COUNTS.map(|count| {
        let shares = classifiers
            .map(|(classifier, _)| in_percent(classifier, count, kind));
        (count.to_string(), shares)
    });
    table(("labels", classifiers.map(|(_, name)| name)), rows);
}
