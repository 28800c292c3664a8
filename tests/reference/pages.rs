//! The boxes In PyTorch: what a page shows is in the script that was run, and
//! what the script has written is what the plain model computes.

use all_you_need::plain::{self, Heads, Matrix, add_norm, heads};
use std::fs;
use std::path::Path;

use crate::compare::close;

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

/// The scripts' weights: sin(k + 3i + 5j + 7ij).
fn sines(k: usize, rows: usize, columns: usize) -> Matrix {
    let cell = |i, j| ((k + 3 * i + 5 * j + 7 * i * j) as f64).sin();
    Matrix::from_fn(rows, columns, cell)
}

#[test]
fn a_page_shows_what_was_run() {
    for page in ["layers"] {
        let (text, script) = (
            read(&format!("src/{page}.md")),
            read(&format!("tests/reference/pages/{page}.py")),
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
    let norm = || [Matrix::from_element(1, 4, 1.0), Matrix::zeros(1, 4)];
    let ln = |x: &Matrix| add_norm(&norm(), x, &none);
    close(&ln(&x), &made("layers", "norm"), 1e-12);
    let square = |k| sines(k, 4, 4);
    let look = Heads(2, [square(1), square(2), square(3), square(4)]);
    let think =
        [sines(5, 4, 16), sines(6, 1, 16), sines(7, 16, 4), sines(8, 1, 4)];
    // Pre-norm: the norm is in front of each sublayer.
    let y = &x + heads(&look, &ln(&x), &ln(&x), &all);
    let pre = &y + plain::feed_forward(&think, &ln(&y));
    close(&pre, &made("layers", "pre"), 1e-12);
    let layer = (look, norm(), think, norm());
    let post = plain::encoder_layer(&layer, &x, &all);
    close(&post, &made("layers", "post"), 1e-12);
    let all = Matrix::zeros(3, 3);
    let oracle = plain::encoder_layer(&layer, &sines(9, 3, 4), &all);
    close(&oracle, &made("layers", "encoder"), 1e-12);
}
