//! The figures of the chapter on few labels.

#[path = "../code/examples/labels.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::rules::of_rules;
use example::{COUNTS, LONG, in_percent, right};
use plot::{Block, Chart, Diagram, Hue, Point};

/// The hue of each that learns from labels.
const HUES: [Hue; 5] =
    [Hue::SECOND_RIVAL, Hue::RIVAL, Hue::Ink, Hue::OURS, Hue::Rule];

pub fn draw() {
    handed_over();
    what_is_right();
}

/// What the classifier has from the filler.
fn handed_over() {
    let text = "Two towers of boxes. The filler has, from the bottom up, a \
        table of rows, two layers, the same table once more, and a word for \
        each gap. The classifier has a table, two layers, a mean, an output \
        matrix, and good or bad. Arrows lead from the filler's table and \
        layers to the classifier's; none leads to the output \
        matrix, which is new.";
    let mut figure =
        Diagram::new("From the filler to the classifier", text, 25.0, 12.2);
    let mut tower = |x: f64, names: &[(&str, Hue)]| -> Vec<Block> {
        let at = |i: usize| -> Point { (x, 11.0 - 2.4 * i as f64) };
        let blocks = names.iter().enumerate().map(|(i, (name, hue))| {
            figure.block(at(i), (7.6, 1.6), name, *hue)
        });
        let blocks: Vec<_> = blocks.collect();
        for pair in blocks.windows(2) {
            figure.arrow(&[pair[0].top(), pair[1].bottom()], Hue::Ink);
        }
        blocks
    };
    let filler = tower(
        4.4,
        &[
            ("table of rows", Hue::OURS),
            ("two layers", Hue::OURS),
            ("the same table", Hue::OURS),
            ("a word for each gap", Hue::Rule),
        ],
    );
    let classifier = tower(
        20.2,
        &[
            ("table of rows", Hue::OURS),
            ("two layers", Hue::OURS),
            ("mean", Hue::Rule),
            ("new output matrix", Hue::Rule),
            ("good or bad", Hue::Rule),
        ],
    );
    for (from, to) in filler.iter().zip(&classifier).take(2) {
        figure.arrow(&[from.right(), to.left()], Hue::OURS);
    }
    plot::save("labels-handed", &figure.draw());
}

/// What is right of the test reviews with each number of labels. Each point
/// is a mean, and the line through it is two standard deviations long.
fn what_is_right() {
    let all: Vec<_> = LONG.iter().zip(HUES).collect();
    let said = all.iter().map(|((classifier, name), _)| {
        let shares = COUNTS.map(|count| in_percent(classifier, count, 0));
        format!("{name}: {}", shares.join(", "))
    });
    let [bag, both] = of_rules().map(|share| 100.0 * share);
    let described = format!(
        "Five curves over the number of labels, which grows by factors, with \
         a vertical line at each point for the spread of the seeds. In per \
         cent, from the fewest labels to the most: {}. Dashed lines are at \
         {bag:.0} and {both:.0}.",
        said.collect::<Vec<_>>().join("; ")
    );
    let chart = Chart::new("Right with few labels", &described)
        .size(518.0, 330.0)
        .x("labelled reviews")
        .y("reviews of two clauses, right in %")
        .log_x()
        .guide_y(bag, "bag of single words")
        .guide_y(both, "both clauses known");
    let chart = all.into_iter().zip(0..).fold(chart, |chart, (one, i)| {
        let ((classifier, name), hue) = one;
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
