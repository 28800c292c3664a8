//! The figures of the chapter on writing.

#[path = "../code/examples/writer.rs"]
#[expect(dead_code)] // what it prints
mod example;

use crate::ngram::best;
use example::{RUNS, last, run};
use plot::{Chart, Diagram, Hue, Side};

pub fn draw() {
    subtraction();
    learning();
}

/// A decoder layer, and what is left of it.
fn subtraction() {
    let text = "Two layers from the bottom up. On the left a decoder layer: \
        self-attention under the causal mask, cross-attention to the memory, \
        feed-forward, each with its norm. On the right the same layer without \
        cross-attention and its norm: self-attention under the causal mask \
        and feed-forward.";
    let title = "A decoder layer, and what is left";
    let mut figure = Diagram::new(title, text, 28.0, 20.6).across(18.0);
    let parts = [
        (18.0, "self-attention\nadd & norm", Hue::Rule),
        (11.6, "cross-attention\nadd & norm", Hue::SOURCE),
        (5.2, "feed-forward\nadd & norm", Hue::Rule),
    ];
    for (x, skipped) in [(9.0, false), (22.0, true)] {
        let mut from = (x, 20.4);
        for (y, name, hue) in parts {
            if skipped && hue == Hue::SOURCE {
                continue;
            }
            let block = figure.block((x, y), (8.0, 2.8), name, hue);
            figure.arrow(&[from, block.bottom()], Hue::Ink);
            from = block.top();
        }
        figure.arrow(&[from, (x, 2.2)], Hue::Ink);
    }
    figure.note((9.0, 1.2), Side::On, "decoder layer");
    figure.note((22.0, 1.2), Side::On, "what is left");
    figure.arrow(&[(1.6, 11.6), (5.0, 11.6)], Hue::SOURCE);
    figure.note((2.6, 10.4), Side::On, "memory");
    figure.note((15.5, 18.0), Side::On, "causal\nmask");
    plot::save("writer-subtraction", &figure.draw());
}

/// The perplexity of five writers while they learn.
fn learning() {
    let interpolated = best("interpolated");
    let kneser_ney = best("Kneser-Ney");
    let ends: Vec<String> =
        RUNS.iter().map(|log| format!("{:.2}", last(log)[4])).collect();
    let text = format!(
        "The perplexity on the held-out pages by the number of updates, for \
         {} seeds. They fall together, fast at first, below \
         the interpolated counts at {interpolated:.1}, and end at {}. \
         Kneser and Ney's counts are at {kneser_ney:.1}.",
        RUNS.len(),
        ends.join(", ")
    );
    let mut chart = Chart::new("The writer learns", &text)
        .size(470.0, 300.0)
        .x("updates")
        .y("perplexity, held out")
        .log_y()
        .guide_y(interpolated, "interpolated counts")
        .guide_y(kneser_ney, "Kneser–Ney");
    let runs = RUNS.map(run);
    let mean = |row: usize| {
        let sum: f64 = runs.iter().map(|run| run[row][4]).sum();
        (runs[0][row][0], sum / runs.len() as f64)
    };
    let all = runs.iter().flatten().map(|row| (row[0], row[4]));
    chart = chart
        .line("mean of five", (0..runs[0].len()).map(mean))
        .dots("a writer", all.collect::<Vec<_>>());
    plot::save("writer-learning", &chart.draw());
}
