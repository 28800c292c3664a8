//! The figures of the chapter on attention.

#[path = "../code/examples/attention.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::plain::{Matrix, attend};
use example::{CAPTION, WORDS, clearest_head, from_others};
use example::{keys, projected, queries, scores, weights};
use nalgebra::dmatrix;
use plot::{Diagram, HeatMaps, Hue, Panel, Side};

pub fn draw() {
    arrows();
    product();
    turned();
    trained();
}

/// Where in a figure of arrows a word is that is so sweet and so wooden.
fn place(sweet: f64, wooden: f64) -> (f64, f64) {
    (11.0 + 4.0 * sweet, 10.5 - 3.6 * wooden)
}

/// An empty plane of sweet and wooden.
fn plane(title: &str, description: &str) -> Diagram {
    let mut figure = Diagram::new(title, description, 24.0, 11.8);
    figure.line(&[place(-2.4, 0.0), place(2.6, 0.0)], Hue::Rule);
    figure.line(&[place(0.0, -0.2), place(0.0, 2.5)], Hue::Rule);
    figure.note(place(2.6, 0.0), Side::Right, "sweet");
    figure.note(place(0.0, 2.5), Side::Above, "wooden");
    figure
}

/// A word as an arrow from the origin, with its name at the tip.
fn arrow(figure: &mut Diagram, row: (f64, f64), hue: Hue, name: &str) {
    let (side, tip) = (Side::Above, place(row.0, row.1));
    figure.arrow(&[place(0.0, 0.0), tip], hue);
    figure.note(tip, side, name);
}

/// The numbers in row i of a matrix with two columns.
fn pair(m: &Matrix, i: usize) -> (f64, f64) {
    (m[(i, 0)], m[(i, 1)])
}

/// The query *fruit* and its keys as arrows.
fn arrows() {
    let (query, keys) = (queries(), keys());
    let angle = |j: usize| {
        let (q, k) = (query.row(0), keys.row(j));
        let cosine = q.dot(&k) / (q.norm() * k.norm());
        format!("{}, {:.0} degrees", WORDS[j], cosine.acos().to_degrees())
    };
    let angles: Vec<_> = (0..WORDS.len()).map(angle).collect();
    let description = format!(
        "From the origin an arrow goes to each word. The angles to fruit \
         are: {}.",
        angles.join("; ")
    );
    let mut figure = plane("Four words as arrows", &description);
    arrow(&mut figure, pair(&query, 0), Hue::QUERIES, "*q* fruit");
    for (j, word) in WORDS.iter().enumerate() {
        arrow(&mut figure, pair(&keys, j), Hue::KEYS, &format!("*k* {word}"));
    }
    plot::save("attention-arrows", &figure.draw());
}

/// Every matrix of equation 1, for two queries and two keys.
fn product() {
    let q = dmatrix![1.0, 0.0, 2.0; 0.0, 3.0, 0.0];
    let k = dmatrix![2.0, 0.0, 1.0; 0.0, 1.0, 1.0];
    let v = dmatrix![1.0, 0.0, 2.0; 5.0, 4.0, 0.0];
    let weights = weights(&q, &k);
    let answers = attend(&q, &k, &v, &Matrix::zeros(2, 2));
    let size = |m: &Matrix| format!("{} × {}", m.nrows(), m.ncols());
    let description = format!(
        "Q, {}, times K transposed, {}, divided by √{}, goes through softmax \
         and gives the weights, {}; these times V, {}, give the answers, {}.",
        size(&q),
        size(&k.transpose()),
        q.ncols(),
        size(&weights),
        size(&v),
        size(&answers)
    );
    let panel = |m: &Matrix, title, hue, decimals| {
        Panel::new(m).title(title).hue(hue).numbers(decimals)
    };
    let figure = HeatMaps::new("Equation 1 with numbers", &description)
        .sign("")
        .panel(panel(&q, "*Q*", Hue::QUERIES, 0))
        .sign("×")
        .panel(panel(&k.transpose(), "*K*ᵀ", Hue::KEYS, 0))
        .sign("÷√3 =")
        .panel(panel(&scores(&q, &k), "scores", Hue::Rule, 2))
        .next_row()
        .sign("softmax")
        .panel(panel(&weights, "weights", Hue::WEIGHTS, 2))
        .sign("×")
        .panel(panel(&v, "*V*", Hue::VALUES, 0))
        .sign("=")
        .panel(panel(&answers, "answers", Hue::VALUES, 2));
    plot::save("attention-product", &figure.draw());
}

/// The keys, and the same rows as queries after a projection.
fn turned() {
    let (keys, queries) = (keys(), projected());
    let tip = |j: usize| {
        let (sweet, wooden) = pair(&queries, j);
        format!("{} at ({sweet}, {wooden})", WORDS[j]).replace('-', "−")
    };
    let tips: Vec<_> = (0..WORDS.len()).map(tip).collect();
    let description = format!(
        "The three keys are where they were. The queries are mirrored at the \
         axis of wooden: {}. The queries of the fruits point where the key \
         of the chair is, and the query of the chair where the fruits are.",
        tips.join(", ")
    );
    let mut figure = plane("Queries after a projection", &description);
    for (j, word) in WORDS.iter().enumerate() {
        let (sweet, wooden) = pair(&keys, j);
        let (x, y) = place(sweet, wooden);
        figure.block((x, y), (0.5, 0.5), "", Hue::KEYS);
        // Below the dot, for an arrow may come through it from the left.
        let beside = (x + 0.1, y + 0.5);
        figure.note(beside, Side::Right, &format!("*k* {word}"));
        let (sweet, wooden) = pair(&queries, j);
        let tip = place(sweet, wooden);
        figure.arrow(&[place(0.0, 0.0), tip], Hue::QUERIES);
        // Beyond the tip, where no arrow is.
        let side = if sweet < 0.0 { Side::Left } else { Side::Right };
        figure.note(tip, side, &format!("*q* {word}"));
    }
    plot::save("attention-turned", &figure.draw());
}

/// Who looks at whom in a head of the trained translator.
fn trained() {
    let (words, map) = clearest_head();
    let description = format!(
        "A map of attention weights of “{CAPTION}” to itself. Most words \
         have their largest weight on the word before them; it is {:.2} on \
         average.",
        from_others(&map)
    );
    let fence = words.iter().position(|word| word == "fence");
    let panel = Panel::new(&map)
        .follow_row(fence.expect("the word that we follow"))
        .rows(&words)
        .columns(&words)
        .axes("queries", "keys")
        .hue(Hue::WEIGHTS)
        .numbers(2)
        .full(1.0)
        .cell(44.0, 30.0);
    let figure = HeatMaps::new("A trained head", &description).panel(panel);
    plot::save("attention-trained", &figure.draw());
}
