use all_you_need::embedding::Embedding;
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::{Vocabulary, one_hot, words};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::close;

// Exercise 1
// The identity. Its i-th row is the one-hot row of i, and only the factor
// √V is left of the embedding. One-hot is the embedding that has learned
// nothing.
#[test]
fn one_hot_is_an_embedding() {
    let ids = [0, 1, 2, 3, 0, 4];
    let embedding = Embedding { table: Matrix::identity(5, 5) };
    assert_eq!(embedding.embed(&ids), one_hot(&ids, 5) * 5f64.sqrt());
}

// Exercise 2
// No. A sum does not know what came first, and the two sentences are made
// of the same words. Six rows go in, one comes out, and who jumped is lost.
#[test]
fn a_sum_of_rows_does_not_say_who_jumped() {
    let text = words("the cat jumped over the fence");
    let vocabulary = Vocabulary::of(&text);
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let embedding = Embedding { table: rng.noise(5, 8, 1.0) };
    let sum = |text: &str| -> Matrix {
        let ids = vocabulary.encode(&words(text)).unwrap();
        let rows: Matrix = embedding.embed(&ids);
        dmatrix![1.0, 1.0, 1.0, 1.0, 1.0, 1.0] * rows
    };
    let cat = sum("the cat jumped over the fence");
    let fence = sum("the fence jumped over the cat");
    close(&cat, &fence, 1e-14);
}

// Exercise 3
// Six, like the even hours of a clock. Wherever a seventh is put, it is
// closer than that to one of them.
#[test]
fn six_words_find_room_in_two_columns() {
    let row = |degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        dmatrix![cos, sin]
    };
    let clock: Vec<Matrix> =
        (0..6).map(|hour| row(60.0 * f64::from(hour))).collect();
    for i in 0..6 {
        for j in 0..i {
            assert!(clock[i].dot(&clock[j]) < 0.5 + 1e-12);
        }
    }
    for degrees in 0..360 {
        let seventh = row(f64::from(degrees));
        assert!(clock.iter().any(|c| c.dot(&seventh) > 0.5 + 1e-12));
    }
}
