//! An encoder that fills gaps: `cargo run --example gaps`

#[path = "gaps/ideal.rs"]
mod ideal;
#[path = "gaps/logged.rs"]
mod logged;

use all_you_need::costs::{Bill, Shape};
use all_you_need::gaps::{
    Form, Sentence, config, recipe, sentences, vocabulary,
};
use all_you_need::parameters::parameter_count;
use all_you_need::training::{Stream, generator};
use all_you_need::writer::Half;
pub use logged::{RUNS, curves, heads, is_far, looked, most, share};
use logged::{Row, answers, is_verb, last, misled, name, percent, right};
use print::log::{self, number};
use print::{
    Fixed, grouped, least, mean, plus_minus, section, spread, table, value,
};

fn main() {
    ideal::most_frequent();
    five_forms();
    loss_of_two_gaps();
    what_is_learned();
    ideal::ideal();
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
    let nats = [0.9, 0.5].map(|p: f64| -p.ln());
    section("Two gaps");
    value("first", nats[0].fixed(2));
    value("second", nats[1].fixed(2));
    value("mean", mean(&nats).fixed(2));
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
    let seconds = RUNS.map(|log| number::<f64>(last(log)[1]));
    value("seconds", seconds[0].fixed(0));
    value("slowest", print::most(&seconds).fixed(0));
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

fn scores() {
    section("Right in the test set, in percent");
    println!("                    one   one on   two on");
    println!("hidden           before each side each side   encoder");
    for (name, asked) in ASKED {
        let ([one, both, two], runs) = answers(asked);
        let runs = plus_minus(&runs, 2);
        println!("{name:18}{one:5.1} {both:9.1} {two:9.1}  {runs:>13}");
    }
    section("Verbs");
    for (name, asked) in
        [("all", is_verb as fn(&Row) -> bool), ("misled", misled)]
    {
        let (counts, runs) = answers(asked);
        value(format!("{name}, one before"), (counts[0] / 100.0).percent(0));
        value(format!("{name}, encoder"), (mean(&runs) / 100.0).percent(1));
        let best = print::most(&counts);
        assert!(least(&runs) > best, "an encoder that counts beat");
    }
    let (_, of) = right(RUNS[0], |row| row[3] == "test" && is_verb(row));
    value("verbs", grouped(of));
    // So rarely a model may fail that passes such a test once in twenty.
    let failing = 1.0 - 0.05_f64.powf(1.0 / of);
    value("up to this share wrong", failing.percent(2));
    let losses = RUNS.map(|log| number(last(log)[2]));
    value("loss", mean(&losses).fixed(2));
}

/// What all verbs of a form must pass to count as learned, in percent.
pub const LEARNED: f64 = 95.0;

/// After how many updates a curve passes [`LEARNED`].
pub fn passes(points: &[(f64, f64)]) -> f64 {
    let passed = points.iter().find(|(_, y)| *y > LEARNED);
    passed.expect("it learns").0
}

/// The verbs of sentences that are unlike all to learn from.
fn outside() {
    section("Outside the grammar");
    let right = |kind: &str, what: &str| {
        let share = log::seeds::<5>("gaps-outside").map(|log| -> f64 {
            let mut rows = log::table::<4>(log);
            let row = rows.find(|row| row[..2] == [what, kind]);
            let [_, _, right, of] = row.expect("a row of this");
            100.0 * number::<f64>(right) / number::<f64>(of)
        });
        plus_minus(&share, 1)
    };
    let kinds = [
        "the five forms",
        "phrase in clause",
        "a new subject",
        "three phrases",
        "three phrases, no longer",
    ];
    let row = |kind: &'static str| {
        (kind, ["linear", "encoder"].map(|what| right(kind, what)))
    };
    table(["verbs of", "linear", "encoder"], kinds.map(row));
}

fn when_learned() {
    section("When a form is learned");
    curves().iter().for_each(|(name, points)| value(name, passes(points)));
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

fn what_it_looks_at() {
    let (noun, to_noun) = most("subject", is_far);
    let (time, _) = most("time", is_far);
    section("Heads");
    value("noun's head", &noun);
    value("on the subject", to_noun.percent(0));
    let to_others = share(&noun, "other noun", is_far);
    value("on other nouns", to_others.percent(1));
    value("time's head", &time);
    let on_time = share(&time, "time", |form| form == "phrase");
    value("on the time, phrase", on_time.percent(0));
}

fn exchanges() {
    section("Exchanged");
    for [_, which, of, _, part] in looked("exchange") {
        value(which, number::<f64>(part).percent(0));
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
            percent(log::read("gaps-causal"), |row| {
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
        value(how, number::<f64>(part).percent(0));
    }
}

/// What is learned with the loss of all words, and without gaps.
fn other_losses() {
    section("Other losses");
    let early = "500";
    let at_first = |log| -> f64 {
        let mut rows = log::table(log);
        let row: Option<Row> = rows.find(|row: &Row| row[0] == early);
        number(row.expect("an early row")[2])
    };
    let verbs = |log, set: &str, update: &str| {
        percent(log, |row| row[3] == set && row[0] == update && is_verb(row))
    };
    let everywhere = log::read("gaps-everywhere");
    value("early", early);
    value("gaps, early loss", mean(&RUNS.map(at_first)).fixed(2));
    let (right, deviation) =
        spread(&RUNS.map(|log| verbs(log, "validation", early)));
    value("gaps, early verbs", format!("{right:.0} %"));
    value("gaps, early standard deviation", deviation.fixed(0));
    value("all words, early loss", at_first(everywhere).fixed(2));
    let right = verbs(everywhere, "validation", early);
    value("all words, early verbs", format!("{right:.0} %"));
    for (name, log) in
        [("all words", everywhere), ("no gaps", log::read("gaps-copy"))]
    {
        let [update, _, loss, ..] = last(log);
        value(format!("{name}, loss"), number::<f64>(loss).fixed(4));
        let right = verbs(log, "test", update);
        value(format!("{name}, verbs"), format!("{right:.0} %"));
    }
}
