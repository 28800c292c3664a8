//! Four tasks with known answers: `cargo run --example tasks`

use all_you_need::tasks::{TWO_CENTURIES, Task, date};
use all_you_need::tensor::Matrix;
use plot::{Diagram, HeatMaps, Hue, Panel, Side};
use print::grouped;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;

fn main() {
    some_examples();
    where_to_look();
    where_a_date_comes_from();
    how_many_there_are();
    tested_with_what_was_learned();
    three_sets();
    one_bad_month();
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

/// 1 where the answer's letter comes from in the text, or equal parts of it
/// where it comes from several places.
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

/// Where each letter of three answers is in *planet*.
fn where_to_look() {
    let word = "planet";
    let places = |answer: &str| -> Vec<Vec<usize>> {
        answer.chars().map(|c| vec![word.find(c).unwrap()]).collect()
    };
    let sorted = "aelnpt";
    let columns = places(sorted).concat();
    let columns = columns.iter().map(|column| (column + 1).to_string());
    let mut figure = HeatMaps::new(
        "Where the next letter is",
        &format!(
            "Three maps for the word {word}: rows are the letters to be \
             written, columns the letters read. To copy, the marked cells lie on the \
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
        let panel = panel.hue(Hue::WEIGHTS);
        let panel = panel.rows(&rows).columns(&columns).cell(24.0, 24.0);
        figure = figure.panel(panel.axes("to write", "read"));
    }
    plot::save("tasks-looks", &figure.draw());
}

/// The same for a date. To know a month, one needs all of its letters.
fn where_a_date_comes_from() {
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
    let panel = panel.hue(Hue::WEIGHTS);
    let figure = HeatMaps::new(
        "Where a date comes from",
        &format!(
            "{} rows for the characters of {answer}, {} columns for those of \
             {text}. The year is a short diagonal at the right. Both digits of \
             the month have equal cells under all letters of march. The first \
             digit of the day has its cells under the digit and the space \
             after it, the second under the digit. No row has a cell under \
             tuesday.",
            rows.len(),
            columns.len()
        ),
    )
    .panel(panel.axes("to write", "read").cell(22.0, 22.0));
    plot::save("tasks-dates", &figure.draw());
}

/// Tuesday, 6 March 1984.
const DAY: usize = 30_745;

fn how_many_there_are() {
    println!("\n== How many there are");
    let words: f64 = (4..=10).map(|n| 26f64.powi(n)).sum();
    println!("words = {:.0} million million", words / 1e12);
    println!("words of four letters = {}", grouped(26usize.pow(4)));
    println!("days = {}", grouped(TWO_CENTURIES));
}

/// How many of 500 new examples were among the 20,000 to learn from.
fn tested_with_what_was_learned() {
    println!("\n== Of 500 new examples, seen before");
    for task in [Task::Reverse, Task::Dates] {
        let mut lessons = examples(task, 20_000, 1);
        let tests = examples(task, 500, 2);
        println!("{} = {}", task.name(), known(&tests, &lessons));
        println!("{}, expected = {}", task.name(), expected(task));
        lessons.retain(|lesson| !tests.contains(lesson));
        println!("{}, set apart = {}", task.name(), known(&tests, &lessons));
    }
}

/// What the examples are divided into, and what each part decides.
fn three_sets() {
    let mut figure = Diagram::new(
        "Three sets of examples",
        "A wide block, all examples, with arrows to three blocks below it: a \
         large training set and two small ones, validation and test, which \
         are held out. Arrows lead on: the training set changes the \
         parameters in every update, the validation set decides between \
         settings, and the test set is looked at once, for the final score.",
        26.0,
        12.0,
    );
    figure.block((13.0, 1.3), (25.0, 1.8), "all examples", Hue::Rule);
    for (x, width, set, how, what) in [
        (6.5, 12.0, "training set", "often", "parameters"),
        (16.1, 5.8, "validation set", "often", "settings"),
        (22.6, 5.8, "test set", "once", "the score"),
    ] {
        let set = figure.block((x, 5.3), (width, 1.9), set, Hue::Rule);
        let what = figure.block((x, 10.2), (5.4, 1.8), what, Hue::Rule);
        figure.arrow(&[(x, 2.2), set.top()], Hue::Ink);
        figure.arrow(&[set.bottom(), what.top()], Hue::Ink);
        figure.note((x + 0.3, 7.7), Side::Right, how);
    }
    plot::save("tasks-split", &figure.draw());
}

/// How many of 500 new examples are among 20,000 others on average.
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

/// How many of some examples are among those to learn from.
fn known(tests: &[(String, String)], lessons: &[(String, String)]) -> usize {
    let lessons: HashSet<_> = lessons.iter().collect();
    tests.iter().filter(|test| lessons.contains(test)).count()
}

/// How often a model is right that fails in one month only.
fn one_bad_month() {
    let dates: Vec<_> = (0..TWO_CENTURIES).map(date).collect();
    let june = dates.iter().filter(|(text, _)| text.contains("june")).count();
    println!("\n== Among all dates");
    println!("not in june = {}", 100 - 100 * june / dates.len());
}
