//! Checks the exercises of the chapter on tokens.

use super::{encode, merge};
use all_you_need::tokens::Bpe;

checks! {
    exercise_3: a_piece_is_cut_as_the_crate_cuts_it,
    exercise_4: no_token_gets_lost
}

fn a_piece_is_cut_as_the_crate_cuts_it() {
    let of = |piece: &str, merges: &[(u32, u32)]| {
        let bytes: Vec<u32> = piece.bytes().map(u32::from).collect();
        encode(&bytes, merges)
    };
    assert_eq!(of("ab", &[]), [97, 98], "without merges, the bytes");
    assert!(of("", &[(97, 98)]).is_empty(), "no byte at all");
    assert_eq!(of("cab", &[(97, 98)]), [99, 256], "one merge");
    assert_eq!(of("abab", &[(97, 98)]), [256, 256], "one merge, twice");
    let hint = "the second merge has the first one's token in it";
    assert_eq!(of("cab", &[(97, 98), (99, 256)]), [257], "{hint}");
    let hint = "bc was learned first, so ab finds no b any more";
    assert_eq!(of("abc", &[(98, 99), (97, 98)]), [97, 256], "{hint}");
    let hint = "aaa has room for one pair, and it is the left one";
    assert_eq!(of("aaa", &[(97, 97)]), [256, 97], "{hint}");
    let bpe = Bpe::train("the cat and the hat and the fat cat", 9);
    for piece in ["the", " cat", " fat", " that", " chat"] {
        assert_eq!(of(piece, bpe.merges()), bpe.encode(piece), "{piece:?}");
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
