use all_you_need::embedding::Embedding;
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::{Token, Vocabulary, one_hot, words};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::close;

#[path = "../../exercises/checks/embedding.rs"]
mod check;

// Exercise 1
//
// The identity, the matrix with ones on its diagonal and zeros elsewhere: its
// row $i$ is the one-hot row of token $i$. The crate's `embed` multiplies it
// by $\sqrt{V}$, because this table is $V$ columns wide.
#[test]
fn one_hot_is_an_embedding() {
    let ids = [0, 1, 2, 3, 0, 4];
    let embedding = Embedding { table: Matrix::identity(5, 5) };
    assert_eq!(embedding.embed(&ids), one_hot(&ids, 5) * 5f64.sqrt());
}

// Exercise 2
//
// A row divided by its length points in the same direction, and the dot
// product of two such rows is their cosine. The search leaves out the token
// itself, whose cosine is 1.

/// The other token whose row has the highest cosine with the row of `id`.
pub fn nearest(table: &Matrix, id: Token) -> Token {
    let unit = |i: usize| table.row(i).normalize();
    let own = unit(id as usize);
    let cosine = |i: usize| unit(i).dot(&own);
    let others = (0..table.nrows()).filter(|&i| i != id as usize);
    let best = others.max_by(|&i, &j| cosine(i).total_cmp(&cosine(j)));
    best.expect("another token") as Token
}

// Exercise 3
//
// No, because the sum of some rows does not depend on their order, and the
// two sentences have the same words. Six rows go in and one comes out, and it
// is lost which of the two jumped.
#[test]
fn a_sum_of_rows_does_not_say_which_jumped() {
    let text = words("the cat jumped over the fence");
    let vocabulary = Vocabulary::of(&text);
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let embedding = Embedding { table: rng.uniform(5, 8, 1.0) };
    let sum = |text: &str| -> Matrix {
        let ids = vocabulary.encode(&words(text)).unwrap();
        let rows: Matrix = embedding.embed(&ids);
        dmatrix![1.0, 1.0, 1.0, 1.0, 1.0, 1.0] * rows
    };
    let cat = sum("the cat jumped over the fence");
    let fence = sum("the fence jumped over the cat");
    close(&cat, &fence, 1e-14);
}

// Exercise 4
//
// `shape` returns the rows first, so the factor was the square root of $V$.
// With as many tokens as columns it is the same number, and in the paper's
// base model rows would be more than eight times too long.

/// The rows of these tokens, times √d_model: n × d_model.
pub fn embed(table: &Matrix, tokens: &[Token]) -> Matrix {
    let (_, d_model) = table.shape();
    let rows: Vec<_> = tokens.iter().map(|&id| id as usize).collect();
    table.select_rows(&rows) * (d_model as f64).sqrt()
}
