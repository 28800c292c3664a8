//! Four languages without a corpus: `cargo run --example tasks`

use all_you_need::tasks::{TWO_CENTURIES, Task, date};
use all_you_need::tensor::Matrix;
use plot::{HeatMaps, Panel};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;

fn main() {
    plot::read_arguments();
    some_examples();
    where_to_look();
    where_a_date_stands();
    how_many_there_are();
    tested_with_what_was_learned();
    unevenly_told();
}

fn examples(task: Task, count: usize, seed: u64) -> Vec<(String, String)> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| task.example(rng)).collect()
}

fn some_examples() {
    println!("== Three of each");
    for task in Task::ALL {
        for (text, answer) in examples(task, 3, 6) {
            println!("{:8} {text:27} {answer}", task.name());
        }
    }
}

/// 1 where the answer's letter stands in the text, and a part of it where
/// there are several such places.
fn looks(text: &str, places: &[Vec<usize>]) -> Matrix {
    let mut looks = Matrix::zeros(places.len(), text.len());
    for (i, places) in places.iter().enumerate() {
        for &j in places {
            looks[(i, j)] = 1.0 / places.len() as f64;
        }
    }
    looks
}

fn letters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

/// Where each letter of *pots*, *stop* and *opst* stands in *stop*.
fn where_to_look() {
    let word = "planet";
    let places = |answer: &str| -> Vec<Vec<usize>> {
        answer.chars().map(|c| vec![word.find(c).unwrap()]).collect()
    };
    let sorted = "aelnpt";
    let columns = places(sorted).concat();
    let columns = columns.iter().map(|column| (column + 1).to_string());
    let mut figure = HeatMaps::new(
        "Where the next letter stands",
        &format!(
            "Three maps for the word {word}: rows are the letters to be said, \
             columns the letters read. To copy, the marked cells lie on the \
             diagonal from the upper left; to reverse, on the one from the \
             upper right. To sort, {} are in columns {}.",
            letters(sorted).join(", "),
            Vec::from_iter(columns).join(", ")
        ),
    );
    for (task, answer) in
        [(Task::Copy, word), (Task::Reverse, "tenalp"), (Task::Sort, sorted)]
    {
        let looks = looks(word, &places(answer));
        let (rows, columns) = (letters(answer), letters(word));
        let panel = Panel::new(&looks).title(task.name()).full(1.0);
        let panel = panel.rows(&rows).columns(&columns).cell(24.0, 24.0);
        figure = figure.panel(panel.axes("to say", "read"));
    }
    plot::save("tasks-looks", &figure.draw());
}

/// The same for a date. To know a month, it takes all of its letters.
fn where_a_date_stands() {
    let (text, answer) = date(DAY);
    let at = |part: &str| text.find(part).expect("a part of the date");
    let (day, month, year) = (at("6"), at("march"), at("1984"));
    let letter = |j: usize| vec![j];
    let name: Vec<usize> = (month..month + 5).collect();
    let both = vec![day, day + 1];
    let places = [
        letter(year),
        letter(year + 1),
        letter(year + 2),
        letter(year + 3),
        vec![],
        name.clone(),
        name,
        vec![],
        both,
        letter(day),
    ];
    let looks = looks(&text, &places);
    let (rows, columns) = (letters(&answer), letters(&text));
    let panel = Panel::new(&looks).rows(&rows).columns(&columns).full(1.0);
    let figure = HeatMaps::new(
        "Where a date stands",
        &format!(
            "{} rows for the characters of {answer}, {} columns for those of \
             {text}. The year is a short diagonal at the right, both \
             characters of the month depend on all of march, those of the day \
             on its digit and the blank after it. No row looks at tuesday.",
            rows.len(),
            columns.len()
        ),
    )
    .panel(panel.axes("to say", "read").cell(22.0, 22.0));
    plot::save("tasks-dates", &figure.draw());
}

/// Tuesday, 6 March 1984.
const DAY: usize = 30_745;

fn how_many_there_are() {
    println!("\n== How many there are");
    let words: f64 = (4..=10).map(|n| 26f64.powi(n)).sum();
    println!("words = {:.0} million million", words / 1e12);
    println!("days = {},{:03}", TWO_CENTURIES / 1000, TWO_CENTURIES % 1000);
}

/// How many of 500 new examples were among the 20,000 to learn from.
fn tested_with_what_was_learned() {
    println!("\n== Of 500 new examples, seen before");
    for task in [Task::Reverse, Task::Dates] {
        let lessons: HashSet<_> =
            examples(task, 20_000, 1).into_iter().collect();
        let tests = examples(task, 500, 2);
        let known = tests.iter().filter(|test| lessons.contains(test));
        println!("{} = {}", task.name(), known.count());
    }
}

/// What an answer learns from is not evenly spread.
fn unevenly_told() {
    let lessons = examples(Task::Dates, 20_000, 1);
    let count = |end: &str| {
        lessons.iter().filter(|(_, answer)| answer.ends_with(end)).count()
    };
    println!("\n== Among 20,000 dates");
    println!("first of march = {}", count("-03-01"));
    println!("leap days = {}", count("-02-29"));
}
