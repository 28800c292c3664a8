//! A layer to compare with: what comes out of it, and out of wrong ones.

use all_you_need::plain::{
    EncoderLayer, Heads, Matrix, add_norm, encoder_layer, feed_forward, heads,
};
use print::{fixed, section, table};

#[path = "../shared/sines.rs"]
mod sines;

use sines::sines;

/// A layer of them, from W^Q with k = 1 to the last bias with k = 30.
fn sine_layer() -> EncoderLayer {
    let norm = |k| [sines(k, 1, 4), sines(k + 1, 1, 4)];
    let look = Heads(2, [1, 2, 3, 4].map(|k| sines(k, 4, 4)));
    let think =
        [sines(5, 4, 16), sines(6, 1, 16), sines(7, 16, 4), sines(8, 1, 4)];
    (look, norm(27), think, norm(29))
}

/// What comes out of it begins with these numbers.
pub fn check() {
    let z =
        encoder_layer(&sine_layer(), &sines(9, 3, 4), &Matrix::zeros(3, 3));
    for (j, expected) in
        [-1.2815, -0.4184, -0.7875, 0.8709].iter().enumerate()
    {
        assert!((z[(0, j)] - expected).abs() < 1e-4, "{z:.9}");
    }
}

/// What comes out of layers that are slightly wrong.
pub fn slips() {
    let (x, all) = (sines(9, 3, 4), Matrix::zeros(3, 3));
    let changed = |change: fn(&mut EncoderLayer)| {
        let mut layer = sine_layer();
        change(&mut layer);
        encoder_layer(&layer, &x, &all)
    };
    let (look, norm1, think, norm2) = &sine_layer();
    let y = add_norm(norm1, &x, &heads(look, &x, &x, &all));
    let layers = [
        ("none", changed(|_| ())),
        ("one head, not two", changed(|layer| layer.0.0 = 1)),
        ("no W^O", changed(|layer| layer.0.1[3].fill_with_identity())),
        ("no b₁", changed(|layer| layer.2[1].fill(0.0))),
        (
            "neither b₁ nor b₂",
            changed(|layer| {
                layer.2[1].fill(0.0);
                layer.2[3].fill(0.0);
            }),
        ),
        (
            "x, not y, in the second sum",
            add_norm(norm2, &x, &feed_forward(think, &y)),
        ),
        ("the first norm twice", {
            changed(|layer| layer.3 = layer.1.clone())
        }),
    ];
    section("Slips");
    let line = |(name, z): (&'static str, Matrix)| (name, fixed(z.row(0), 4));
    table(["mistake", "first row", "", "", ""], layers.map(line));
}
