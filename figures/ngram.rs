//! The figure of the chapter on counting.

#[path = "../code/examples/ngram.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::perplexities;
use plot::Chart;

/// The perplexity of the best counts of this kind.
pub fn best(how: &str) -> f64 {
    perplexities(how).into_iter().fold(f64::INFINITY, f64::min)
}

/// How well longer and longer contexts predict the held-out pages.
pub fn draw() {
    let [mixed, discounted] =
        ["interpolated", "Kneser-Ney"].map(perplexities);
    let list = |line: &[f64]| {
        let each = line[1..].iter().map(|p| format!("{p:.1}"));
        each.collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "Perplexity on the held-out pages by how many tokens are counted \
         together, two to five. Interpolated: {}. Kneser and Ney: {}.",
        list(&mixed),
        list(&discounted)
    );
    let points = |line: &[f64]| {
        let from_two = line.iter().enumerate().skip(1);
        from_two.map(|(i, &p)| (i as f64 + 1.0, p)).collect::<Vec<_>>()
    };
    let figure = Chart::new("Longer contexts", &text)
        .size(420.0, 260.0)
        .x("tokens counted together")
        .y("perplexity, held out")
        .line("interpolated", points(&mixed))
        .line("Kneser–Ney", points(&discounted));
    plot::save("ngram-orders", &figure.draw());
}
