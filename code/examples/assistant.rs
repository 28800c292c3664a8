//! From a writer to an assistant: `cargo run --example assistant`

use all_you_need::assistant::{
    GROUP, Lora, QUESTIONS, Question, RANK, World, config, reading, trying,
};
use all_you_need::parameters::parameter_count;
use all_you_need::plain::assistant::worths;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::Half;
use print::log::{self, number};
use print::{Fixed, grouped, mean, plus_minus, section, table, value};

#[path = "assistant/seeds.rs"]
mod seeds;

fn main() {
    an_answer();
    the_world();
    what_they_say();
    what_each_step_did();
    a_group();
    rewards();
    narrow();
    rates();
}

/// Each stage, as the log and as the page call it.
const STAGES: [(&str, &str); 7] = [
    ("read", "the writer"),
    ("tuned", "fine-tuned"),
    ("lora", "LoRA"),
    ("mixed", "fine-tuned, reading on"),
    ("more", "fine-tuned, more answers"),
    ("checked", "rewarded"),
    ("careless", "carelessly rewarded"),
];

/// What is measured of each kind of questions.
#[derive(Clone, Copy)]
enum Measure {
    Drawn = 1,
    Stated,
}

/// What `src/logs/assistant.sh` has found.
fn logged<const N: usize>(what: &str) -> impl Iterator<Item = [&str; N]> {
    log::table(log::read(&format!("assistant-{what}")))
}

/// One number of all seeds after a stage: column 0 is the loss on plain text.
fn column(stage: &str, column: usize) -> Vec<f64> {
    let rows = logged("runs").filter(|row: &[&str; 12]| row[1] == stage);
    rows.map(|row| number(row[2 + column])).collect()
}

/// How many questions of a kind are right after a stage, in per cent, seed by
/// seed.
fn right(stage: &str, kind: usize, measure: Measure) -> Vec<f64> {
    let found = column(stage, 1 + 3 * kind + measure as usize);
    found.into_iter().map(|share| 100.0 * share).collect()
}

fn the_world() {
    let (world, rng) = (World::default(), &mut generator(1, Stream::Data));
    section("The world");
    let Recipe { updates, batch_tokens, .. } = reading(1);
    value("tokens read", grouped(updates * batch_tokens));
    value("words", world.vocabulary());
    let sets = &world.sets;
    value("answered", sets.answered.len());
    value("checked", sets.checked.len());
    let is_sum = |one: &&Question| matches!(one, Question::Sum(..));
    let sums = sets.checked.iter().filter(is_sum).count();
    value("checked sums", sums);
    value("checked days", sets.checked.len() - sums);
    let [sums, days, homes] = &sets.test;
    value("test sums", sums.len());
    value("test days", days.len());
    value("test homes", homes.len());
    value("seeds", column("read", 0).len());
    section("A text");
    let text = world.text(&world.running(50_000, rng));
    // Of each form the shortest with facts of all kinds.
    let has_all = |text: &&str| {
        [" + ", "day", "live"].iter().all(|kind| text.contains(kind))
    };
    let paragraphs = text.split('¶').map(str::trim).filter(has_all);
    let asks = |text: &str| text.contains('?');
    let answers = |text: &str| asks(text) && text.contains('.');
    let kinds: [&dyn Fn(&str) -> bool; 3] =
        [&|text| !asks(text), &|text| asks(text) && !answers(text), &answers];
    for of_this_kind in kinds {
        let found = paragraphs.clone().filter(|text| of_this_kind(text));
        let shortest = found.min_by_key(|text| text.len());
        println!("{}", shortest.expect("a paragraph of each kind"));
    }
}

/// What an answer costs.
fn an_answer() {
    let p: [f64; 2] = [0.5, 0.9];
    let nats = p.map(|p| -p.ln());
    section("An answer");
    value("each", nats.fixed(2).join(" and "));
    value("together", (nats[0] + nats[1]).fixed(2));
}

fn what_they_say() {
    let titles = [
        ("Questions to two writers", "read"),
        ("Questions to two assistants", "tuned"),
    ];
    for (title, stage) in titles {
        section(title);
        let said = |who: &'static str| {
            logged("said")
                .filter(move |row: &[_; 4]| row[..2] == [who, stage])
        };
        for ([_, _, asked, one], [.., other]) in said("1").zip(said("2")) {
            println!("{asked}");
            for (who, said) in [("first", one), ("second", other)] {
                let words: Vec<&str> = said.split(' ').collect();
                let (shown, more) = words.split_at(words.len().min(14));
                let dots = if more.is_empty() { "" } else { " …" };
                println!("  {who:6} → {}{dots}", shown.join(" "));
            }
        }
    }
}

