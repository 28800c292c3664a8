//! Products and shapes of matrices: `cargo run --example tensor`

use all_you_need::plain;
use all_you_need::tensor::{Init, Matrix, Tensor};
use nalgebra::dmatrix;
use print::{section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::panic::{self, AssertUnwindSafe};

fn main() {
    panic::set_hook(Box::new(|_| {})); // The panics below are on purpose.
    in_nalgebra();
    a_square_notices_nothing();
    misfits();
}

/// The sentence with which `work` panics.
fn complaint(work: impl FnOnce()) -> String {
    let panic = panic::catch_unwind(AssertUnwindSafe(work)).unwrap_err();
    match panic.downcast::<String>() {
        Ok(sentence) => *sentence,
        Err(panic) => panic.downcast::<&str>().unwrap().to_string(),
    }
}

/// The weights of *fruit* and *furniture* for the three keys of the shop.
pub fn weights() -> Matrix {
    let queries = dmatrix![2.0, 0.0; 0.0, 2.0];
    let keys = dmatrix![2.0, 1.0; 1.0, 1.0; -2.0, 2.0];
    plain::softmax(&(queries * keys.transpose()))
}

/// A matrix as one writes it in `dmatrix!`.
fn literal(m: &Matrix) -> String {
    let row = |row: nalgebra::DMatrixView<f64>| {
        let cells = row.iter().map(|x| format!("{x:.2}").replace(".00", ""));
        cells.collect::<Vec<_>>().join(", ")
    };
    let rows: Vec<_> = (0..m.nrows()).map(|i| row(m.rows(i, 1))).collect();
    format!("[{}]", rows.join("; "))
}

/// What nalgebra does, and what one may expect of the name.
fn in_nalgebra() {
    let a: Matrix = dmatrix![1.0, 2.0; 3.0, 4.0];
    let poured = Matrix::from_vec(2, 2, vec![1.0, 2.0, 3.0, 4.0]);
    complaint(|| drop(Matrix::zeros(2, 3) * &a));
    section("In nalgebra");
    let line = |name: &str, what: String| println!("{name:36}{what}");
    line("a", literal(&a));
    line("&a * &a", literal(&(&a * &a)));
    line("a.transpose()", literal(&a.transpose()));
    line("a.component_mul(&a)", literal(&a.component_mul(&a)));
    line("a.dot(&a)", a.dot(&a).to_string());
    line("DMatrix::from_vec(2, 2, 1 2 3 4)", literal(&poured));
    line("2×3 times 2×2", "panics".to_string());
}

/// The transpose forgotten, with square matrices and with others.
fn a_square_notices_nothing() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let mut noise = |rows| -> Matrix { rng.uniform(rows, 4, 1.0) };
    let (a, b) = (noise(4), noise(4));
    let (right, wrong) = (&a * b.transpose(), &a * &b);
    let equal = (&right - &wrong).abs();
    let equal = equal.iter().filter(|gap| **gap < 0.01).count();
    let size = |m: &Matrix| format!("{}×{}", m.nrows(), m.ncols());
    let (c, d) = (noise(3), noise(5));
    complaint(|| drop(&c * &d));
    section("The transpose forgotten");
    let squares = [size(&a), size(&b), size(&right), size(&wrong)];
    let panics = "panics".to_string();
    let others = [size(&c), size(&d), size(&(&c * d.transpose())), panics];
    table(["A", "B", "A Bᵀ", "A B"], [squares, others]);
    section("Of the square");
    value("cells that agree", format!("{equal} of {}", right.len()));
}

/// What does not fit says so.
fn misfits() {
    let a: Matrix = Matrix::zeros(2, 3);
    let b: Matrix = Matrix::zeros(2, 4);
    section("Misfits");
    println!("{}", complaint(|| drop(a.matmul(&b))));
    println!("{}", complaint(|| drop(Tensor::add(&a, &b))));
    println!("{}", complaint(|| drop(a.gather(&[1, 2]))));
    println!("{}", complaint(|| drop(a.chunk(2))));
    println!("{}", complaint(|| drop(Matrix::concat(&[a.transpose(), b]))));
}
