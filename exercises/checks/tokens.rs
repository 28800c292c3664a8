//! Checks the exercises of the chapter on tokens.

use super::{decode, merge};
use all_you_need::tokens::Bpe;

checks! {
    exercise_3: tokens_are_decoded_as_the_crate_decodes_them,
    exercise_4: no_token_gets_lost
}

fn tokens_are_decoded_as_the_crate_decodes_them() {
    assert_eq!(decode(&[97, 98], &[]), "ab", "without merges, the bytes");
    assert_eq!(decode(&[], &[]), "", "no token at all");
    let merges = [(97, 98), (32, 256)];
    assert_eq!(decode(&[99, 256], &merges), "cab", "one merge");
    let hint = "the second merge has the first one's token in it";
    assert_eq!(decode(&[99, 256, 257], &merges), "cab ab", "{hint}");
    let hint = "ü is one letter and two bytes, here in two tokens";
    assert_eq!(decode(&[195, 188], &[]), "ü", "{hint}");
    let hint = "ü with its second byte in a token with the space behind it";
    assert_eq!(decode(&[195, 256], &[(188, 32)]), "ü ", "{hint}");
    let hint = "half an ü is no letter: `String::from_utf8_lossy`";
    assert_eq!(decode(&[195], &[]), "\u{fffd}", "{hint}");
    let text = "the cat and the hat and the fat cat";
    let bpe = Bpe::train(text, 9);
    let found = decode(&bpe.encode(text), bpe.merges());
    assert_eq!(found, text, "the chapter's nine words");
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
