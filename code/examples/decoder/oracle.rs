//! A layer of the decoder to compare with, and wrong ones.

use all_you_need::plain::{
    DecoderLayer, Heads, Matrix, add_norm, causal, decoder_layer,
    feed_forward, heads,
};
use nalgebra::dmatrix;
use print::{fixed, section, table};

#[path = "../shared/sines.rs"]
mod sines;

use sines::sines;

/// A layer of them, from the W^Q that looks back, with k = 11, to the last
/// bias, with k = 36.
fn sine_layer() -> DecoderLayer {
    let norm = |k| [sines(k, 1, 4), sines(k + 1, 1, 4)];
    let four = |k| Heads(2, [k, k + 1, k + 2, k + 3].map(|k| sines(k, 4, 4)));
    let think = [
        sines(19, 4, 16),
        sines(20, 1, 16),
        sines(21, 16, 4),
        sines(22, 1, 4),
    ];
    (four(11), norm(31), four(15), norm(33), think, norm(35))
}

/// Three rows of a target that read two of a source: the first and the last.
pub fn check() {
    let (y, z) = (sines(9, 3, 4), sines(10, 2, 4));
    let found = decoder_layer(&sine_layer(), &y, &z);
    let right = dmatrix![
        -0.8781, -0.2749, -0.0942, 0.2525;
        -0.7409, -0.0665, -0.0327, 0.2608
    ];
    assert!((found.select_rows(&[0, 2]) - right).amax() < 1e-4, "{found}");
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
