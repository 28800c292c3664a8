//! A layer that can be computed by hand.

use all_you_need::plain::{
    EncoderLayer, Heads, Matrix, add_norm, encoder_layer, feed_forward, heads,
};
use nalgebra::dmatrix;
use print::{section, table};

/// All weights are ½, and the network adds to the third number how far apart
/// the first two are.
fn small() -> EncoderLayer {
    let (zero, same) = (Matrix::zeros(3, 3), Matrix::identity(3, 3));
    let look = Heads(1, [zero.clone(), zero, same.clone(), same]);
    let w1 = dmatrix![1.0, -1.0; -1.0, 1.0; 0.0, 0.0];
    let w2 = dmatrix![0.0, 0.0, 1.0; 0.0, 0.0, 1.0];
    let think = [w1, Matrix::zeros(1, 2), w2, Matrix::zeros(1, 3)];
    let norm = [Matrix::from_element(1, 3, 1.0), Matrix::zeros(1, 3)];
    (look, norm.clone(), think, norm)
}

/// *honey* and *chair* through it, step by step.
pub fn steps() {
    let layer = small();
    let (look, norm1, think, norm2) = &layer;
    let x = dmatrix![3.0, -1.0, 0.0; -2.0, 2.0, 0.0];
    let all = Matrix::zeros(2, 2);
    let attended = heads(look, &x, &x, &all);
    let y = add_norm(norm1, &x, &attended);
    let made = feed_forward(think, &y);
    let z = add_norm(norm2, &y, &made);
    assert_eq!(z, encoder_layer(&layer, &x, &all));
    let line = |(name, rows): (&'static str, Matrix)| {
        let word = |i| {
            let cells =
                [0, 1, 2].map(|j| (rows[(i, j)] * 100.0).round() / 100.0);
            let [a, b, c] = cells.map(|x| x + 0.0); // no −0
            format!("({a}, {b}, {c})").replace('-', "−")
        };
        (name, word(0), word(1))
    };
    section("One layer by hand");
    let steps = [
        ("x", x.clone()),
        ("attention", attended.clone()),
        ("x + attention", &x + attended),
        ("y = norm of it", y.clone()),
        ("network", made.clone()),
        ("y + network", y + made),
        ("z = norm of it", z),
    ];
    table(["", "honey", "chair"], steps.map(line));
}
