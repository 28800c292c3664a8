//! Four tasks with known answers: `cargo run --example tasks`

use all_you_need::encoder::Config;
use all_you_need::tasks::{TWO_CENTURIES, Task};
use all_you_need::training::Recipe;
use print::log::{self, number};
use print::{Fixed, fixed, grouped, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    some_examples();
    two_trained();
    where_rows_look();
    where_a_date_looks();
    how_many_there_are();
    tested_with_what_was_learned();
}

fn examples(task: Task, count: usize, seed: u64) -> Vec<(String, String)> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| task.example(rng)).collect()
}

fn some_examples() {
    section("Two of each");
    for task in Task::ALL {
        for (text, answer) in examples(task, 2, 6) {
            println!("{:8} {text:27} {answer}", task.name());
        }
    }
}

/// The logs of `src/logs/training.sh`: where the model for dates looks while it
/// writes one, and where the sorting model looks while it writes the letters
/// of *planet*.
pub const DATES: &str = "training-dates";
pub const SORT: &str = "training-sort";

/// A log with a name for each row and each column, and numbers.
pub struct Weights {
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// The numbers, row by row.
    pub numbers: Vec<f64>,
}

impl Weights {
    pub fn read(log: &str) -> Self {
        let mut lines = log::read(log).lines().map(|line| line.split('\t'));
        let head = lines.next().expect("a line with the names").skip(1);
        let columns = head.map(String::from).collect();
        let (mut rows, mut numbers) = (Vec::new(), Vec::new());
        for mut line in lines {
            rows.extend(line.next().map(String::from));
            numbers.extend(line.map(number::<f64>));
        }
        Self { rows, columns, numbers }
    }

    /// The numbers of a row.
    pub fn row(&self, i: usize) -> &[f64] {
        let n = self.columns.len();
        &self.numbers[i * n..(i + 1) * n]
    }
}

/// What the trained models get right, and where the sorting one looks.
fn two_trained() {
    section("Trained");
    value("width", Config::toy().d_model);
    value("updates", grouped(Recipe::toy().updates));
    let scores = Weights::read("training-scores");
    for (i, task) in scores.rows.iter().enumerate() {
        value(format!("{task}, right"), scores.row(i)[0]);
    }
    value("of each", scores.row(0)[1]);
    let sort = Weights::read(SORT);
    let own = sort.rows.iter().enumerate().filter_map(|(i, letter)| {
        let place = sort.columns.iter().position(|read| read == letter)?;
        (letter != "end").then_some(sort.row(i)[place])
    });
    value("least", own.fold(1.0, f64::min).fixed(2));
}

/// How many of the rows have their largest weight in the right place.
fn where_rows_look() {
    section("Where rows look");
    let counts = log::table(log::read("training-counts"));
    let rows = counts.map(|[task, part, right, chance]| {
        let name = match task == part {
            true => part.to_owned(),
            false => format!("{task}, {part}"),
        };
        (name, right, chance)
    });
    table(["", "right place", "by chance"], rows);
    section("When the last digit changes");
    let exchanged = Weights::read("training-exchanged");
    for (name, percent) in exchanged.columns.iter().zip(&exchanged.numbers) {
        value(format!("{name}, exchanged"), percent.fixed(0));
    }
}

fn where_a_date_looks() {
    let parts = Weights::read("training-parts");
    section("Where a date looks");
    let rows = parts
        .rows
        .iter()
        .enumerate()
        .map(|(i, name)| (name, fixed(parts.row(i), 0)));
    table(("to write", &parts.columns), rows);
    section("On the weekday");
    for (i, name) in parts.rows.iter().enumerate() {
        if *name != "hyphens" {
            value(format!("weekday, {name}"), parts.row(i)[0].fixed(0));
        }
    }
}

fn how_many_there_are() {
    section("How many there are");
    let words: f64 = (4..=10).map(|n| 26f64.powi(n)).sum();
    value("words", (words / 1e14).fixed(1));
    value("words of four letters", grouped(26usize.pow(4)));
    value("days", grouped(TWO_CENTURIES));
}

/// How many of 500 new examples are among 20,000 to learn from, on average.
fn tested_with_what_was_learned() {
    section("Of 500 new examples, seen before");
    for task in [Task::Reverse, Task::Dates] {
        value(format!("{}, expected", task.name()), expected(task));
    }
}

fn expected(task: Task) -> String {
    let seen = |different: f64, part: f64| {
        let unseen = (1.0 - part / different).powi(20_000);
        500.0 * part * (1.0 - unseen)
    };
    let mean: f64 = match task {
        Task::Dates => seen(TWO_CENTURIES as f64, 1.0),
        _ => (4..=10).map(|n| seen(26f64.powi(n), 1.0 / 7.0)).sum(),
    };
    match mean {
        ..1.0 => format!("{mean:.1}"),
        _ => format!("{mean:.0}"),
    }
}
