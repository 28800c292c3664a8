//! The program from outside: `cargo run --example program`

use all_you_need::encoder::Config;
use all_you_need::loss::{CrossEntropy, smoothed};
use all_you_need::training::Recipe;
use print::{Fixed, section, value};

/// What was typed in a terminal, and what appeared there.
const SESSION: &str = include_str!("../../src/logs/program.txt");

fn main() {
    println!("{SESSION}");
    last_updates();
    with_smoothing();
}

/// The last update that a section shows, in the name of a checkpoint.
fn last_updates() {
    section("Last updates");
    let is_update =
        |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
    let title = "What it has kept";
    let section = SESSION.split("== ").find(|it| it.starts_with(title));
    let line = section.expect("a section").lines().rfind(is_update);
    let update = line.and_then(|line| line.split_whitespace().next());
    let update: usize = update.expect("an update").parse().expect("digits");
    value("interrupted after", update);
}

/// The losses of a model that gives what label smoothing taught it.
fn with_smoothing() {
    section("With smoothing");
    let tokens = Config::toy().vocabulary;
    let part = Recipe::toy().label_smoothing;
    let taught = smoothed::<f64>(&[0], tokens, part);
    let certainty = taught[0];
    let floor = taught.map(f64::ln).cross_entropy(&[0], part)[0];
    value("tokens", tokens);
    value("floor", floor.fixed(3));
    value("floor, not smoothed", (-certainty.ln()).fixed(3));
}
