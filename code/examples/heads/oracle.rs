//! Two heads to compare with, small enough to be computed by hand.

use all_you_need::plain::{Heads, Matrix, attend, heads};
use nalgebra::dmatrix;
use print::{fixed, section, table};

/// Fails for heads that are cut or joined wrongly.
pub fn check(heads: fn(&Heads, &Matrix, &Matrix, &Matrix) -> Matrix) {
    let x = dmatrix![2.0, 0.0, 1.0, 1.0; 0.0, 2.0, 0.0, 1.0];
    let same = Matrix::identity(4, 4);
    let w_o = dmatrix![
        0.0, 1.0, 0.0, 0.0;
        0.0, 0.0, 1.0, 0.0;
        0.0, 0.0, 0.0, 1.0;
        1.0, 0.0, 0.0, 0.0
    ];
    let p = Heads(2, [same.clone(), same.clone(), same, w_o]);
    let found = heads(&p, &x, &x, &Matrix::zeros(2, 2));
    let right = dmatrix![1.00, 1.89, 0.11, 0.67; 1.00, 0.11, 1.89, 0.50];
    assert!((found - right).amax() < 0.005);
}

/// The steps from its rows to its result.
pub fn steps() {
    let x = dmatrix![2.0, 0.0, 1.0, 1.0; 0.0, 2.0, 0.0, 1.0];
    let all = Matrix::zeros(2, 2);
    let mut lines = vec![("x", x.clone())];
    let names = [
        ("weights of head 1", "head 1 finds"),
        ("weights of head 2", "head 2 finds"),
    ];
    for (i, (weights, finds)) in names.into_iter().enumerate() {
        let own = x.columns(2 * i, 2).into_owned();
        let look = |v: &Matrix| attend(&own, &own, v, &all);
        lines.push((weights, look(&Matrix::identity(2, 2))));
        lines.push((finds, look(&own)));
    }
    let found = [&lines[2].1, &lines[4].1];
    let turned = Matrix::from_fn(2, 4, |i, j| {
        let column = (j + 3) % 4;
        found[column / 2][(i, column % 2)]
    });
    lines.push(("both, times W^O", turned));
    section("Two heads in numbers");
    let line = |(name, rows): (&'static str, Matrix)| {
        let word = |i| fixed(&rows.rows(i, 1).into_owned(), 2).join(" ");
        (name, word(0), word(1))
    };
    table(["", "word 1", "word 2"], lines.into_iter().map(line));
    check(heads);
}
