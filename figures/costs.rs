//! The figures of the chapter on costs.

#[path = "../code/examples/costs.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::costs::LayerKind;
use example::{
    D_MODEL, WORDS, attention_in_full, by_purpose, recurrence_in_full,
};
use plot::{Bars, Chart, Diagram, Hue, Side};
use print::grouped;
use std::collections::BTreeSet;

pub fn draw() {
    work();
    kernels();
    cost();
}

/// What the work of the base model is for, in a sentence and in a novel.
fn work() {
    let lengths = [WORDS, 6 * D_MODEL];
    let shares = |n: usize| {
        let shares = by_purpose(n);
        shares.map(|(name, share)| (format!("{} words: {name}", grouped(n)), 100.0 * share))
    };
    let both = lengths.map(shares);
    let list = both.as_flattened().iter();
    let list = list.map(|(name, share)| format!("{name} {share:.1}"));
    let mut bars = Bars::new(
        "What the work is for",
        &format!("A bar for each share: {}.", list.collect::<Vec<_>>().join("; ")),
    )
    .heading("per cent of all multiply-adds")
    .decimals(1);
    for (shares, hue) in both.iter().zip([Hue::Rule, Hue::OURS]) {
        for (name, share) in shares {
            bars = bars.bar_in(hue, name, *share);
        }
    }
    plot::save("costs-work", &bars.draw());
}

/// How many words the two stacks of convolutions stand on.
const BELOW: usize = 9;

/// Which of nine words reach the last one, through convolutions.
fn kernels() {
    let layers = [LayerKind::Convolution(3), LayerKind::Dilated(3)]
        .map(|kind| kind.path(BELOW));
    let description = format!(
        "Two stacks of convolutions over {BELOW} words. Marked are the results \
         that the last one at the top depends on. Plain convolutions need {} \
         layers until the first word is among them, dilated ones {}.",
        layers[0], layers[1]
    );
    let mut figure =
        Diagram::new("The way to the last word", &description, 30.0, 11.6).across(17.0);
    stack(&mut figure, 1.6, layers[0], |_| 1);
    stack(&mut figure, 16.6, layers[1], |layer| 3_usize.pow(layer - 1));
    figure.note((7.6, 10.8), Side::On, "convolution, *k* = 3");
    figure.note((22.6, 10.8), Side::On, "dilated, *k* = 3");
    plot::save("costs-kernels", &figure.draw());
}

/// A stack of convolutions with a kernel of 3, from the last result at the
/// top to the words that it depends on.
fn stack(
    figure: &mut Diagram,
    left: f64,
    layers: usize,
    step: impl Fn(u32) -> usize,
) {
    let mut reached = BTreeSet::from([BELOW - 1]);
    let mut above = Vec::new();
    for layer in (0..=layers).rev() {
        let y = 9.4 - 2.2 * layer as f64;
        let mut node = |i: usize| {
            let lit = reached.contains(&i);
            let hue = if lit { Hue::HERE } else { Hue::Rule };
            figure.block((left + 1.5 * i as f64, y), (0.9, 0.9), "", hue)
        };
        let row: Vec<_> = (0..BELOW).map(&mut node).collect();
        for (from, i) in above.drain(..) {
            let to: &plot::Block = &row[i];
            figure.line(&[from, to.top()], Hue::Ink);
        }
        if layer > 0 {
            let step = step(layer as u32);
            let below = |&i: &usize| {
                let back = (0..3).filter_map(move |j| i.checked_sub(j * step));
                back.map(move |to| (i, to)).collect::<Vec<_>>()
            };
            let ways: Vec<_> = reached.iter().flat_map(below).collect();
            above = ways.iter().map(|&(i, to)| (row[i].bottom(), to)).collect();
            reached = ways.into_iter().map(|(_, to)| to).collect();
        }
    }
}

/// What a word costs in each kind of layer, as sentences get longer.
fn cost() {
    let lengths = || (1..=32).map(|i| 64 * i);
    let constant =
        |cost: f64| lengths().map(move |n| (n as f64, cost));
    let [plain, lstm] = [0, 3].map(recurrence_in_full);
    let crossing = (1..).find(|&n| attention_in_full(n) >= lstm);
    let description = format!(
        "Multiply-adds a word, in units of d squared. Attention starts at \
         {:.1}, passes the LSTM's {lstm:.0} at {} words, and is never below \
         the {plain:.0} of a plain recurrent layer.",
        attention_in_full(1),
        crossing.expect("some length"),
    );
    let chart = Chart::new("What a word costs", &description)
        .x("words in the sentence, *d* = 512")
        .y("multiply-adds a word, in *d*²")
        .y_range(0.0..12.5)
        .size(500.0, 290.0)
        .guide_x(2.0 * D_MODEL as f64, "*n* = 2*d*")
        .line("attention", lengths().map(|n| (n as f64, attention_in_full(n))))
        .line("LSTM", constant(lstm))
        .line("recurrence", constant(plain));
    plot::save("costs-cost", &chart.draw());
}
