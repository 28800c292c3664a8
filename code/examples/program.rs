//! The program from outside: `cargo run --example program`

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use print::{section, value};

/// Print a word.
#[derive(Debug, Parser)]
#[command(name = "repeat")]
struct Repeat {
    /// How many times.
    #[arg(long, default_value = "1")]
    times: usize,
    /// The word.
    word: String,
}

/// What was typed in a terminal, and what appeared there.
const SESSION: &str = include_str!("../../src/logs/program.txt");

fn main() {
    println!("{SESSION}");
    last_updates();
    help();
    parsed();
}

/// The number of the last update in each log that the session shows.
fn last_updates() {
    section("Last updates");
    let is_row = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
    for (label, title) in [
        ("interrupted after", "What it has kept"),
        ("complete after", "Going on"),
    ] {
        let section = SESSION.split("== ").find(|it| it.starts_with(title));
        let mut rows = section.expect("a section").lines().filter(is_row);
        let row = rows.rfind(|row| row.contains('.')).expect("a row");
        let update = row.split_whitespace().next().expect("an update");
        value(label.to_string(), update);
    }
}

fn help() {
    section("Its help");
    println!("$ repeat --help");
    print!("{}", Repeat::command().render_help());
}

/// What becomes of what is typed.
fn parsed() {
    section("What is parsed");
    for typed in ["--times 3 hello", "hello", "--times many hello"] {
        println!("$ repeat {typed}");
        let words = ["repeat"].into_iter().chain(typed.split(' '));
        match Repeat::try_parse_from(words) {
            Ok(Repeat { times, word }) => {
                println!("times: {times}, word: {word:?}");
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::ValueValidation);
                let text = error.to_string();
                println!("{}", text.lines().next().unwrap_or_default());
            }
        }
    }
}
