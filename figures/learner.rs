//! The figures of the chapter on learning byte pairs fast.

#[path = "../code/examples/learner.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::merge_by_merge;
use plot::Chart;

/// A point is the mean of so many merges.
const GROUP: usize = 12;

pub fn draw() {
    let merges = merge_by_merge();
    let line = |way: usize| {
        let point = move |(i, group): (usize, &[[usize; 3]])| {
            let sum: usize = group.iter().map(|m| m[way]).sum();
            let merge = (i * GROUP) as f64 + group.len() as f64 / 2.0;
            (merge, sum as f64 / group.len() as f64)
        };
        merges.chunks(GROUP).enumerate().map(point).collect::<Vec<_>>()
    };
    let ends = |way: usize| {
        let (first, last) = (merges[0][way], merges[merges.len() - 1][way]);
        format!("{first} to {last}")
    };
    let description = format!(
        "Three lines that fall from the first merge to merge {}, on a \
         logarithmic axis: pairs of the text, from {}; pairs of its \
         different words, from {}; pairs of the words that change, from {}.",
        merges.len(),
        ends(0),
        ends(1),
        ends(2)
    );
    let figure = Chart::new("Pairs looked at, merge by merge", &description)
        .size(450.0, 290.0)
        .x("merge")
        .y("pairs looked at")
        .log_y()
        .line("the text", line(0))
        .line("different words", line(1))
        .line("words that change", line(2));
    plot::save("learner-work", &figure.draw());
}
