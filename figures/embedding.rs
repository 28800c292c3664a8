//! The figure of the chapter on embeddings.

#[path = "../code/examples/embedding.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::plain::Matrix;
use example::{fence, product};
use plot::{HeatMaps, Panel};

/// Six one-hot rows times a table of five rows.
pub fn draw() {
    let ([x, w, picked], (sentence, _, different)) = (product(), fence());
    let description = format!(
        "{} one-hot rows times E, {} × {}, give {} rows: to each word its row \
         of E, and to both thes the same.",
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
        .panel(panel(&w, "*E*").rows(&different))
        .sign("=")
        .panel(panel(&picked, "*X*"));
    plot::save("embedding-product", &figure.draw());
}
