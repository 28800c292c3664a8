//! Checks the exercises of the chapter on tokens.

use super::{encode, merge};
use all_you_need::tokens::Bpe;

checks! {
    exercise_3: texts_are_encoded_as_the_crate_encodes_them,
    exercise_4: no_token_gets_lost
}

fn texts_are_encoded_as_the_crate_encodes_them() {
    assert_eq!(encode("ab", &[]), [97, 98], "without merges, the bytes");
    assert_eq!(encode("ab", &[(97, 98)]), [256], "one merge");
    let merges = [(97, 98), (32, 256)];
    let hint = "the space belongs to the piece behind it, and none is lost";
    assert_eq!(encode("b ab", &[]), [98, 32, 97, 98], "{hint}");
    assert_eq!(encode("b ab", &[(98, 32)]), [98, 32, 97, 98], "{hint}");
    let hint = "the second merge needs what the first one makes";
    assert_eq!(encode("cab ab", &merges), [99, 256, 257], "{hint}");
    let hint = "ü is one letter and two bytes";
    assert_eq!(encode("ü", &[]), [195, 188], "{hint}");
    let hint = "each of several spaces begins a piece of its own. May the \
                two spaces become one token?";
    assert_eq!(encode("a  b", &[(32, 32)]), [97, 32, 32, 98], "{hint}");
    let text = "the cat and the hat and the fat cat";
    let bpe = Bpe::train(text, 9);
    for text in ["the hat and The fence", " at at", "cat", ""] {
        let hint = "the merges of the chapter's nine words";
        let found = encode(text, bpe.merges());
        assert_eq!(found, bpe.encode(text), "{text:?}: {hint}");
    }
}

fn no_token_gets_lost() {
    let of = |tokens: &[u32]| merge(tokens, (1, 2), 9);
    assert_eq!(of(&[1, 2]), [9], "one pair and nothing else");
    assert_eq!(of(&[1, 2, 1, 2]), [9, 9], "two pairs");
    assert_eq!(of(&[5, 1, 2]), [5, 9], "a token in front of the pair");
    let hint = "a token behind the pair. Where does the loop end?";
    assert_eq!(of(&[1, 2, 5]), [9, 5], "{hint}");
    assert_eq!(of(&[5]), [5], "a single token");
    assert!(of(&[]).is_empty(), "no token at all");
    let hint = "1 1 1 has room for one pair of ones";
    assert_eq!(merge(&[1, 1, 1], (1, 1), 9), [9, 1], "{hint}");
}
