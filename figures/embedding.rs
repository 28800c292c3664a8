//! The figures of the chapter on embeddings.

#[path = "../code/examples/embedding.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::plain::Matrix;
use example::{fence, lengths, product};
use plot::{Chart, HeatMaps, Panel};

pub fn draw() {
    rows();
    word_and_place();
}

/// Six one-hot rows times a table of five rows.
fn rows() {
    let ([x, w, picked], (sentence, _, different)) = (product(), fence());
    let description = format!(
        "{} one-hot rows times W, {} × {}, give {} rows: to each word its row \
         of W, and to both thes the same.",
        x.nrows(),
        w.nrows(),
        w.ncols(),
        picked.nrows()
    );
    let panel = |m: &Matrix, title| {
        let panel = Panel::new(m).title(title).numbers(0);
        panel.full(3.0).cell(26.0, 24.0)
    };
    let figure = HeatMaps::new("A product that picks rows", &description)
        .panel(panel(&x, "one-hot").rows(&sentence))
        .sign("×")
        .panel(panel(&w, "*W*").rows(&different))
        .sign("=")
        .panel(panel(&picked, "*X*"));
    plot::save("embedding-product", &figure.draw());
}

/// How the lengths of words and places grow with the width.
fn word_and_place() {
    let widths = [8, 32, 128, 512, 2048];
    let lengths = widths.map(|d| (d as f64, lengths(d)));
    let line = |i: usize| lengths.map(|(d, lengths)| (d, lengths[i]));
    let (first, last) = (line(0)[0], line(0)[widths.len() - 1]);
    let description = format!(
        "On two logarithmic axes a row of the table is {:.2} long at the \
         smallest width and {:.2} at the largest; the same times √d grows as \
         the square root of d, and so does the row of a place, a little below.",
        first.1, last.1
    );
    let figure = Chart::new("The lengths of words and places", &description)
        .size(450.0, 290.0)
        .x("columns, d_model")
        .y("length")
        .log_x()
        .log_y()
        .line("row of the table", line(0))
        .line("row × √d_model", line(1))
        .line("place, √(d/2)", line(2));
    plot::save("embedding-lengths", &figure.draw());
}
