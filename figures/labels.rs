//! The figure of the chapter on few labels.

#[path = "../code/examples/labels.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::{CLASSIFIERS, COUNTS, right};
use plot::{Chart, Hue};

/// What is right of the test reviews with each number of labels. Each point
/// is a mean, and the line through it is two standard deviations long.
pub fn draw() {
    let hues =
        [Hue::SECOND_RIVAL, Hue::RIVAL, Hue::RIVAL, Hue::Rule, Hue::OURS];
    let said = CLASSIFIERS.map(|classifier| {
        let shares = COUNTS.map(|count| {
            let (mean, deviation) = right(classifier, count, 0);
            format!("{:.0} ± {:.0}", 100.0 * mean, 100.0 * deviation)
        });
        format!("{}: {}", name(classifier), shares.join(", "))
    });
    let described = format!(
        "Four curves over the number of labels, which grows by factors, with \
         a vertical line at each point for the spread of the seeds. In per \
         cent, from the fewest labels to the most: {}.",
        said.join("; ")
    );
    let chart = Chart::new("Right with few labels", &described)
        .size(518.0, 330.0)
        .x("labelled reviews")
        .y("right in the test, %")
        .log_x();
    let all = CLASSIFIERS.into_iter().zip(hues).zip(0..);
    let chart = all.fold(chart, |chart, ((classifier, hue), place)| {
        let points = COUNTS.map(|count| {
            // Side by side, so that no line of a spread hides another.
            let x = count as f64 * 1.03f64.powi(place);
            let (mean, deviation) = right(classifier, count, 0);
            (x, 100.0 * mean, 100.0 * deviation)
        });
        let spreads =
            points.into_iter().fold(chart, |chart, (x, y, half)| {
                chart.line_in(hue, "", [(x, y - half), (x, y + half)])
            });
        let line = points.map(|(x, y, _)| (x, y));
        spreads.line_in(hue, name(classifier), line)
    });
    plot::save("labels-right", &chart.draw());
}

/// What a curve is called.
fn name(classifier: &str) -> &str {
    match classifier {
        "bag" => "words and pairs",
        "new" => "labels only",
        "any" => "gaps in *any* first",
        _ => "gaps in *contrasts* first",
    }
}
