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
use logged::{RUNS, is_verb, last, name, percent, right, share};
pub use logged::{is_far, looked, most};
use print::log::{self, number};
use print::{Fixed, grouped, mean, plus_minus, section, table, value};

fn main() {
    ideal::most_frequent();
    five_forms();
    what_is_learned();
    scores();
    what_it_says();
    ideal::floor();
    other_losses();
    what_it_looks_at();
    exchanges();
    two_gaps();
    left_only();
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
    value("seconds", number::<f64>(last(RUNS[0])[1]).fixed(0));
}

/// Kinds of sentences outside of what was learned.
const OUTSIDE: [&str; 3] =
    ["phrase in clause", "a new subject", "three phrases"];

/// How many verbs of a kind a model has right, and of how many, with each
/// seed.
fn verbs(kind: &str, what: &str) -> [[f64; 2]; 5] {
    log::seeds::<5>("gaps-rivals").map(|log| {
        let mut rows = log::table::<4>(log);
        let row = rows.find(|row| row[..2] == [what, kind]);
        let [_, _, right, of] = row.expect("a row of this");
        [right, of].map(number)
    })
}

fn scores() {
    let models = ["counts", "linear", "encoder"];
    let row = |kind: &'static str| {
        let percent = models.map(|what| {
            let shares = verbs(kind, what).map(|[right, of]| right / of);
            plus_minus(&shares.map(|share| 100.0 * share), 1)
        });
        (kind, percent)
    };
    section("Right verbs, in per cent");
    table(
        ["", "counts", "linear", "encoder"],
        Form::ALL.map(name).into_iter().chain(OUTSIDE).map(row),
    );
    section("Verbs");
    let (_, of) = right(RUNS[0], is_verb);
    value("verbs", grouped(of));
    // With three phrases: all sentences, and two kinds of them.
    let [all, short, long] = ["", ", no longer", ", no farther"]
        .map(|of| verbs(&format!("three phrases{of}"), "encoder"));
    value("short", short[0][1]);
    value("long", long[0][1]);
    for (name, rows) in [("short", short), ("long", long)] {
        let shares = rows.map(|[right, of]| right / of);
        value(format!("{name}, right"), mean(&shares).percent(0));
    }
    // Those that are neither.
    let farther = [0, 1, 2, 3, 4].map(|seed| {
        let [right, of] = [0, 1].map(|column| {
            all[seed][column] - short[seed][column] - long[seed][column]
        });
        right / of
    });
    value("farther", mean(&farther).percent(0));
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
}

fn exchanges() {
    section("Exchanged");
    for [_, which, of, kind, part] in looked("exchange") {
        value(format!("{which}, {kind}"), number::<f64>(part).percent(0));
        if which == "subject" {
            value(format!("sentences, {kind}"), grouped(of));
        }
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
    let losses = RUNS.map(|log| number(last(log)[2]));
    value("loss", mean(&losses).fixed(2));
    for (name, log, decimals) in
        [("all words", "gaps-everywhere", 2), ("no gaps", "gaps-copy", 4)]
    {
        let log = log::read(log);
        let loss: f64 = number(last(log)[2]);
        value(format!("{name}, loss"), loss.fixed(decimals));
        let right = percent(log, is_verb);
        value(format!("{name}, verbs"), format!("{right:.0} %"));
    }
}

/// An encoder that sees the left side only.
fn left_only() {
    let log = log::read("gaps-causal");
    section("With the left side only, in per cent");
    let of = |form: Form, time: &str| {
        let right = percent(log, |row| {
            is_verb(row) && row[4] == name(form) && row[7] == time
        });
        right.fixed(1)
    };
    let row = |form| (name(form), ["first", "last"].map(|at| of(form, at)));
    table(["the verb", "time first", "time last"], Form::ALL.map(row));
    section("The left side");
    value("left only", format!("{:.0} %", percent(log, is_verb)));
}
