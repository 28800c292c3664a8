//! A layer of the decoder to compare with, and wrong ones.

use all_you_need::plain::{
    DecoderLayer, Heads, Matrix, add_norm, causal, decoder_layer,
    feed_forward, heads,
};
use print::{fixed, section, table};

#[path = "../shared/sines.rs"]
mod sines;

use sines::sines;

/// A layer of them, from the W^Q that looks back, with k = 11, to b₂.
fn sine_layer() -> DecoderLayer {
    let norm = || [Matrix::from_element(1, 4, 1.0), Matrix::zeros(1, 4)];
    let four = |k| Heads(2, [k, k + 1, k + 2, k + 3].map(|k| sines(k, 4, 4)));
    let think = [
        sines(19, 4, 16),
        sines(20, 1, 16),
        sines(21, 16, 4),
        sines(22, 1, 4),
    ];
    (four(11), norm(), four(15), norm(), think, norm())
}

/// Three rows of a target that read two of a source begin with these numbers.
pub fn check() {
    let (y, z) = (sines(9, 3, 4), sines(10, 2, 4));
    let found = decoder_layer(&sine_layer(), &y, &z);
    for (j, expected) in [-0.0022, 0.8196, 0.8148, -1.6323].iter().enumerate()
    {
        assert!((found[(0, j)] - expected).abs() < 1e-4, "{found}");
    }
}

/// What comes out of layers that are slightly wrong.
pub fn slips() {
    let (look, norm1, read, norm2, think, norm3) = &sine_layer();
    let (y, z) = (sines(9, 3, 4), sines(10, 2, 4));
    let (square, wide) = (Matrix::zeros(3, 3), Matrix::zeros(3, 2));
    let looked =
        |mask: Matrix| add_norm(norm1, &y, &heads(look, &y, &y, &mask));
    let thought = |y: Matrix| add_norm(norm3, &y, &feed_forward(think, &y));
    let x = looked(causal(3));
    let made = |asks: &Matrix, x: &Matrix| {
        thought(add_norm(norm2, x, &heads(read, asks, &z, &wide)))
    };
    let reads = add_norm(norm2, &y, &heads(read, &y, &z, &wide));
    let swapped =
        add_norm(norm1, &reads, &heads(look, &reads, &reads, &causal(3)));
    let layers = [
        ("none", made(&x, &x)),
        ("no causal mask", {
            let x = looked(square.clone());
            made(&x, &x)
        }),
        ("the layer's input asks the source", made(&y, &x)),
        ("reads first, then looks back", thought(swapped)),
        (
            "reads the target, not the source",
            thought(add_norm(norm2, &x, &heads(read, &x, &x, &square))),
        ),
    ];
    section("Slips");
    let line = |(name, z): (&'static str, Matrix)| (name, fixed(z.row(0), 4));
    table(["mistake", "first row", "", "", ""], layers.map(line));
}
