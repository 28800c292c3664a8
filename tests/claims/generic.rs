use all_you_need::attention::{Mask, Softmax, attention};
use all_you_need::plain;
use all_you_need::tensor::Matrix;

use crate::golden::close;

/// As the page has it.
fn attend<T: Softmax>(q: &T, k: &T, v: &T, mask: &Mask) -> T {
    let (_, d_k) = q.shape();
    let scores = q.matmul_t(k).scale(1.0 / (d_k as f64).sqrt());
    scores.softmax(mask).matmul(v)
}

#[test]
fn the_generic_attention_is_the_plain_one_and_the_crates() {
    let q = Matrix::from_fn(3, 4, |i, j| (i as f64 - j as f64) * 0.7);
    let k = Matrix::from_fn(5, 4, |i, j| ((i * j) as f64).sin());
    let v = Matrix::from_fn(5, 2, |i, j| (i + 2 * j) as f64);
    let mask = Mask::padding(3, 5, 4);
    let found = attend(&q, &k, &v, &mask);
    close(&found, &attention(&q, &k, &v, &mask), 1e-14);
    close(&found, &plain::attend(&q, &k, &v, &mask.matrix()), 1e-14);
}

/// The page names every module of the crate once, in the order in which the
/// crate lists them.
#[test]
fn the_table_of_the_modules_is_complete() {
    let (library, page) = (
        include_str!("../../code/lib.rs"),
        include_str!("../../src/notation.md"),
    );
    let modules = library
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod "))
        .map(|rest| rest.trim_end_matches([';', ' ', '{']));
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let table = rows.skip_while(|name| *name != "recurrence");
    assert!(table.eq(modules));
}
