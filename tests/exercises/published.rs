use all_you_need::plain::{Matrix, published::turn};
use all_you_need::published::Published;
use std::path::Path;

#[path = "../../exercises/checks/published.rs"]
mod check;

// Exercise 1
//
// A token has a key and a value in each layer, 2 · 32 · 8 · 128 numbers or
// 131 kB. The model has 16 GB, as much as the cache of 122,000 tokens. Without
// groups a token has four times as many keys and values, and 30,500 tokens
// are enough.
#[test]
fn a_long_text_needs_as_much_as_the_model() {
    let bytes = |groups: u64| 2 * 32 * groups * 128 * 2;
    assert_eq!(bytes(8), 131_072);
    assert_eq!(8_000_000_000 * 2 / bytes(8), 122_070);
    assert_eq!(8_000_000_000 * 2 / bytes(32), 30_517);
    // The fixture has 2 layers and 2 groups of 8 columns: 64 numbers a token.
    let folder = "../tests/reference/published/llama";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let model = Published::open(&folder).unwrap().model;
    assert_eq!(model.numbers_kept(), 2 * 2 * 2 * 8);
}

// Exercise 2
//
// Column i of a head, in the first half, was column 2i, and column i + d_k/2
// was column 2i + 1. A score is a sum over all columns of a head, so their
// order does not matter, if it is the same for queries and keys.

/// W^Q or W^K of heads with d_k columns each, from a file whose neighbours
/// are turned together, for [`turn`].
pub fn halves(d_k: usize, w: &Matrix) -> Matrix {
    let half = d_k / 2;
    let from = |j: usize| {
        let (head, j) = (j / d_k * d_k, j % d_k);
        head + j % half * 2 + j / half
    };
    let order: Vec<usize> = (0..w.ncols()).map(from).collect();
    w.select_columns(&order)
}

// Exercise 3
//
// Only the two that turn queries and keys wrongly, by another θ or with the
// wrong columns together: at place 0 the angle is 0, so nothing is turned
// whatever the pairs are. The other four change what is done with the first
// token, too: its place, the matrix behind its heads, the last norm, or the
// value that a head reads.
#[test]
fn at_the_first_place_nothing_is_turned() {
    let rows = Matrix::from_fn(2, 8, |i, j| (1 + 8 * i + j) as f64);
    for (d_k, theta) in [(8, 500.0), (8, 10000.0), (2, 500.0)] {
        let turned = turn(d_k, theta, &rows);
        assert_eq!(turned.row(0), rows.row(0));
        assert_ne!(turned.row(1), rows.row(1));
    }
}
