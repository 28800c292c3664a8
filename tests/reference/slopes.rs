//! The boxes In PyTorch of the chapters on gradients and on the loss: what a
//! page shows is what was run, and it gave the crate's numbers.

use all_you_need::gradient::Tape;
use all_you_need::layers::{Linear, Rowwise};
use all_you_need::loss::CrossEntropy;
use all_you_need::parameters::gradient;
use all_you_need::tensor::{Matrix, Tensor};
use nalgebra::dmatrix;
use std::fs;
use std::path::Path;

use crate::compare::close;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(path)).expect(path)
}

/// What the script has written for a page.
fn made(page: &str) -> serde_json::Value {
    let text = read("tests/reference/slopes.json");
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    file[page].take()
}

/// A row of numbers by its name.
fn row(made: &serde_json::Value, name: &str) -> Matrix {
    let numbers: Vec<f64> =
        serde_json::from_value(made[name].clone()).expect(name);
    Matrix::from_row_slice(1, numbers.len(), &numbers)
}

#[test]
fn the_pages_show_what_was_run() {
    for page in ["gradient", "loss"] {
        let made = made(page);
        let code = made["box"].as_str().expect("the box's code");
        let lines = code.lines().map(|line| format!("> {line}"));
        let lines: Vec<_> =
            lines.map(|line| line.trim_end().to_owned()).collect();
        let text = read(&format!("src/{page}.md"));
        assert!(text.contains(&lines.join("\n")), "{page}: run it again");
    }
}

#[test]
fn the_taxi_has_these_gradients() {
    let made = made("gradient");
    let taxi: Linear<Matrix> =
        Linear { weight: dmatrix![4.0], bias: dmatrix![2.0] };
    let (_, slopes) = gradient(&taxi, |taxi| {
        let [km, minus_paid] = [dmatrix![1.0; 3.0], dmatrix![-7.0; -13.0]]
            .map(|m| taxi.weight.constant(&m));
        let fares = km.matmul(&taxi.weight).add_row(&taxi.bias);
        let errors = fares.add(&minus_paid);
        errors.transpose().matmul(&errors)
    });
    close(&slopes.weight, &row(&made, "w"), 1e-12);
    close(&slopes.bias, &row(&made, "b"), 1e-12);
}

#[test]
fn the_smoothed_loss_has_these_slopes() {
    let made = made("loss");
    let tape = Tape::default();
    let x = tape.variable(dmatrix![2.0, 1.0, 0.0]);
    let loss = x.cross_entropy(&[0], 0.1);
    close(loss.value(), &row(&made, "loss"), 1e-12);
    close(&tape.gradients(&loss).of(&x), &row(&made, "slopes"), 1e-12);
}
