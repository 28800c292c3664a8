//! The figures of the chapter on classifying.

#[path = "../code/examples/classifier.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::classifier::Kind;
use all_you_need::tensor::Matrix;
use example::{ENOUGH, RUNS, curves, from, lowest, name};
use example::{THREE, mean_and_logits, rows_and_w};
use plot::{Chart, HeatMaps, Panel};

pub fn draw() {
    by_hand();
    learning();
}

/// From the rows of three words to the logits of two classes.
fn by_hand() {
    let ([rows, w], [mean, logits]) = (rows_and_w(), mean_and_logits());
    let text = format!(
        "A row of two numbers for each of the words {}. Their mean is one \
         row, {:.0} and {:.0}. Times W it becomes the logits, {:.0} for bad and {:.0} \
         for good.",
        THREE.join(", "),
        mean[0],
        mean[1],
        logits[0],
        logits[1]
    );
    let panel = |matrix: &Matrix, title: &str| {
        Panel::new(matrix).title(title).numbers(0).full(3.0)
    };
    let classes = ["bad", "good"];
    let figure = HeatMaps::new("From three rows to two logits", &text)
        .panel(panel(&rows, "rows").rows(&THREE))
        .sign("→")
        .panel(panel(&mean, "mean"))
        .sign("×")
        .panel(panel(&w, "*W*").columns(&classes).cell(34.0, 26.0))
        .sign("=")
        .panel(panel(&logits, "logits").columns(&classes).cell(34.0, 26.0));
    plot::save("classifier-by-hand", &figure.draw());
}

/// What is learned when.
fn learning() {
    let curves = curves();
    let names = Kind::ALL.map(name);
    let ends = curves.iter().flat_map(|curve| curve.last());
    let end = ends.map(|at| at.1).fold(100.0, f64::min).floor();
    let told: Vec<_> = names
        .iter()
        .zip(&curves)
        .map(|(name, curve)| format!("{name} from update {}", from(curve)))
        .collect();
    let text = format!(
        "The share of validation reviews judged correctly, in per cent, by the \
         number of updates, as the mean over {} seeds, with a line for each \
         kind. Negated reviews fall to {:.0} at first; all end at {end:.0} \
         percent. They stay above {ENOUGH} one after the other: {}.",
        RUNS.len(),
        lowest(&curves[1]),
        told.join(", ")
    );
    let mut chart = Chart::new("What is learned when", &text)
        .size(470.0, 300.0)
        .x("updates")
        .y("right, in per cent");
    for (name, curve) in names.iter().zip(curves) {
        chart = chart.line(name, curve);
    }
    plot::save("classifier-learning", &chart.draw());
}
