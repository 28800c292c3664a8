//! The figure of the chapter on few labels.

#[path = "../code/examples/labels.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::{CLASSIFIERS, COUNTS, NAMES, right};
use plot::{Chart, Hue};
use std::array::from_fn;

/// The hue of each that learns from labels.
const HUES: [Hue; 6] = [
    Hue::SECOND_RIVAL,
    Hue::Ink,
    Hue::RIVAL,
    Hue::Rule,
    Hue::OURS,
    Hue::Dashed,
];

/// What is right of the test reviews with each number of labels. Each point
/// is a mean, and the line through it is two standard deviations long.
pub fn draw() {
    let all: [_; 6] = from_fn(|i| (CLASSIFIERS[i], NAMES[i], HUES[i]));
    let said = all.map(|(classifier, name, _)| {
        let shares = COUNTS.map(|count| {
            let (mean, deviation) = right(classifier, count, 0);
            format!("{:.0} ± {:.0}", 100.0 * mean, 100.0 * deviation)
        });
        format!("{name}: {}", shares.join(", "))
    });
    let described = format!(
        "Six curves over the number of labels, which grows by factors, with \
         a vertical line at each point for the spread of the seeds. In per \
         cent, from the fewest labels to the most: {}.",
        said.join("; ")
    );
    let chart = Chart::new("Right with few labels", &described)
        .size(518.0, 330.0)
        .x("labelled reviews")
        .y("reviews of two clauses, right in %")
        .log_x();
    let chart = all.into_iter().zip(0..).fold(chart, |chart, (one, i)| {
        let (classifier, name, hue) = one;
        let points = COUNTS.map(|count| {
            // Side by side, so that no line of a spread hides another.
            let x = count as f64 * 1.03f64.powi(i);
            let (mean, deviation) = right(classifier, count, 0);
            (x, 100.0 * mean, 100.0 * deviation)
        });
        let spreads =
            points.into_iter().fold(chart, |chart, (x, y, half)| {
                chart.line_in(hue, "", [(x, y - half), (x, y + half)])
            });
        spreads.line_in(hue, name, points.map(|(x, y, _)| (x, y)))
    });
    plot::save("labels-right", &chart.draw());
}
