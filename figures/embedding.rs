//! The figures of the chapter on embeddings.

#[path = "../code/examples/embedding.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::plain::Matrix;
use example::{PAIRS, before_and_after, fence, product};
use plot::{HeatMaps, Panel};

pub fn draw() {
    picks();
    rows();
}

/// Six one-hot rows times a table of five rows.
fn picks() {
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

/// How similar the rows of eight words are, before training and after it.
fn rows() {
    let [before, after] = before_and_after();
    let pair = |rows: &Matrix| {
        let cosines = (0..PAIRS.len()).step_by(2).map(|i| rows[(i, i + 1)]);
        cosines.map(|x| format!("{x:.2}")).collect::<Vec<_>>().join(", ")
    };
    let description = format!(
        "Two maps of the cosines of {} words with each other. Of the four \
         pairs of neighbours they are {} before training, and {} after it.",
        PAIRS.len(),
        pair(&before),
        pair(&after)
    );
    let panel = |cosines: &Matrix, title| {
        let panel = Panel::new(cosines).title(title).columns(&PAIRS);
        panel.rows(&PAIRS).full(1.0).cell(19.0, 19.0)
    };
    let title = "Rows before training and after it";
    let figure = HeatMaps::new(title, &description)
        .panel(panel(&before, "random"))
        .panel(panel(&after, "trained"));
    plot::save("embedding-rows", &figure.draw());
}
