//! The figure of the chapter on scaling.

#[path = "../code/examples/scaling.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::recipes::{BUDGETS, WIDTHS};
use example::{between, line_of, mean};
use plot::{Chart, Hue};

/// The least loss that any of the lines reaches with at most so much work.
fn least() -> Vec<(f64, f64)> {
    let lines = WIDTHS.map(line_of);
    let ends = [lines[0][0].0, lines[WIDTHS.len() - 1][BUDGETS.len() - 1].0];
    let steps = 200;
    let places = (0..=steps).map(|i| {
        let part = f64::from(i) / f64::from(steps);
        (ends[0] * (ends[1] / ends[0]).powf(part)).min(ends[1])
    });
    let mut best = f64::INFINITY;
    let point = |x: f64| {
        let here = lines.iter().filter_map(|line| between(line, x));
        best = here.fold(best, f64::min);
        (x, best)
    };
    places.map(point).collect()
}

/// The loss of five sizes against the work of their runs.
pub fn draw() {
    let said = WIDTHS.map(|width| {
        let losses = BUDGETS.map(|n| format!("{:.2}", mean(width, n)));
        format!("rows of {width}: {}", losses.join(", "))
    });
    let described = format!(
        "Five curves, one for each size of a decoder, over the multiply-adds \
         of a run, with three lengths each. They cross: with little work the \
         small ones lose least, with more the large ones. A line below all of \
         them has the least loss so far. {}.",
        said.join("; ")
    );
    let chart = Chart::new("Loss and work", &described)
        .size(480.0, 320.0)
        .x("multiply-adds of a run")
        .y("loss on held-out captions")
        .log_x();
    let chart = chart.line_in(Hue::HERE, "the least so far", least());
    let chart = WIDTHS.iter().fold(chart, |chart, &width| {
        chart.line(&format!("rows of {width}"), line_of(width).to_vec())
    });
    plot::save("scaling-work", &chart.draw());
}
