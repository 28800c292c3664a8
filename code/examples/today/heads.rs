//! What ALiBi's heads look at, and what attention in blocks keeps.

use all_you_need::plain::{Matrix, today as plain};
use print::{Fixed, grouped, section, table, value};

/// What each of four heads gives the last of four tokens to see, if all keys
/// are alike.
pub fn how_alibi_weighs() {
    section("How ALiBi weighs");
    let rates = [1, 2, 3, 4].map(|head| 0.25f64.powi(head));
    let rows = rates.into_iter().zip(1..).map(|(rate, head)| {
        let same = Matrix::from_element(4, 1, 1.0);
        // With the identity as values, the mixtures are the weights.
        let seen =
            plain::distant(rate, &same, &same, &Matrix::identity(4, 4));
        let weights = [3, 2, 1, 0].map(|j| seen[(3, j)]);
        (format!("{head}, with 1/{}", 1.0 / rate), weights.fixed(2))
    });
    let names = ["head, and its rate", "itself", "1 before", "2", "3 before"];
    table(names, rows);
}

/// The keys of a block, and the columns of a query, a key and a value.
pub const BLOCK: usize = 128;
pub const COLUMNS: usize = 64;

/// How many numbers one head keeps at a time beside what it reads and what it
/// returns, for n tokens: all scores; those of a block, with the highest score
/// and the sum of each query; and those of one query at a time. The mixtures
/// are returned.
pub fn held(n: usize) -> [usize; 3] {
    [n * n, n * (BLOCK + 2), BLOCK + 2]
}

/// The queries, keys and values that it reads, and the mixtures.
pub fn read_and_returned(n: usize) -> usize {
    4 * n * COLUMNS
}

/// How many numbers attention needs at a time for a long text.
pub fn attention_in_blocks() {
    section("Attention in blocks");
    value("keys in a block", BLOCK);
    value("columns", COLUMNS);
    value("as many as it reads", read_and_returned(1));
    value("for one query", held(1)[2]);
    // (Q Kᵀ) V and Q (Kᵀ V), in multiply-adds.
    let (n, d) = (1000, COLUMNS);
    value("rows", grouped(n));
    value("the scores first", grouped(2 * n * n * d));
    value("keys and values first", grouped(2 * n * d * d));
}
