//! The figure of the chapter on millions of pairs.

#[path = "../code/examples/corpus.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::corpus::Corpus;
use all_you_need::tokens::Token;
use all_you_need::training::{Examples, Recipe, Stream, generator};
use example::{packed, places};
use plot::{Diagram, Hue, Side};
use rand::seq::SliceRandom;

/// The width of the figure.
const WIDTH: f64 = 27.0;

/// The picks of the first epoch in both directions, as `batches` makes them.
fn order(corpus: &Corpus) -> Vec<u32> {
    let mut order: Vec<u32> = (0..2 * corpus.count() as u32).collect();
    let stream = Stream::BidirectionalOrder(0);
    order.shuffle(&mut generator(Recipe::toy().seed, stream));
    order
}

/// The first pick points into the table, and the table into the file.
pub fn draw() {
    let corpus = packed();
    let (places, order) = (places(&corpus), order(&corpus));
    let text = description(&places, &order);
    let title = "An order, a table and a file";
    let mut figure = Diagram::new(title, &text, WIDTH, 15.4).across(19.0);
    for (y, text) in [
        (0.8, "in memory: the order of an epoch"),
        (5.0, "in memory: the table"),
        (14.8, "in the file: tokens"),
    ] {
        figure.note((0.5, y), Side::Right, text);
    }
    let middle = WIDTH / 2.0;
    let hue = |here: bool| if here { Hue::OURS } else { Hue::Rule };
    let pick = |(i, pick): (usize, &u32)| {
        let at = (middle + 2.4 * (i as f64 - 2.5), 2.4);
        figure.block(at, (2.0, 1.6), &pick.to_string(), hue(i == 0))
    };
    let picks: Vec<_> = order.iter().enumerate().map(pick).collect();
    let [.., [start, source, target]] = places[..] else { panic!("a place") };
    let token = size_of::<Token>();
    let cell = (WIDTH - 1.0) / (start / token + source + target) as f64;
    for (i, &[start, source, target]) in places.iter().enumerate() {
        let here = i == order[0] as usize % places.len();
        let text = format!("{i}\n{start} · {source} · {target}");
        let at = (middle + 8.0 * (i as f64 - 1.0), 7.4);
        let row = figure.block(at, (6.0, 3.0), &text, hue(here));
        let left = 0.5 + cell * (start / token) as f64;
        if here {
            figure.arrow(&[picks[0].bottom(), row.top()], Hue::Ink);
            figure.arrow(&[row.bottom(), (left + 0.3, 11.9)], Hue::Ink);
        }
        let mut side = |left: f64, tokens: usize, name: &str, hue: Hue| {
            let width = cell * tokens as f64;
            let at = (left + width / 2.0, 13.0);
            figure.block(at, (width - 0.15, 2.0), name, hue);
        };
        side(left, source, "source", Hue::SOURCE);
        side(left + cell * source as f64, target, "target", Hue::TARGET);
    }
    plot::save("corpus-file", &figure.draw());
}

fn description(places: &[[usize; 3]], order: &[u32]) -> String {
    let rows = places.iter().map(|[start, source, target]| {
        format!("byte {start}, {source} and {target} tokens")
    });
    let order: Vec<_> = order.iter().map(u32::to_string).collect();
    format!(
        "Three rows of boxes. At the top the order of an epoch, the numbers \
         {}. Below it the table with a box for each example: {}. At the \
         bottom the file, in which each example is a box for its source and \
         a box for its target. An arrow leads from the first number of the \
         order to its example in the table, and another from there to where \
         the example begins in the file.",
        order.join(", "),
        rows.collect::<Vec<_>>().join("; ")
    )
}
