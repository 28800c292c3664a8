//! The story that is counted on one page and learned by heart on another.

use all_you_need::tokens::{Token, Vocabulary, words};

/// Three sentences to count in.
const STORY: &str = "the cat jumped over the fence . \
    the dog jumped over the wall . the cat saw the dog .";

pub fn story() -> (Vocabulary, Vec<Token>) {
    let words = words(STORY);
    let vocabulary = Vocabulary::of(&words);
    let tokens = vocabulary.encode(&words).expect("words of the story");
    (vocabulary, tokens)
}
