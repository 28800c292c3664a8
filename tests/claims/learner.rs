use all_you_need::learner::WordCounts;
use all_you_need::tokens::{Bpe, Pair, Token};
use proptest::collection::vec;
use proptest::prop_oneof;
use proptest::strategy::Strategy;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::BTreeMap;

use crate::property::for_any;
use crate::tokens::{ANY_TEXT, TEXT};

/// The same by the slowest road: count everything anew for each merge.
/// Gives the merges, and the text as they leave it.
fn by_recounting(text: &str, merges: usize) -> (Vec<Pair>, Vec<Token>) {
    let cut = text.replace(' ', "\0 ");
    let piece = |piece: &str| piece.bytes().map(Token::from).collect();
    let mut text: Vec<Vec<Token>> = cut.split('\0').map(piece).collect();
    let mut learned = Vec::new();
    for id in (256..).take(merges) {
        let mut counts = BTreeMap::<Pair, usize>::new();
        for pair in text.iter().flat_map(|piece| piece.windows(2)) {
            *counts.entry((pair[0], pair[1])).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or(0);
        if most < 2 {
            break;
        }
        let (&pair, _) = counts.iter().find(|(_, n)| **n == most).unwrap();
        for piece in &mut text {
            let mut i = 0;
            while i + 1 < piece.len() {
                if (piece[i], piece[i + 1]) == pair {
                    piece.splice(i..i + 2, [id]);
                }
                i += 1;
            }
        }
        learned.push(pair);
    }
    (learned, text.concat())
}

/// 200 words of up to five of three letters: plenty of ties.
fn babble(seed: u64) -> String {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut word = |_| -> String {
        let length = rng.random_range(1..=5);
        (0..length).map(|_| rng.random_range('a'..='c')).collect()
    };
    (0..200).map(&mut word).collect::<Vec<_>>().join(" ")
}

#[test]
fn equal_words_are_counted_as_one() {
    let mut words = WordCounts::default();
    assert_eq!(words.distinct(), 0);
    words.add(" a dog and a cat");
    words.add(" a cat and a dog");
    assert_eq!(words.distinct(), [" a", " dog", " and", " cat"].len());
}

#[test]
fn learning_agrees_with_counting_everything_anew() {
    for_any(40, ("[a-c ]{0,400}", 0..100usize), |(text, merges)| {
        let bpe = Bpe::train(&text, merges);
        let (slow, left) = by_recounting(&text, merges);
        assert_eq!(bpe.merges(), slow);
        assert_eq!(bpe.encode(&text), left);
    });
}

/// As the translator counts: each text with a space before it.
#[test]
fn words_can_be_counted_text_by_text() {
    // Words of which the end of a piece is, or nearly is, the end.
    let long = ("ä?b{0,3}", 250..515usize);
    let long = long.prop_map(|(end, bytes)| "ä".repeat(bytes / 2) + &end);
    let any = prop_oneof![4 => ANY_TEXT, 1 => "[a-c ]{0,400}", 1 => long];
    for_any(60, vec(any, 0..20), |texts| {
        let (mut joined, mut words) = (String::new(), WordCounts::default());
        for text in texts {
            let text = format!(" {text}");
            words.add(&text);
            joined += &text;
        }
        let mut expected = WordCounts::default();
        expected.add(&joined);
        assert_eq!(words, expected);
        assert_eq!(Bpe::learn(words, 50), Bpe::train(&joined, 50));
    });
}

#[test]
fn the_most_frequent_pair_comes_first_and_of_equals_the_lower() {
    let bpe = Bpe::train(TEXT, 100);
    let spelled: Vec<_> =
        (256..).take(9).map(|id| bpe.decode(&[id])).collect();
    assert_eq!(bpe.len(), 256 + 9);
    let expected =
        ["at", "he", "the", " a", " c", " the", "nd", " and", " cat"];
    assert_eq!(spelled, expected);
}

#[test]
fn learning_stops_when_no_pair_occurs_twice() {
    assert_eq!(Bpe::train(TEXT, 1_000_000).merges().len(), 9);
    assert_eq!(Bpe::train("abc", 10).len(), 256);
    assert_eq!(Bpe::train("", 10).len(), 256);
}

#[test]
fn learning_less_is_a_beginning_of_learning_more() {
    let text = babble(20);
    let all = Bpe::train(&text, 50);
    let few = Bpe::train(&text, 20);
    assert_eq!(few.merges(), &all.merges()[..20]);
}

/// Every hash map starts from another secret. None of them is asked for an
/// order.
#[test]
fn the_same_text_teaches_the_same_tokens() {
    let text = babble(21);
    let first = Bpe::train(&text, 50);
    for _ in 0..5 {
        assert_eq!(Bpe::train(&text, 50), first);
    }
}
