//! The figure of the chapter on scaling.

#[path = "../code/examples/scaling.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::recipes::{BUDGETS, WIDTHS};
use example::{mean, work};
use plot::Chart;

/// The loss of five sizes against the work of their runs.
pub fn draw() {
    let line = |width: usize| -> Vec<(f64, f64)> {
        let point = |updates| (work(width, updates), mean(width, updates));
        BUDGETS.map(point).to_vec()
    };
    let said = WIDTHS.map(|width| {
        let losses = BUDGETS.map(|n| format!("{:.2}", mean(width, n)));
        format!("rows of {width}: {}", losses.join(", "))
    });
    let described = format!(
        "Five curves, one for each size of a decoder, over the multiply-adds \
         of a run, with three budgets each. They cross: with little work the \
         small ones lose least, with more the large ones. {}.",
        said.join("; ")
    );
    let chart = Chart::new("Loss and work", &described)
        .size(480.0, 320.0)
        .x("multiply-adds of a run")
        .y("loss on held-out captions")
        .log_x();
    let chart = WIDTHS.iter().fold(chart, |chart, &width| {
        chart.line(&format!("rows of {width}"), line(width))
    });
    plot::save("scaling-work", &chart.draw());
}
