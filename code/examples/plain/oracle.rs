//! A model to compare with, and wrong ones.

use all_you_need::plain::{
    Heads, Matrix, Model, add_norm, causal, decode, decoder_layer, embed,
    encode, encoder_layer, feed_forward, heads, positions,
};
use nalgebra::dmatrix;
use print::{fixed, section, table};

#[path = "../shared/sines.rs"]
mod sines;

use sines::sines;

/// A table of ten tokens, and a layer on each side.
fn sine_model() -> Model {
    let norm = |k| [sines(k, 1, 4), sines(k + 1, 1, 4)];
    let four = |k| Heads(2, [k, k + 1, k + 2, k + 3].map(|k| sines(k, 4, 4)));
    let network = |k| {
        let (w1, b1) = (sines(k, 4, 16), sines(k + 1, 1, 16));
        [w1, b1, sines(k + 2, 16, 4), sines(k + 3, 1, 4)]
    };
    let reads = (four(1), norm(27), network(5), norm(29));
    let (look, read) = (four(11), four(15));
    let writes = (look, norm(31), read, norm(33), network(19), norm(35));
    Model(sines(0, 10, 4), vec![reads], vec![writes])
}

const SOURCE: [usize; 4] = [3, 1, 4, 1];
const TARGET: [usize; 3] = [0, 5, 9];

/// The logits after each of its tokens begin with these numbers.
pub fn check() {
    let model = sine_model();
    let logits = decode(&model, &TARGET, &encode(&model, &SOURCE));
    let right = dmatrix![
        -0.9422, 2.6643, 0.2472, -2.7040;
        -0.9652, 2.6813, 0.2314, -2.6998;
        -0.9633, 2.6974, 0.2340, -2.7188
    ];
    assert!((logits.columns(0, 4) - right).amax() < 1e-4);
}

/// The same by models that are slightly wrong.
pub fn slips() {
    let model = sine_model();
    let Model(rows, encoder, decoder) = &model;
    let logits = |embed: &dyn Fn(&[usize]) -> Matrix, mask: &Matrix| {
        let z = encoder_layer(&encoder[0], &embed(&SOURCE), mask);
        decoder_layer(&decoder[0], &embed(&TARGET), &z) * rows.transpose()
    };
    let all = Matrix::zeros(4, 4);
    let right = |tokens: &[usize]| embed(rows, tokens);
    let bare = |tokens: &[usize]| rows.select_rows(tokens);
    let (look, norm1, read, norm2, think, norm3) = &decoder[0];
    let unmasked = {
        let z = encode(&model, &SOURCE);
        let y = right(&TARGET);
        let open = |n| Matrix::zeros(y.nrows(), n);
        let x = add_norm(norm1, &y, &heads(look, &y, &y, &open(3)));
        let x = add_norm(norm2, &x, &heads(read, &x, &z, &open(4)));
        add_norm(norm3, &x, &feed_forward(think, &x)) * rows.transpose()
    };
    let models = [
        ("none", logits(&right, &all)),
        ("no causal mask", unmasked),
        ("no √d_model", logits(&|t| bare(t) + positions(t.len(), 4), &all)),
        ("no positions", logits(&|t| bare(t) * 2.0, &all)),
        (
            "places from 1",
            logits(
                &|t| {
                    bare(t) * 2.0 + positions(t.len() + 1, 4).rows(1, t.len())
                },
                &all,
            ),
        ),
        ("a causal encoder", logits(&right, &causal(4))),
    ];
    section("Slips");
    let line = |(name, logits): (&'static str, Matrix)| {
        let two = |i| fixed(&logits.row(i).columns(0, 2).into_owned(), 4);
        (name, [two(0), two(2)].concat())
    };
    table(["mistake", "first row", "", "last row", ""], models.map(line));
}
