//! The figures of the chapter on learning byte pairs fast.

#[path = "../code/examples/learner.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::merge_by_merge;
use plot::Chart;

pub fn draw() {
    let merges = merge_by_merge();
    let line = |way: usize| {
        let shown = merges.iter().enumerate().step_by(6);
        let point = move |(k, m): (usize, &[usize; 3])| {
            ((k + 1) as f64, m[way] as f64)
        };
        shown.map(point).collect::<Vec<_>>()
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
