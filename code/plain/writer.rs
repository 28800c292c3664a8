//! A decoder alone: the plain model without an encoder, which continues a
//! text.

use super::{EncoderLayer, Matrix, causal, embed, encoder_layer, softmax};
use rand::{Rng, RngExt};

/// The table of all tokens, V × d_model, and the layers. A decoder's layer
/// that reads no source is a layer of the encoder.
#[derive(Debug)]
pub struct Writer(pub Matrix, pub Vec<EncoderLayer>);

/// After each token, a score for every token to be the next: n × V.
pub fn scores(Writer(table, layers): &Writer, text: &[usize]) -> Matrix {
    let before = causal(text.len());
    let up = |x: Matrix, layer| encoder_layer(layer, &x, &before);
    layers.iter().fold(embed(table, text), up) * table.transpose()
}

/// Draws token after token, each with its probability, until there are n.
pub fn write(
    p: &Writer,
    text: &mut Vec<usize>,
    n: usize,
    rng: &mut impl Rng,
) {
    while text.len() < n {
        let last = scores(p, text).row(text.len() - 1).into_owned();
        let shares = softmax(&Matrix::from_rows(&[last]));
        let mut left: f64 = rng.random();
        let drawn = shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        text.push(drawn.unwrap_or(shares.len() - 1));
    }
}
