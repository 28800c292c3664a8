//! The figures of the chapter on assistants.

#[path = "../code/examples/assistant.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::assistant::{FEW, Sets};
use all_you_need::tensor::Matrix;
use all_you_need::training::{Stream, generator};
use example::{column, steps};
use plot::{Chart, HeatMaps, Panel};
use print::mean;
use rand::RngExt;

pub fn draw() {
    rewards();
    careless();
    narrow();
}

/// The mean reward of each twenty updates, and how probable the right answers
/// to the test sums are.
fn course(stage: &str) -> [(&'static str, Vec<(f64, f64)>); 2] {
    // Nothing is drawn before the first update, but the test can be judged.
    let before = (0.0, mean(&column("tuned", 1)) / 100.0);
    let test = [vec![before], steps(stage, 1)].concat();
    [("reward", steps(stage, 0)), ("test", test)]
}

/// Rewards of many questions and of few.
fn rewards() {
    let many = Sets::new().checked.len();
    let lines = [("checked", many), ("few", FEW)].map(|(stage, questions)| {
        course(stage)
            .map(|(what, all)| (format!("{questions} questions, {what}"), all))
    });
    save("rewards", "Rewards", 0.5, &lines.concat());
}

/// The reward of a careless check.
fn careless() {
    let lines = course("careless").map(|(what, all)| (what.to_owned(), all));
    save("careless", "A careless check", 0.0, &lines);
}

/// Lines over the updates, with their axis from the lowest.
fn save(
    name: &str,
    title: &str,
    lowest: f64,
    lines: &[(String, Vec<(f64, f64)>)],
) {
    let said = lines.iter().map(|(name, all)| {
        let ends = [all[0], all[all.len() - 1]];
        let [first, last] = ends.map(|(_, y)| format!("{y:.2}"));
        format!("{name} from {first} to {last}")
    });
    let described = format!(
        "Lines over the updates of the policy gradient, the means of all \
         seeds: the mean reward of the drawn answers, and how probable the \
         right answers to test sums are. {}.",
        said.collect::<Vec<_>>().join("; ")
    );
    let chart = Chart::new(title, &described)
        .size(500.0, 300.0)
        .x("updates")
        .y("right")
        .y_range(lowest..1.0);
    let chart = lines
        .iter()
        .fold(chart, |chart, (name, all)| chart.line(name, all.clone()));
    plot::save(&format!("assistant-{name}"), &chart.draw());
}

/// A wide matrix, and two narrow ones beside it.
fn narrow() {
    let rng = &mut generator(1, Stream::Weights);
    let mut some = |rows, columns| {
        Matrix::from_fn(rows, columns, |_, _| rng.random_range(-1.0..1.0))
    };
    let (w, down, up) = (some(12, 10), some(12, 2), some(2, 10));
    let described = format!(
        "A matrix W of {} by {} cells; a plus sign; a matrix down of {} by \
         {}; times; a matrix up of {} by {}.",
        w.nrows(),
        w.ncols(),
        down.nrows(),
        down.ncols(),
        up.nrows(),
        up.ncols()
    );
    let panel = |matrix: &Matrix, title: &str| {
        Panel::new(matrix).title(title).cell(13.0, 13.0).full(1.5)
    };
    let figure = HeatMaps::new("A wide matrix and two narrow ones", &described)
        .panel(panel(&w, "*W*, which stays"))
        .sign("+")
        .panel(panel(&down, "down"))
        .sign("×")
        .panel(panel(&up, "up"));
    plot::save("assistant-narrow", &figure.draw());
}
