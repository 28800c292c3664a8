//! Checks the exercises of the chapter on matrices.

use super::{by_comparing, by_mixing, from_rows};
use crate::expect::expect;
use all_you_need::tensor::Matrix;
use nalgebra::dmatrix;

checks! {
    exercise_3: products_are_computed_in_two_ways,
    exercise_4: numbers_stay_in_their_rows
}

fn products_are_computed_in_two_ways() {
    for (name, product) in [
        ("by_comparing", by_comparing as fn(&Matrix, &Matrix) -> Matrix),
        ("by_mixing", by_mixing),
    ] {
        let sizes = |n: usize, k: usize, m: usize| {
            let a = Matrix::from_fn(n, k, |i, l| 1.0 + (3 * i + l) as f64);
            let b = Matrix::from_fn(k, m, |l, j| l as f64 - (2 * j) as f64);
            (product(&a, &b), &a * &b)
        };
        let (found, expected) = sizes(1, 2, 1);
        let hint = format!("{name}: one row and one column make one number");
        expect(&found, &expected, &hint);
        let (found, expected) = sizes(2, 3, 4);
        let hint = format!("{name}: 2×3 times 3×4 is 2×4");
        expect(&found, &expected, &hint);
        let (found, expected) = sizes(4, 1, 3);
        let hint =
            format!("{name}: 4×1 times 1×3, where every sum has one term");
        expect(&found, &expected, &hint);
    }
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
