//! Exercises of the chapter on the decoder.

use all_you_need::plain::{
    DecoderLayer, Matrix, add_norm, feed_forward, heads,
};
use all_you_need::tokens::Token;

#[cfg(test)]
#[path = "checks/decoder.rs"]
mod check;

// Exercise 3

/// The last row that `decoder_layer` returns for the rows `y`, n × d_model,
/// and the memory `z`, m × d_model, and no other row of it: 1 × d_model.
pub fn last_row(p: &DecoderLayer, y: &Matrix, z: &Matrix) -> Matrix {
    todo!("which rows ask now, which are asked, and what may they see?")
}

// Exercise 4

/// What the decoder reads and what it should answer, for a target of these
/// words: at each place the answer is the token that is read next. There is a
/// mistake in it.
pub fn shifted(
    words: &[Token],
    (bos, eos): (Token, Token),
) -> (Vec<Token>, Vec<Token>) {
    let target = [&[bos], words, &[eos]].concat();
    let n = words.len();
    (target[..n].to_vec(), target[1..n + 1].to_vec())
}
