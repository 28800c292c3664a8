use all_you_need::plain::{Matrix, published::turn};
use all_you_need::published::Published;
use std::path::Path;

#[path = "../../exercises/checks/published.rs"]
mod check;

// Exercise 1
//
// A token has a key and a value in each layer, 2 · 32 · 8 · 128 numbers or
// 131 kB, so 8000 tokens have 1,049 MB. Without groups there are four times
// as many keys and values, and 4,194 MB.
#[test]
fn a_cache_of_eight_thousand_tokens_has_a_gigabyte() {
    let bytes = |groups: usize| 2 * 32 * groups * 128 * 2 * 8000;
    assert_eq!(bytes(8), 1_048_576_000);
    assert_eq!(bytes(32), 4 * bytes(8));
    // The fixture has 2 layers and 2 groups of 8 columns: 64 numbers a token.
    let folder = "../tests/reference/published/llama";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let model = Published::open(&folder).unwrap().model;
    assert_eq!(model.numbers_kept(), 2 * 2 * 2 * 8);
}

// Exercise 2
//
// The bytes that can be seen are three ranges. All others are counted as they
// come, and the count begins at 256.

/// The letter of each byte.
pub fn letters() -> Vec<char> {
    let mut unseen = (256..).filter_map(char::from_u32);
    let letter = |byte: u8| match byte {
        33..=126 | 161..=172 | 174..=255 => Some(char::from(byte)),
        _ => unseen.next(),
    };
    (0..=255).filter_map(letter).collect()
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
