//! The plain models from a list of matrices.

use super::writer::Writer;
use super::{EncoderLayer, Heads, Matrix, Model};

/// Where the matrices come from.
type Source<'a> = &'a mut dyn Iterator<Item = Matrix>;

/// The next few matrices.
fn next<const N: usize>(from: Source) -> [Matrix; N] {
    [(); N].map(|()| from.next().expect("one more matrix"))
}

/// A model of n layers with h heads each, from its matrices in the order in
/// which [`leaves`](crate::parameters::Parameters::leaves) lists them.
///
/// # Panics
/// If there are too few.
pub fn model(h: usize, n: usize, from: Source) -> Model {
    let [table] = next(from);
    let encoder = encoder(h, n, from);
    let mut decoder = Vec::new();
    for _ in 0..n {
        let (look, norm1) = (Heads(h, next(from)), next(from));
        let (read, norm2) = (Heads(h, next(from)), next(from));
        decoder.push((look, norm1, read, norm2, next(from), next(from)));
    }
    Model(table, encoder, decoder)
}

/// A decoder alone, in the same way.
///
/// # Panics
/// If there are too few matrices.
pub fn writer(h: usize, n: usize, from: Source) -> Writer {
    let [table] = next(from);
    Writer(table, encoder(h, n, from))
}

fn encoder(h: usize, n: usize, from: Source) -> Vec<EncoderLayer> {
    let layer =
        |_| (Heads(h, next(from)), next(from), next(from), next(from));
    (0..n).map(layer).collect()
}
