//! The figures of the chapter on what changed.

#[macro_use]
#[path = "../code/examples/today.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::heads::{held, read_and_returned};
use example::muon::after;
use example::{Trained, by_loss, signed};
use plot::{Bars, Chart, Hue};
use print::{grouped, spread};

pub fn draw() {
    changes();
    strengths();
    memory();
}

/// How much more or less each decoder loses than the unchanged one.
fn changes() {
    let mut all = by_loss();
    all.retain(|one| !one.unchanged());
    let by = |one: &Trained| spread(&one.differences()).0;
    let listed =
        all.iter().map(|one| format!("{} {}", one.name, signed(by(one))));
    let described = format!(
        "Bars for the loss of each decoder less that of the unchanged one, \
         in nats for each token, the mean of all seeds. Bars to the left are \
         better, those to the right are worse: {}.",
        listed.collect::<Vec<_>>().join(", ")
    );
    let bars = Bars::new("What each change is worth", &described)
        .heading("nats a token, beside the unchanged decoder")
        .decimals(3);
    let bars = all.iter().fold(bars, |bars, one| {
        let hue = if by(one) < 0.0 { Hue::OURS } else { Hue::RIVAL };
        bars.bar_in(hue, one.name, by(one))
    });
    plot::save("today-changes", &bars.draw());
}

/// What Muon's rounds make of a strength.
fn strengths() {
    let steps = 240;
    let places: Vec<f64> = (0..=steps)
        .map(|i| 10f64.powf(-4.0 * f64::from(steps - i) / f64::from(steps)))
        .collect();
    let line = |rounds: usize| -> Vec<(f64, f64)> {
        places.iter().map(|&s| (s, after(s, rounds))).collect()
    };
    let described = "Three curves over the strength of a direction before \
                     Muon, on a logarithmic axis up to one. After one round \
                     the curve is still low for all small strengths. After \
                     three it rises earlier, and after five it is near one \
                     for all but the smallest strengths, and swings.";
    let chart = Chart::new("Strengths after some rounds", described)
        .size(500.0, 300.0)
        .x("strength at first")
        .y("strength afterwards")
        .log_x()
        .line_in(Hue::Dashed, "1 round", line(1))
        .line_in(Hue::Rule, "3 rounds", line(3))
        .line_in(Hue::OURS, "5 rounds", line(5));
    plot::save("today-strengths", &chart.draw());
}

/// How many numbers attention keeps, with its table and without.
fn memory() {
    let lengths: Vec<usize> = (7..=17).map(|power| 1 << power).collect();
    let line = |numbers: &dyn Fn(usize) -> usize| -> Vec<(f64, f64)> {
        lengths.iter().map(|&n| (n as f64, numbers(n) as f64)).collect()
    };
    let longest = lengths[lengths.len() - 1];
    let [all, blocks, one] = held(longest).map(grouped);
    let described = format!(
        "Four lines over the number of tokens, both axes logarithmic. The \
         line of all scores rises twice as steeply as that of blocks and \
         that of queries, keys, values and mixtures, and the line of one \
         query is level. With {} tokens: all scores {all}, blocks {blocks}, \
         what is read and returned {}, one query {one}.",
        grouped(longest),
        grouped(read_and_returned(longest)),
    );
    let chart = Chart::new("Numbers at a time", &described)
        .size(500.0, 320.0)
        .x("tokens")
        .y("numbers kept at a time")
        .log_x()
        .log_y()
        .line_in(Hue::RIVAL, "all scores", line(&|n| held(n)[0]))
        .line_in(Hue::Rule, "read, returned", line(&read_and_returned))
        .line_in(Hue::OURS, "in blocks", line(&|n| held(n)[1]))
        .line_in(Hue::Dashed, "one query", line(&|n| held(n)[2]));
    plot::save("today-memory", &chart.draw());
}
