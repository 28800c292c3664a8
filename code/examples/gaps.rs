//! An encoder that fills gaps: `cargo run --example gaps`

use all_you_need::costs::{Bill, Shape};
use all_you_need::gaps::{Form, GAP, Neighbours, Sentence, Sets};
use all_you_need::gaps::{config, recipe, sentences, vocabulary};
use all_you_need::parameters::parameter_count;
use all_you_need::tokens::{Vocabulary, words};
use all_you_need::training::{Stream, generator};
use all_you_need::writer::Half;
use print::log::{number, spread, table};
use print::{grouped, section, value};

fn main() {
    most_frequent();
    five_forms();
    loss_of_two_gaps();
    what_is_learned();
    ideal();
    scores();
    outside();
    when_learned();
    what_it_says();
    what_it_looks_at();
    exchanges();
    left_only();
    two_gaps();
    other_losses();
}

/// Three sentences to count in.
const STORY: [&str; 3] = [
    "the dog is tired today .",
    "the cats near the dog are tired today .",
    "the dog is old today .",
];

/// A gap that the counts fill, and what should be there.
const GAP_OF_DOG: &str = "the cats near the dog ___ old today .";

fn most_frequent() {
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

fn name(form: Form) -> &'static str {
    match form {
        Form::Plain => "plain",
        Form::PhraseBefore => "phrase before",
        Form::Phrase => "phrase",
        Form::TwoPhrases => "two phrases",
        Form::Clause => "clause",
        Form::ThreePhrases => "three phrases",
        Form::PhraseInClause => "phrase in clause",
    }
}

fn five_forms() {
    let drawn = sentences(60, &[], &mut generator(3, Stream::Data));
    section("One of each form");
    for form in Form::ALL {
        let first = drawn.iter().find(|s| s.form == form);
        let Sentence { words, .. } = first.expect("a sentence of each form");
        println!("{:14} {}", name(form), words.join(" "));
    }
}

/// Two gaps, and the probability of what was there.
fn loss_of_two_gaps() {
    let p: [f64; 2] = [0.9, 0.5];
    let nats = p.map(|p| -p.ln());
    section("Two gaps");
    value("first", format!("{:.2}", nats[0]));
    value("second", format!("{:.2}", nats[1]));
    value("mean", format!("{:.2}", (nats[0] + nats[1]) / 2.0));
}

