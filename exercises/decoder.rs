//! Exercises of the chapter on the decoder.

use all_you_need::decoder::DecoderLayer;
use all_you_need::encoder::EncoderLayer;
use all_you_need::tokens::Token;

#[cfg(test)]
#[path = "checks/decoder.rs"]
mod check;

// Exercise 3

/// The layer of a model like GPT: a decoder layer without its cross-attention
/// and the norm after it. Which layer has only the other parts?
pub fn without_source<T>(layer: DecoderLayer<T>) -> EncoderLayer<T> {
    todo!("name each field, and say which part of the decoder it is")
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
