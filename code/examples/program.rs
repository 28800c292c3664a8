//! The program from outside: `cargo run --example program`

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use plot::{Diagram, Hue};

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
    print!("{SESSION}");
    last_updates();
    help();
    parsed();
    draw_way();
}

/// The number of the last update in each log that the session shows.
fn last_updates() {
    println!("\n== Last updates");
    let is_row = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
    for (label, title) in [
        ("interrupted after", "What it has kept"),
        ("complete after", "Going on"),
    ] {
        let section = SESSION.split("== ").find(|it| it.starts_with(title));
        let mut rows = section.expect("a section").lines().filter(is_row);
        let row = rows.rfind(|row| row.contains('.')).expect("a row");
        let update = row.split_whitespace().next().expect("an update");
        println!("{label} = {update}");
    }
}

fn help() {
    println!("\n== Its help");
    println!("$ repeat --help");
    print!("{}", Repeat::command().render_help());
}

/// What becomes of what is typed.
fn parsed() {
    println!("\n== What is parsed");
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

/// From the flags of `train` to a trained model.
fn draw_way() {
    let text = "Seven boxes with arrows. Train, the flags, leads to Data, the \
        texts; to Plan, the sizes and the recipe; and to Session, the model \
        and its directory. Session leads to learn, update by update, which \
        calls checkpoint again and again, and then to examine, which tries \
        new examples.";
    let mut figure =
        Diagram::new("The way of a training", text, 32.0, 15.0).across(15.8);
    let mut place = |x: f64, y: f64, text: &str| {
        figure.block((x, y), (7.6, 2.4), text, Hue::Rule)
    };
    let train = place(5.0, 2.0, "Train\nthe flags");
    let data = place(16.0, 2.0, "Data\nthe texts");
    let plan = place(27.0, 2.0, "Plan\nsizes, recipe");
    let session = place(27.0, 7.5, "Session\nmodel, directory");
    let learn = place(16.0, 7.5, "learn\nupdate by update");
    let examine = place(5.0, 7.5, "examine\nnew examples");
    let checkpoint = place(16.0, 13.0, "checkpoint\nlog, then files");
    let ((x, down), (_, up)) = (learn.bottom(), checkpoint.top());
    for way in [
        [train.right(), data.left()],
        [data.right(), plan.left()],
        [plan.bottom(), session.top()],
        [session.left(), learn.right()],
        [learn.left(), examine.right()],
        [(x - 1.0, down), (x - 1.0, up)],
        [(x + 1.0, up), (x + 1.0, down)],
    ] {
        figure.arrow(&way, Hue::Ink);
    }
    plot::save("program-way", &figure.draw());
}