fn what_is_learned() {
    let (sizes, recipe) = (config(), recipe(1));
    let half: Half<Shape> = Half::new(&sizes, &mut Bill::default());
    section("The model");
    value("words", vocabulary().len() - 1);
    value("layers", sizes.layers);
    value("heads", sizes.heads);
    value("d_model", sizes.d_model);
    value("parameters", grouped(parameter_count(&half)));
    value("updates", grouped(recipe.updates));
    value("gaps in a batch", recipe.batch_tokens);
    let seconds: f64 = number(last(RUNS[0])[1]);
    value("seconds", format!("{seconds:.0}"));
    let slowest = RUNS.map(|log| number::<f64>(last(log)[1]));
    let slowest = slowest.into_iter().fold(0.0, f64::max);
    value("slowest", format!("{slowest:.0}"));
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

/// The gaps to learn from, and what a model could reach that knows the
/// grammar.
fn ideal() {
    let Sets { training, examples, test, .. } = Sets::new(1, &vocabulary());
    let gaps = training.iter().zip(&examples).flat_map(|(sentence, gaps)| {
        let hidden = (0..).zip(&gaps.text).filter(|(_, word)| **word == GAP);
        hidden.map(|(gap, _)| choices(sentence, gap).ln())
    });
    let nats: Vec<f64> = gaps.collect();
    let floor = nats.iter().sum::<f64>() / nats.len() as f64;
    for log in RUNS {
        let share = number::<f64>(last(log)[2]) / floor;
        assert!((0.98..1.1).contains(&share), "{share} of the floor");
    }
    section("Ideal");
    value("training sentences", grouped(training.len()));
    value("gaps", grouped(nats.len()));
    let per_sentence = nats.len() as f64 / training.len() as f64;
    value("gaps in a sentence", format!("{per_sentence:.1}"));
    let learned = recipe(1).updates * recipe(1).batch_tokens;
    value("gaps learned", grouped(learned));
    value("least loss", format!("{floor:.2}"));
    let others = test.iter().flat_map(|sentence| {
        let Sentence { words, subject, verb, time, .. } = sentence;
        let is_other = move |gap: &usize| {
            ![subject, verb, time].contains(&gap) && words[*gap] != "the"
        };
        let others = (0..words.len()).filter(is_other);
        others.map(move |gap| 1.0 / choices(sentence, gap))
    });
    let right: Vec<f64> = others.collect();
    let part = right.iter().sum::<f64>() / right.len() as f64;
    value("other words", format!("{:.1} %", 100.0 * part));
}

// What `src/logs/gaps.sh` has measured

const NEIGHBOURS: &str = include_str!("../../src/logs/gaps-neighbours.tsv");
const CAUSAL: &str = include_str!("../../src/logs/gaps-causal.tsv");
const EVERYWHERE: &str = include_str!("../../src/logs/gaps-everywhere.tsv");
const COPY: &str = include_str!("../../src/logs/gaps-copy.tsv");
const LOOK: &str = include_str!("../../src/logs/gaps-look.tsv");
pub const RUNS: [&str; 5] = [
    include_str!("../../src/logs/gaps-run-1.tsv"),
    include_str!("../../src/logs/gaps-run-2.tsv"),
    include_str!("../../src/logs/gaps-run-3.tsv"),
    include_str!("../../src/logs/gaps-run-4.tsv"),
    include_str!("../../src/logs/gaps-run-5.tsv"),
];

/// Update, seconds, loss, set, form, gap, nearest, time, right, of.
type Row = [&'static str; 10];

fn last(log: &'static str) -> Row {
    table(log).last().expect("a row of a run")
}

/// Right answers and all answers, in those rows of a log.
fn right(log: &'static str, which: impl Fn(&Row) -> bool) -> (f64, f64) {
    let rows = table(log).filter(which);
    rows.fold((0.0, 0.0), |sum, row| {
        (sum.0 + number::<f64>(row[8]), sum.1 + number::<f64>(row[9]))
    })
}

/// The same in percent.
fn percent(log: &'static str, which: impl Fn(&Row) -> bool) -> f64 {
    let (right, of) = right(log, which);
    assert!(of > 0.0, "no such rows");
    100.0 * right / of
}

/// What is asked in some rows.
type Asked = (&'static str, fn(&Row) -> bool);

const ASKED: [Asked; 9] = [
    ("the", |row| row[5] == "the"),
    ("verb, plain", |row| row[5] == "verb" && row[4] == "plain"),
    ("phrase before", |row| row[5] == "verb" && row[4] == "phrase before"),
    ("phrase", |row| row[5] == "verb" && row[4] == "phrase"),
    ("two phrases", |row| row[5] == "verb" && row[4] == "two phrases"),
    ("clause", |row| row[5] == "verb" && row[4] == "clause"),
    ("today, yesterday", |row| row[5] == "time"),
    ("subject's number", |row| row[5] == "subject"),
    ("other words", |row| row[5] == "other"),
];

/// A verb whose nearest noun has the other number.
fn misled(row: &Row) -> bool {
    row[5] == "verb" && row[6] == "other"
}

fn is_verb(row: &Row) -> bool {
    row[5] == "verb"
}

const COUNTS: [&str; 3] =
    ["one before", "one on each side", "two on each side"];

/// The same question to the counts, and to five encoders.
fn answers(asked: impl Fn(&Row) -> bool) -> ([f64; 3], [f64; 5]) {
    let counts = COUNTS
        .map(|set| percent(NEIGHBOURS, |row| row[3] == set && asked(row)));
    let runs =
        RUNS.map(|log| percent(log, |row| row[3] == "test" && asked(row)));
    (counts, runs)
}

fn scores() {
    section("Right in the test set, in percent");
    println!("                    one   one on   two on");
    println!("hidden           before each side each side   encoder");
    for (name, asked) in ASKED {
        let ([one, both, two], runs) = answers(asked);
        let (mean, std) = spread(&runs);
        println!(
            "{name:18}{one:5.1} {both:9.1} {two:9.1}  {mean:6.2} ± {std:.2}"
        );
    }
    section("Verbs");
    for (name, asked) in
        [("all", is_verb as fn(&Row) -> bool), ("misled", misled)]
    {
        let (counts, runs) = answers(asked);
        value(&format!("{name}, one before"), format!("{:.0} %", counts[0]));
        value(
            &format!("{name}, encoder"),
            format!("{:.1} %", spread(&runs).0),
        );
        let worst = runs.iter().copied().fold(f64::MAX, f64::min);
        let best = counts.into_iter().fold(0.0, f64::max);
        assert!(worst > best, "an encoder that counts beat");
    }
    let (_, of) = right(RUNS[0], |row| row[3] == "test" && is_verb(row));
    value("verbs", grouped(of));
    // So rarely a model may fail that passes such a test once in twenty.
    let failing = 1.0 - 0.05_f64.powf(1.0 / of);
    value("up to this share wrong", format!("{:.2} %", 100.0 * failing));
    let losses = RUNS.map(|log| number(last(log)[2]));
    value("loss", format!("{:.2}", spread(&losses).0));
}

/// The points of a curve: the share of right verbs in the validation set
/// after so many updates, the mean of five runs.
fn curve(form: &str) -> Vec<(f64, f64)> {
    let updates: Vec<f64> = table(RUNS[0])
        .filter(|row: &Row| row[3] == "validation" && row[4] == form)
        .map(|row| number(row[0]))
        .collect();
    let at = |&update: &f64| {
        let runs = RUNS.map(|log| {
            percent(log, |row| {
                row[3] == "validation"
                    && row[4] == form
                    && number::<f64>(row[0]) == update
            })
        });
        (update, spread(&runs).0)
    };
    updates.iter().map(at).collect()
}

/// What all verbs of a form must pass to count as learned, in percent.
pub const LEARNED: f64 = 95.0;

/// The curves of all forms, by name.
pub fn curves() -> [(&'static str, Vec<(f64, f64)>); 5] {
    Form::ALL.map(|form| (name(form), curve(name(form))))
}

/// After how many updates a curve passes [`LEARNED`].
pub fn passes(points: &[(f64, f64)]) -> f64 {
    let passed = points.iter().find(|(_, y)| *y > LEARNED);
    passed.expect("it learns").0
}

const OUTSIDE: [&str; 5] = [
    include_str!("../../src/logs/gaps-outside-1.tsv"),
    include_str!("../../src/logs/gaps-outside-2.tsv"),
    include_str!("../../src/logs/gaps-outside-3.tsv"),
    include_str!("../../src/logs/gaps-outside-4.tsv"),
    include_str!("../../src/logs/gaps-outside-5.tsv"),
];

/// The verbs of sentences that are unlike all to learn from.
fn outside() {
    section("Outside the grammar");
    let right = |kind: &str, what: &str| {
        let share = OUTSIDE.map(|log| -> f64 {
            let mut rows = table::<4>(log);
            let row = rows.find(|row| row[..2] == [what, kind]);
            let [_, _, right, of] = row.expect("a row of this");
            100.0 * number::<f64>(right) / number::<f64>(of)
        });
        let (mean, std) = spread(&share);
        format!("{mean:.1} ± {std:.1}")
    };
    let kinds = [
        "the five forms",
        "phrase in clause",
        "a new subject",
        "three phrases",
        "three phrases, no longer",
    ];
    let line = |kind: &str| {
        [kind.to_owned(), right(kind, "linear"), right(kind, "encoder")]
    };
    print::table(["verbs of", "linear", "encoder"], kinds.map(line));
}

fn when_learned() {
    section("When a form is learned");
    curves().iter().for_each(|(name, points)| value(name, passes(points)));
}

/// What, of, which, where, number.
pub type Look = [&'static str; 5];

pub fn looked(what: &str) -> impl Iterator<Item = Look> {
    table(LOOK).filter(move |row: &Look| row[0] == what)
}

fn what_it_says() {
    section("It fills");
    let mut before = ("", "");
    for [_, text, gap, word, p] in looked("fill") {
        if before.0 != text {
            print!("{}{text}", if before.0.is_empty() { "" } else { "\n" });
        }
        if before != (text, gap) {
            print!("\n   ");
        }
        print!(" {word} {:.3} ", number::<f64>(p));
        before = (text, gap);
    }
    println!();
}

/// The share of a gap's weight that goes to a group of words, on average over
/// the forms for which this is so.
pub fn share(head: &str, group: &str, form: impl Fn(&str) -> bool) -> f64 {
    let rows = looked("share").filter(|[_, of, at, which, _]| {
        form(of) && *at == head && *which == group
    });
    let shares: Vec<f64> = rows.map(|row| number(row[4])).collect();
    // A group that no sentence of a form has is not in the log.
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

/// All heads, from the first layer up.
pub fn heads() -> Vec<String> {
    let sizes = config();
    let layers = 1..=sizes.layers;
    layers
        .flat_map(|i| (1..=sizes.heads).map(move |j| format!("{i}.{j}")))
        .collect()
}

/// The head that gives a group the most weight, and how much.
pub fn most(
    group: &str,
    form: impl Fn(&str) -> bool + Copy,
) -> (String, f64) {
    let all = heads().into_iter().map(|head| {
        let weight = share(&head, group, form);
        (head, weight)
    });
    all.max_by(|a, b| a.1.total_cmp(&b.1)).expect("a head")
}

/// Between the subject and its verb are other words.
pub fn is_far(form: &str) -> bool {
    ["phrase", "two phrases", "clause"].contains(&form)
}

fn what_it_looks_at() {
    let (noun, to_noun) = most("subject", is_far);
    let (time, _) = most("time", is_far);
    let percent =
        |label, share| value(label, format!("{:.0} %", 100.0 * share));
    section("Heads");
    value("noun's head", &noun);
    percent("on the subject", to_noun);
    let to_others = share(&noun, "other noun", is_far);
    value("on other nouns", format!("{:.1} %", 100.0 * to_others));
    value("time's head", &time);
    let phrase = |form: &str| form == "phrase";
    percent("on the time, phrase", share(&time, "time", phrase));
    let before = |form: &str| form == "phrase before";
    let to_subject = share(&noun, "subject", before);
    percent("noun's head, phrase before", to_subject);
    percent("noun's head on the gap", share(&noun, "gap", before));
    let near = |form: &str| form == "phrase before" || form == "plain";
    value("near head", most_of_first("subject", near));
}

/// The head of the first layer that gives a group the most weight.
pub fn most_of_first(
    group: &str,
    form: impl Fn(&str) -> bool + Copy,
) -> String {
    let first = heads().into_iter().filter(|head| head.starts_with("1."));
    let weight = |head: &String| share(head, group, form);
    first.max_by(|a, b| weight(a).total_cmp(&weight(b))).expect("a head")
}

fn exchanges() {
    section("Exchanged");
    for [_, which, of, _, part] in looked("exchange") {
        value(which, format!("{:.0} %", 100.0 * number::<f64>(part)));
        if which == "subject" {
            value("sentences", grouped(of));
        }
    }
}

/// An encoder that sees the left side only.
fn left_only() {
    section("With the left side only, in percent");
    println!("the verb         time first   time last");
    for form in Form::ALL {
        let of = |time: &str| {
            percent(CAUSAL, |row| {
                row[3] == "test"
                    && is_verb(row)
                    && row[4] == name(form)
                    && row[7] == time
            })
        };
        let [first, last] = ["first", "last"].map(of);
        println!("{:14} {first:12.1} {last:11.1}", name(form));
    }
}

fn two_gaps() {
    section("Verb and time");
    for [_, how, _, _, part] in looked("two gaps") {
        value(how, format!("{:.0} %", 100.0 * number::<f64>(part)));
    }
}

/// What is learned with the loss of all words, and without gaps.
fn other_losses() {
    section("Other losses");
    let early = "500";
    let at_first = |log| -> Row {
        let mut rows = table(log);
        rows.find(|row: &Row| row[0] == early).expect("an early row")
    };
    let verbs = |log, set: &str, update: &str| {
        percent(log, |row| row[3] == set && row[0] == update && is_verb(row))
    };
    value("early", early);
    let losses = RUNS.map(|log| number(at_first(log)[2]));
    value("gaps, early loss", format!("{:.2}", spread(&losses).0));
    let (mean, std) =
        spread(&RUNS.map(|log| verbs(log, "validation", early)));
    value("gaps, early verbs", format!("{mean:.0} %"));
    value("gaps, early standard deviation", format!("{std:.0}"));
    let loss: f64 = number(at_first(EVERYWHERE)[2]);
    value("all words, early loss", format!("{loss:.2}"));
    let right = verbs(EVERYWHERE, "validation", early);
    value("all words, early verbs", format!("{right:.0} %"));
    for (name, log) in [("all words", EVERYWHERE), ("no gaps", COPY)] {
        let [update, _, loss, ..] = last(log);
        value(
            &format!("{name}, loss"),
            format!("{:.4}", number::<f64>(loss)),
        );
        value(
            &format!("{name}, verbs"),
            format!("{:.0} %", verbs(log, "test", update)),
        );
    }
}