/// A row for each stage, beside what the section of the page compares it with.
fn what_each_step_did() {
    stages("From answers", &["read", "tuned", "mixed"]);
    stages("From rewards", &["tuned", "more", "checked", "careless"]);
    stages("From narrow matrices", &["tuned", "lora"]);
    seeds::seed_by_seed();
}

fn stages(title: &str, shown: &[&str]) {
    section(title);
    let stages = STAGES.iter().filter(|(stage, _)| shown.contains(stage));
    let rows = stages.map(|&(stage, name)| {
        let of = |kind, measure| plus_minus(&right(stage, kind, measure), 0);
        let drawn = [0, 1, 2].map(|kind| of(kind, Measure::Drawn));
        let text = plus_minus(&column(stage, 0), 2);
        let stated = [0, 1].map(|kind| of(kind, Measure::Stated));
        (name, drawn, stated, text)
    });
    let kinds = ["sums", "days", "homes"];
    let names = ("", kinds, ["stated sums", "stated days"], "text, nats");
    table(names, rows);
}

/// What the page calls a stage.
fn name(stage: &str) -> &'static str {
    let found = STAGES.iter().find(|(own, _)| *own == stage);
    found.expect("a stage").1
}

/// A stage with what the page calls it.
fn named(stage: &'static str) -> (&'static str, &'static str) {
    (stage, name(stage))
}

/// Four rewards by hand.
fn a_group() {
    let signed = |worth: &f64| format!("{worth:+.2}").replace('-', "−");
    let show = |rewards: &[f64]| {
        let each: Vec<String> = worths(rewards).iter().map(signed).collect();
        each.join(", ")
    };
    section("A group");
    value("one of four is right", show(&[0.0, 1.0, 0.0, 0.0]));
    value("three of four are right", show(&[1.0, 1.0, 0.0, 1.0]));
    let Recipe { updates, .. } = trying(1);
    value("updates", updates);
    value("answers to a question", GROUP);
    value("questions an update", QUESTIONS);
    value("answers in all", grouped(GROUP * QUESTIONS * updates));
}

/// The mean reward, or number of tokens, of each ten updates: a point for
/// each ten, the mean of all seeds.
pub fn steps(stage: &str, what: usize) -> Vec<(f64, f64)> {
    let Recipe { updates, .. } = trying(1);
    let tens = (10..=updates).step_by(10);
    let at = |step: usize| {
        let rows = logged("steps").filter(|row: &[&str; 5]| {
            row[1] == stage && number::<usize>(row[2]) == step
        });
        let all: Vec<f64> = rows.map(|row| number(row[3 + what])).collect();
        (step as f64, mean(&all))
    };
    tens.map(at).collect()
}

fn rewards() {
    section("Rewards");
    for (stage, name) in ["checked", "careless"].map(named) {
        let both = [("reward", 0, 2), ("tokens", 1, 1)];
        for (what, column, decimals) in both {
            let all = steps(stage, column);
            let ends =
                [("at first", all[0]), ("at last", all[all.len() - 1])];
            for (when, (_, y)) in ends {
                value(format!("{name}, {what} {when}"), y.fixed(decimals));
            }
        }
    }
}

fn narrow() {
    section("LoRA");
    let (world, rng) = (World::default(), &mut generator(1, Stream::Weights));
    let base: Half<Matrix<f32>> = Half::new(&config(&world), rng);
    let lora: Lora<Matrix<f32>> = Lora::new(&base, RANK, rng);
    let [all, few] = [parameter_count(&base), parameter_count(&lora)];
    value("rank", RANK);
    value("all parameters", grouped(all));
    value("narrow parameters", grouped(few));
    value("part", (few as f64 / all as f64).percent(0));
}

/// The mean over the kinds of how often a drawn answer is right.
fn rates() {
    section("Rates");
    let rows = logged("rates").map(|row: [&str; 12]| {
        let drawn = [4, 7, 10].map(|column| number::<f64>(row[column]));
        (name(row[0]), row[1], (100.0 * mean(&drawn)).fixed(1))
    });
    table(("", "rate", "drawn right, per cent"), rows);
}
