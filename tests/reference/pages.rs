//! The boxes In PyTorch: what a page shows is in the script that was run, and
//! what the script has written is what the plain model computes.

use all_you_need::plain::{
    self, DecoderLayer, Heads, Matrix, Model, Norm, add_norm, heads,
};
use std::fs;
use std::path::Path;

use crate::compare::close;

/// The scripts' parameters, too.
#[path = "../../code/examples/shared/sines.rs"]
mod sines;

use sines::sines;

/// A file of this repository.
fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(path)).expect(path)
}

/// A matrix that the script of a page has written.
fn made(page: &str, name: &str) -> Matrix {
    let text = read(&format!("tests/reference/pages/{page}.json"));
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows: Vec<Vec<f64>> =
        serde_json::from_value(file[name].clone()).expect(name);
    let cells: Vec<f64> = rows.concat();
    Matrix::from_row_slice(rows.len(), cells.len() / rows.len(), &cells)
}

#[test]
fn a_page_shows_what_was_run() {
    for (page, script) in [("layers", "layers"), ("plain", "transformer")] {
        let (text, script) = (
            read(&format!("src/{page}.md")),
            read(&format!("tests/reference/pages/{script}.py")),
        );
        let code = text.split("> ```python\n").nth(1).expect("a box");
        let code = code.split("> ```").next().expect("its end");
        for line in code.lines() {
            let line = line.trim_start_matches("> ");
            assert!(script.contains(line), "{page}: {line}");
        }
    }
}

#[test]
fn the_layers_of_pytorch_give_these_numbers() {
    let rows = [[3.0, 9.0, 11.0, 17.0], [1.0, 2.0, 3.0, 4.0]].concat();
    let x = Matrix::from_row_slice(2, 4, &rows);
    let (none, all) = (&x * 0.0, Matrix::zeros(2, 2));
    let ln = |norm: &Norm, x: &Matrix| add_norm(norm, x, &none);
    close(&ln(&new_norm(), &x), &made("layers", "norm"), 1e-12);
    let (look, think) = (four(1), network(5));
    // Pre-norm: the norm is in front of each sublayer.
    let normed = ln(&norm(27), &x);
    let y = &x + heads(&look, &normed, &normed, &all);
    let pre = &y + plain::feed_forward(&think, &ln(&norm(29), &y));
    close(&pre, &made("layers", "pre"), 1e-12);
    let layer = (look, norm(27), think, norm(29));
    let post = plain::encoder_layer(&layer, &x, &all);
    close(&post, &made("layers", "post"), 1e-12);
    let all = Matrix::zeros(3, 3);
    let oracle = plain::encoder_layer(&layer, &sines(9, 3, 4), &all);
    close(&oracle, &made("layers", "encoder"), 1e-12);
}

/// Gains and biases, numbers k and k + 1.
fn norm(k: usize) -> Norm {
    [sines(k, 1, 4), sines(k + 1, 1, 4)]
}

fn new_norm() -> Norm {
    [Matrix::from_element(1, 4, 1.0), Matrix::zeros(1, 4)]
}

/// Four matrices of an attention, from number k on.
fn four(k: usize) -> Heads {
    Heads(2, [k, k + 1, k + 2, k + 3].map(|k| sines(k, 4, 4)))
}

/// A feed-forward network, from number k on.
fn network(k: usize) -> plain::FeedForward {
    let (w1, b1) = (sines(k, 4, 16), sines(k + 1, 1, 16));
    [w1, b1, sines(k + 2, 16, 4), sines(k + 3, 1, 4)]
}

fn decoder_layer() -> DecoderLayer {
    (four(11), norm(31), four(15), norm(33), network(19), norm(35))
}

#[test]
fn the_decoder_of_pytorch_gives_these_numbers() {
    let (y, z) = (sines(9, 3, 4), sines(10, 2, 4));
    let found = plain::decoder_layer(&decoder_layer(), &y, &z);
    close(&found, &made("transformer", "decoder"), 1e-12);
}

#[test]
fn the_transformer_of_pytorch_gives_these_numbers() {
    let encoder = (four(1), norm(27), network(5), norm(29));
    let model = Model(sines(0, 10, 4), vec![encoder], vec![decoder_layer()]);
    let memory = plain::encode(&model, &[3, 1, 4, 1]);
    close(&memory, &made("transformer", "memory"), 1e-12);
    let logits = plain::decode(&model, &[0, 5, 9], &memory);
    close(&logits, &made("transformer", "logits"), 1e-12);
}
