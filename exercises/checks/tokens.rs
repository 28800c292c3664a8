//! Checks the exercises of the chapter on tokens.

use super::{learn, merge};
use all_you_need::tokens::Bpe;

checks! {
    exercise_3: words_are_learned_as_the_crate_learns_them,
    exercise_4: no_token_gets_lost
}

fn words_are_learned_as_the_crate_learns_them() {
    let found = learn("banana", 1);
    assert_eq!(found, [(97, 110)], "in one word, a and n come first");
    let found = learn("ab ab", 9);
    assert_eq!(found, [(97, 98)], "`ab` occurs twice, and then no pair does");
    let text = "the cat and the hat and the fat cat";
    let expected = Bpe::train(text, 9).merges().to_vec();
    assert_eq!(
        learn(text, 9),
        expected,
        "the nine words of the chapter. Is a pair counted in all pieces, and \
         merged in all of them?"
    );
    let text = text.repeat(3) + " in a hat that the cat had had at hand";
    let expected = Bpe::train(&text, 40).merges().to_vec();
    assert_eq!(learn(&text, 40), expected, "a longer text, and 40 merges");
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
