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
    let row = |words: &[String]| words.iter().position(|w| w == "fence");
    let [row, of_table] = [&sentence, &different]
        .map(|words| row(words).expect("the word that we follow"));
    let panel = |m: &Matrix, title, row| {
        let panel = Panel::new(m).title(title).numbers(0).follow_row(row);
        panel.full(3.0).cell(26.0, 24.0)
    };
    let figure = HeatMaps::new("A product that picks rows", &description)
        .panel(panel(&x, "one-hot", row).rows(&sentence))
        .sign("×")
        .panel(panel(&w, "*E*", of_table).rows(&different))
        .sign("=")
        .panel(panel(&picked, "*X*", row));
    plot::save("embedding-product", &figure.draw());
}
