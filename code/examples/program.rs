//! The program from outside: `cargo run --example program`

use print::{section, value};

/// What was typed in a terminal, and what appeared there.
const SESSION: &str = include_str!("../../src/logs/program.txt");

fn main() {
    println!("{SESSION}");
    last_updates();
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
