//! The figures of the chapter on the encoder.

use all_you_need::translation::Translator;
use plot::{Chart, Diagram, Hue, Side};

#[path = "../code/examples/encoder.rs"]
#[expect(dead_code)] // what it prints
mod example;

pub fn draw() {
    draw_layer();
    draw_senses();
}

/// The four steps of one layer, with the ways around.
fn draw_layer() {
    let mut figure = Diagram::new(
        "One layer of the encoder",
        "From the bottom up: x becomes queries, keys and values of a \
         multi-head attention; its result and x itself meet in add & norm; \
         then a feed-forward network, and a second add & norm, which its \
         input reaches also by a way around. All rows are d_model wide.",
        27.0,
        26.0,
    )
    .across(18.5);
    let mut step = |y, height, text, hue| {
        figure.block((13.0, y), (9.0, height), text, hue)
    };
    let attention = step(18.4, 2.4, "multi-head\nattention", Hue::Rule);
    let first = step(15.0, 1.6, "add & norm", Hue::Rule);
    let network =
        step(9.8, 2.4, "feed-forward,\n*n* × d_ff inside", Hue::Rule);
    let second = step(6.4, 1.6, "add & norm", Hue::Rule);
    for (x, name, hue) in [
        (-0.35, "*Q*", Hue::QUERIES),
        (0.35, "*V*", Hue::VALUES),
        (0.0, "*K*", Hue::KEYS),
    ] {
        let into = attention.along(x, 0.5);
        figure.arrow(&[(13.0, 21.8), (into.0, 21.8), into], hue);
        figure.note((into.0, 20.6), Side::Right, name);
    }
    figure.line(&[(13.0, 24.0), (13.0, 21.8)], Hue::Ink);
    figure.arrow(&[attention.top(), first.bottom()], Hue::Ink);
    figure.arrow(&[first.top(), network.bottom()], Hue::Ink);
    figure.arrow(&[network.top(), second.bottom()], Hue::Ink);
    figure.arrow(&[second.top(), (13.0, 2.4)], Hue::Ink);
    for (block, y) in [(first, 22.8), (second, 12.8)] {
        let (_, up) = block.right();
        let around = [(13.0, y), (20.0, y), (20.0, up), block.right()];
        figure.arrow(&around, Hue::RESIDUAL);
    }
    figure.frame((6.5, 4.4), (21.5, 23.6), Side::Left, "6 ×");
    figure.note((13.0, 24.0), Side::Below, "*x*,  *n* × d_model");
    figure.note((13.0, 13.5), Side::Left, "*n* × d_model");
    figure.note((13.0, 3.2), Side::Right, "*n* × d_model");
    plot::save("encoder-layer", &figure.draw());
}

/// How similar the word's rows are, in one sense and across the two.
fn draw_senses() {
    let rows = example::senses(&Translator::captions());
    let same = |l: usize| example::same_sense(&rows, l);
    let other = |l: usize| example::other_sense(&rows, l);
    let last = rows[0][0].len() - 1;
    let points = |of: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        (0..=last).map(|l| (l as f64, of(l))).collect()
    };
    let figure = Chart::new(
        "Two senses of one word",
        &format!(
            "Two lines over {last} layers. Both begin at {:.0}. The cosine of two \
             captions with the same sense ends at {:.2}, that of two captions \
             with different senses falls to {:.2}.",
            same(0),
            same(last),
            other(last)
        ),
    )
    .size(500.0, 240.0)
    .x("layers")
    .y("cosine")
    .line("same sense", points(&same))
    .line("different sense", points(&other));
    plot::save("encoder-senses", &figure.draw());
}
