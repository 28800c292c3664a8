//! The figure of the chapter on what else became of the machine.

use plot::{Diagram, Hue, Side};

/// The places of the machine from the last to the first, and what has been
/// put there.
const PLACES: [(&str, &str); 7] = [
    ("how it is used", "tools, longer thoughts, drafts by a small model"),
    ("what it learns from", "other gaps, noise, passages, rewards"),
    ("what comes out", "a picture without its noise, a row to search by"),
    ("networks", "many, of which a token meets a few"),
    ("attention", "sums in place of all pairs"),
    ("positions", "slower rotations"),
    ("what goes in", "squares of a picture, slices of a sound"),
];

/// How many of them the model itself consists of, from the end.
const MODEL: usize = 5;

pub fn draw() {
    let told: Vec<_> = PLACES
        .iter()
        .rev()
        .map(|(place, put)| format!("{place}: {put}"))
        .collect();
    let text = format!(
        "Seven boxes, one above the other. Arrows lead upwards through the \
         five of the model; the upper two are outside it. Beside each box \
         stands what other models have in its place. From the bottom up: {}.",
        told.join("; ")
    );
    let mut figure =
        Diagram::new("Where the branches grow", &text, 25.9, 16.4);
    let outside = PLACES.len() - MODEL;
    let blocks = PLACES.iter().enumerate().map(|(i, (place, put))| {
        let gap = if i < outside { 0.0 } else { 0.8 };
        let (x, y) = (4.5, 1.2 + 2.2 * i as f64 + gap);
        figure.note((9.1, y), Side::Right, put);
        figure.block((x, y), (8.0, 1.5), place, Hue::Rule)
    });
    let blocks: Vec<_> = blocks.collect();
    for pair in blocks[outside..].windows(2) {
        figure.arrow(&[pair[1].top(), pair[0].bottom()], Hue::Ink);
    }
    plot::save("further-map", &figure.draw());
}
