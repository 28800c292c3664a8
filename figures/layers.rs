//! The figures of the chapter on add & norm and feed-forward.

use all_you_need::plain::{add_norm, feed_forward};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::words;
use nalgebra::dmatrix;
use plot::{Chart, Diagram, HeatMaps, Hue, Panel, Side};
use print::grouped;

#[path = "../code/examples/layers.rs"]
#[expect(dead_code)]
mod example;

use example::stack::{D_MODEL, Order, SENTENCE, layers, sentence};
use example::{CHAIR, HONEY, apart};

pub fn draw() {
    draw_halfway();
    draw_norm();
    draw_rows();
    draw_orders();
}

/// From one word to the other, and how far sweet and wooden are apart there.
fn draw_halfway() {
    let way = |t: f64| {
        let mixed = |i: usize| HONEY[i] * (1.0 - t) + CHAIR[i] * t;
        feed_forward(&apart(), &dmatrix![mixed(0), mixed(1)])[0]
    };
    let steps = (0..=40).map(|i| f64::from(i) / 40.0);
    let figure = Chart::new(
        "From honey to chair",
        &format!(
            "On the way from honey to chair, what is linear and right at \
             both ends stays at {}; what has a bend goes down to {} halfway \
             and up again.",
            way(0.0),
            way(0.5)
        ),
    )
    .size(500.0, 240.0)
    .x("share of chair in the mixture")
    .y("sweet and wooden apart")
    .line("with a bend", steps.clone().map(|t| (t, way(t))))
    .line("linear", steps.map(|t| (t, way(0.0))));
    plot::save("layers-halfway", &figure.draw());
}

/// (3, 9, 11, 17) on one scale, and its relatives.
fn draw_norm() {
    let rows = dmatrix![
        3.0, 9.0, 11.0, 17.0;
        30.0, 90.0, 110.0, 170.0;
        -7.0, -1.0, 1.0, 7.0;
        5.0, 5.0, 5.0, 5.0
    ];
    let names = ["*x*", "10 *x*", "*x* − 10", "constant"];
    let (one, zero) = (Matrix::from_element(1, 4, 1.0), Matrix::zeros(1, 4));
    let after = add_norm(&[one, zero], &rows, &(&rows * 0.0));
    let panel = |m, title| Panel::new(m).title(title).numbers(1);
    let list = |m: &Matrix, decimals: usize| {
        let row = m.row(0);
        let numbers = row.iter().map(|x| grouped(format!("{x:.decimals$}")));
        numbers.collect::<Vec<_>>().join(", ")
    };
    let figure = HeatMaps::new(
        "Layer norm on four rows",
        &format!(
            "The row {}, the same multiplied, and the same with a number \
             taken from it come out as one row, {}; a constant row comes out \
             as zeros.",
            list(&rows, 0),
            list(&after, 1)
        ),
    )
    .panel(panel(&rows, "before").rows(&names))
    .sign("norm →")
    .panel(panel(&after, "after"));
    plot::save("layers-norm", &figure.draw());
}

/// The sentence, and what three layers make of it with and without add & norm.
fn draw_rows() {
    let words = words(SENTENCE);
    let three =
        |order: Order| order.through(sentence(), &layers(1)).swap_remove(3);
    let all = [sentence(), three(Order::Norm), three(Order::Post)];
    let most = all.iter().map(|rows| rows.amax()).fold(0.0, f64::max);
    let [before, bare, with_sum] = all;
    let fence = words.iter().position(|word| word == "fence");
    let fence = fence.expect("the word that we follow");
    let panel = |rows: Matrix, title| {
        let panel = Panel::new(&rows).title(title).rows(&words);
        panel.cell(6.4, 16.0).full(most).follow_row(fence)
    };
    let figure = HeatMaps::new(
        "Six words after three layers",
        &format!(
            "Three maps of six rows with {D_MODEL} numbers each. The embedded \
             words differ. After three layers without the sum all six rows \
             are the same. With add & norm they have much in common and still \
             differ."
        ),
    )
    .panel(panel(before, "embedded"))
    .next_row()
    .panel(panel(bare, "after three layers of LN(S(x))"))
    .next_row()
    .panel(panel(with_sum, "after three layers of LN(x + S(x))"));
    plot::save("layers-rows", &figure.draw());
}

/// Post-norm above pre-norm: where the norm is, and which way *x* takes.
fn draw_orders() {
    let mut figure = Diagram::new(
        "Post-norm and pre-norm",
        "Two diagrams, one above the other. In both, x goes through a \
         sublayer and also around it, and both meet in a sum. Above, \
         post-norm: the sum goes through a layer norm, so x itself goes \
         through it, too. Below, pre-norm: the layer norm is before the \
         sublayer, and x goes from the left to the right through nothing but \
         the sum.",
        30.0,
        14.0,
    )
    .across(17.0);
    let size = (5.6, 2.4);
    let (y, around) = (5.0, 2.0);
    let sublayer = figure.block((9.0, y), size, "sublayer", Hue::Rule);
    let sum = figure.circle((16.0, y), "+");
    let norm = figure.block((22.0, y), size, "LayerNorm", Hue::Rule);
    figure.note((0.2, 0.7), Side::Right, "post-norm");
    figure.arrow(&[(3.0, y), sublayer.left()], Hue::Ink);
    figure.arrow(&[sublayer.right(), sum.left()], Hue::Ink);
    let x = [(4.5, y), (4.5, around), (16.0, around), sum.top()];
    figure.arrow(&x, Hue::HERE);
    figure.arrow(&[sum.right(), norm.left()], Hue::HERE);
    figure.arrow(&[norm.right(), (27.6, y)], Hue::HERE);
    figure.note((2.6, y), Side::Left, "*x*");
    let (y, around) = (12.4, 9.4);
    let norm = figure.block((9.0, y), size, "LayerNorm", Hue::Rule);
    let sublayer = figure.block((16.4, y), size, "sublayer", Hue::Rule);
    let sum = figure.circle((22.0, y), "+");
    figure.note((0.2, 8.1), Side::Right, "pre-norm");
    figure.arrow(&[(3.0, y), norm.left()], Hue::Ink);
    figure.arrow(&[norm.right(), sublayer.left()], Hue::Ink);
    figure.arrow(&[sublayer.right(), sum.left()], Hue::Ink);
    let x = [(4.5, y), (4.5, around), (22.0, around), sum.top()];
    figure.arrow(&x, Hue::HERE);
    figure.arrow(&[sum.right(), (27.6, y)], Hue::HERE);
    figure.note((2.6, y), Side::Left, "*x*");
    plot::save("layers-orders", &figure.draw());
}
