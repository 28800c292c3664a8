//! Checks the exercises of the chapter on matrices.

use super::{Name, from_rows};
use crate::expect::expect;
use all_you_need::tensor::Tensor;
use nalgebra::dmatrix;

checks! {
    exercise_3: formulas_are_written_down,
    exercise_4: numbers_stay_in_their_rows
}

#[track_caller]
fn reads(found: &Name, expected: &str) {
    assert_eq!(found.0, expected);
}

fn formulas_are_written_down() {
    let [a, b, x] = ["A", "B", "X"].map(|name| Name(name.into()));
    reads(&x.matmul(&a).matmul(&b), "((X A) B)");
    reads(&a.transpose(), "Aᵀ");
    // The trait makes this one of `matmul` and `transpose`.
    reads(&a.matmul_t(&b), "(A Bᵀ)");
    reads(&a.add(&b), "(A + B)");
    reads(&a.scale(0.5), "0.5 A");
    reads(&a.add(&b).scale(0.5), "0.5 (A + B)");
    reads(&x.gather(&[2, 0]), "X[2, 0]");
    let parts = x.chunk(3);
    assert_eq!(parts.len(), 3, "as many parts as one asks for");
    reads(&parts[0], "X_1");
    reads(&parts[2], "X_3");
    reads(&Name::concat(&parts), "[X_1, X_2, X_3]");
    reads(&x.matmul(&a).matmul_t(&x.add(&b)), "((X A) (X + B)ᵀ)");
}

fn numbers_stay_in_their_rows() {
    let hint = "a matrix of a single row";
    expect(
        &from_rows(&[vec![1.0, 2.0, 3.0]]),
        &dmatrix![1.0, 2.0, 3.0],
        hint,
    );
    let hint = "the shape is right, and so is the first number. Is the \
                second next to it in its row?";
    let rows = [vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]];
    let expected = dmatrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0];
    expect(&from_rows(&rows), &expected, hint);
}
