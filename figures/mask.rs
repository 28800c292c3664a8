//! The figures of the chapter on masks.

#[path = "../code/examples/mask.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::plain::{Matrix, causal, softmax};
use example::{NAMES, added, scores};
use plot::{Diagram, HeatMaps, Hue, Panel, Side};

pub fn draw() {
    sum();
    flow();
    kinds();
}

/// Scores, mask, and the weights that are left.
fn sum() {
    let (scores, mask) = (scores(), causal(3));
    let masked = &scores + &mask;
    let weights = softmax(&masked);
    let row = |i: usize| {
        let seen = weights.row(i).columns(0, i + 1).into_owned();
        let numbers = seen.iter().map(|weight| format!("{weight:.2}"));
        numbers.collect::<Vec<_>>().join(", ")
    };
    let description = format!(
        "The scores of I, am and fine, plus a mask with zeros on and below \
         the diagonal and minus infinity above it, are the masked scores. \
         Their softmax has zeros above the diagonal: {}; {}; {}.",
        row(0),
        row(1),
        row(2)
    );
    let panel = |m: &Matrix, title| {
        let panel = Panel::new(m).title(title).full(2.0).numbers(0);
        panel.hue(Hue::Rule).columns(&NAMES).cell(40.0, 28.0)
    };
    let shares = panel(&weights, "weights").hue(Hue::WEIGHTS);
    let figure = HeatMaps::new("Scores, mask, weights", &description)
        .sign("")
        .panel(panel(&scores, "scores").rows(&NAMES))
        .sign("+")
        .panel(panel(&mask, "mask"))
        .next_row()
        .sign("=")
        .panel(panel(&masked, "masked scores").rows(&NAMES))
        .sign("→")
        .panel(shares.numbers(2).full(1.0));
    plot::save("mask-sum", &figure.draw());
}

/// From which words to which word, through two attentions.
fn flow() {
    let description = "Two attentions over I, am and fine. Thin arrows go \
        straight up or to the right. Thick ones, which the mask forbids, go \
        from fine to am and to I and from am to I; from there thin ones lead \
        on to fine in the second attention.";
    let mut figure =
        Diagram::new("Which way things flow", description, 22.4, 12.0);
    let at = |level: usize, word: usize| {
        (2.0 + 6.1 * word as f64, 10.6 - 4.6 * level as f64)
    };
    let names = ["words", "one attention", "two attentions"];
    let blocks = names.iter().enumerate().map(|(level, name)| {
        figure.note((16.1, at(level, 2).1), Side::Right, name);
        let hue = if level == 0 { Hue::TARGET } else { Hue::Rule };
        [0, 1, 2].map(|word| {
            figure.block(at(level, word), (3.2, 1.5), NAMES[word], hue)
        })
    });
    let blocks: Vec<_> = blocks.collect();
    let ways = (0..18).map(|i| (i / 9, i / 3 % 3, i % 3));
    // In the second attention only what the mask allows.
    for (level, from, to) in ways.filter(|way| way.0 == 0 || way.1 <= way.2)
    {
        let shift = 0.25 * (from as f64 - to as f64);
        let start = blocks[level][from].along(-shift, -0.5);
        let end = blocks[level + 1][to].along(shift, 0.5);
        let hue = if from <= to { Hue::Rule } else { Hue::HERE };
        figure.arrow(&[start, end], hue);
    }
    plot::save("mask-flow", &figure.draw());
}

/// Whether word i may see word j.
type Seen = fn(usize, usize) -> bool;

/// The sentence of a word, if one of two words comes before one of four.
fn sentence(word: usize) -> usize {
    usize::from(word >= 2)
}

/// Four masks for six words.
const KINDS: [(&str, Seen); 4] = [
    ("causal", |i, j| j <= i),
    ("padding", |_, j| j < 4),
    ("packed", |i, j| sentence(i) == sentence(j)),
    ("causal and packed", |i, j| j <= i && sentence(i) == sentence(j)),
];

fn kinds() {
    let n = 6;
    let description = format!(
        "Four {n} × {n} maps, filled where a query, a row, sees a key, a \
         column. Causal: a triangle on and below the diagonal. Padding: the \
         first columns. Packed: a small square and a larger one. Causal and \
         packed: two triangles."
    );
    let mut figure = HeatMaps::new("Four masks", &description);
    for (i, (name, seen)) in KINDS.iter().enumerate() {
        let cells = added(n, seen).map(f64::exp);
        let panel = Panel::new(&cells).title(name).cell(24.0, 24.0);
        let panel = panel.hue(Hue::WEIGHTS).full(1.0).numbers(0);
        figure = if i == 2 { figure.next_row() } else { figure };
        figure = figure.panel(panel);
    }
    plot::save("mask-kinds", &figure.draw());
}
