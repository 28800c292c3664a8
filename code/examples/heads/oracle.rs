//! Two heads by hand, and two to compare with.

use all_you_need::plain::{Heads, Matrix, attend, heads};
use nalgebra::dmatrix;
use print::{Fixed, fixed, section, table, value};

#[path = "../shared/sines.rs"]
mod sines;

use sines::sines;

/// Three rows that ask two others, with matrices that are all different.
pub fn check(heads: fn(&Heads, &Matrix, &Matrix, &Matrix) -> Matrix) {
    let p = Heads(2, [1, 2, 3, 4].map(|k| sines(k, 4, 4)));
    let (x, y) = (sines(9, 3, 4), sines(10, 2, 4));
    let found = heads(&p, &x, &y, &Matrix::zeros(3, 2));
    let right = dmatrix![
        -0.1200, 0.2466, 0.7257, 0.9921;
        -0.4933, -0.4583, 0.0988, 0.7952;
        -0.2346, 0.0588, 0.5747, 0.9721
    ];
    assert!((found - right).amax() < 1e-4);
}

/// Two heads in numbers that can be checked by hand.
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

/// By how much wrong heads miss that test at least.
pub fn slips() {
    let (x, y, all) = (sines(9, 3, 4), sines(10, 2, 4), Matrix::zeros(3, 2));
    let [q, k, v, o] = [1, 2, 3, 4].map(|k| sines(k, 4, 4));
    let of = |q: &Matrix, k: &Matrix, v: &Matrix, o: &Matrix| {
        let p = Heads(2, [q, k, v, o].map(Matrix::clone));
        heads(&p, &x, &y, &all)
    };
    let p = Heads(2, [&q, &k, &v, &o].map(Matrix::clone));
    let right = of(&q, &k, &v, &o);
    let wrong = [
        of(&k, &q, &v, &o),
        of(&q, &v, &k, &o),
        of(&(&q / 2.0_f64.sqrt()), &k, &v, &o),
        of(&q, &k, &v, &Matrix::identity(4, 4)),
        heads(&p, &x, &x, &Matrix::zeros(3, 3)),
        heads(&Heads(1, p.1), &x, &y, &all),
    ];
    section("Wrong heads");
    let least = wrong.map(|z| (z - &right).amax()).into_iter();
    value("least difference", least.fold(f64::INFINITY, f64::min).fixed(2));
}
