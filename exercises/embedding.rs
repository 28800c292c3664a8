//! Exercises of the chapter on embeddings.

use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;

#[cfg(test)]
#[path = "checks/embedding.rs"]
mod check;

// Exercise 2

/// The token that is most similar to token `id`, and not `id` itself: the one
/// whose row in the table, V × d_model, has the highest cosine with its row.
/// There are at least two tokens.
pub fn nearest(table: &Matrix, id: Token) -> Token {
    todo!("the cosine with each other row, and which of them is the highest")
}

// Exercise 4

/// The rows of these tokens from the table, V × d_model, times √d_model:
/// n × d_model. There is a mistake in it.
pub fn embed(table: &Matrix, tokens: &[Token]) -> Matrix {
    let (d_model, _) = table.shape();
    let rows: Vec<_> = tokens.iter().map(|&id| id as usize).collect();
    table.select_rows(&rows) * (d_model as f64).sqrt()
}
