//! The figures of the chapter on scaling.

#[path = "../code/examples/scaling.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::recipes::{BUDGETS, WIDTHS};
use example::laws::said;
use example::{between, line_of, mean, size};
use plot::{Chart, Hue};
use print::grouped;

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

pub fn draw() {
    work();
    laws();
}

/// The losses of five sizes on logarithmic axes, with the lines through the
/// four smaller ones.
fn laws() {
    let named = BUDGETS.map(|n| format!("{} updates", grouped(n)));
    let described = format!(
        "Loss over parameters, both axes logarithmic, for three lengths. \
         Through the first four points of each goes a straight line, which \
         is continued to the fifth. After {} the first points lie off the \
         line; after {} the first four lie on it and the fifth is above.",
        named[0], named[2]
    );
    let chart = Chart::new("Loss and size", &described)
        .size(480.0, 320.0)
        .x("parameters")
        .y("loss on held-out captions")
        .log_x()
        .log_y();
    let chart = BUDGETS.iter().zip(&named).fold(chart, |chart, (&n, name)| {
        let over = |of: &dyn Fn(usize) -> f64| {
            WIDTHS.map(|width| (size(width)[0], of(width))).to_vec()
        };
        chart.dots(name, over(&|width| mean(width, n)))
    });
    let chart = BUDGETS.iter().fold(chart, |chart, &n| {
        let fitted = WIDTHS.map(|width| (size(width)[0], said(n, width)));
        chart.line_in(Hue::Rule, "", fitted.to_vec())
    });
    plot::save("scaling-laws", &chart.draw());
}

/// The loss of five sizes against the work of their runs.
fn work() {
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
