//! Checks the exercises of the chapter on embeddings.

use super::{embed, nearest};
use crate::expect::expect;
use all_you_need::embedding::Embedding;
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: the_nearest_token_has_the_highest_cosine,
    exercise_4: rows_get_the_factor_of_their_width
}

fn the_nearest_token_has_the_highest_cosine() {
    let two = dmatrix![1.0, 0.0; 0.0, 1.0];
    let hint = "of two tokens the other one is the nearest. Is a token \
                compared with itself?";
    assert_eq!(nearest(&two, 0), 1, "{hint}");
    assert_eq!(nearest(&two, 1), 0, "{hint}");
    let opposite = dmatrix![1.0, 0.0; -1.0, 0.0; -1.0, 0.1];
    let hint = "all other cosines are below 0, and one of them is still the \
                highest";
    assert_eq!(nearest(&opposite, 0), 2, "{hint}");
    let long = dmatrix![1.0, 0.0; 5.0, 5.0; 0.2, 0.01];
    let hint = "row 1 is long, and its dot product is larger. But row 2 \
                points more nearly in the direction of row 0";
    assert_eq!(nearest(&long, 0), 2, "{hint}");
}

fn rows_get_the_factor_of_their_width() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    for (v, d, hint) in [
        (4, 4, "four tokens in four columns"),
        (5, 4, "five tokens in four columns: how long is an embedded row?"),
    ] {
        let table: Matrix = rng.uniform(v, d, 1.0);
        let expected = Embedding { table: table.clone() }.embed(&[3, 1, 3]);
        expect(&embed(&table, &[3, 1, 3]), &expected, hint);
    }
}
