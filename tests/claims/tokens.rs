use all_you_need::tensor::Matrix;
use all_you_need::tokens::{
    BytePairs, Pair, Vocabulary, characters, one_hot, words,
};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::{BTreeMap, BTreeSet};

const TEXT: &str = "the cat and the hat and the fat cat";

/// A text of any characters at all, with more blanks than chance would give.
fn any_text(rng: &mut ChaCha8Rng) -> String {
    let length = rng.random_range(0..40);
    let character = |_| match rng.random_range(0..4) {
        0 => [' ', '\t', '\n', '\u{a0}', '\u{3000}'][rng.random_range(0..5)],
        1 => rng.random_range('a'..='e'),
        2 => ['ä', 'ß', 'é', '\u{301}', '語', '🦊'][rng.random_range(0..6)],
        _ => rng.random_range('\0'..=char::MAX),
    };
    (0..length).map(character).collect()
}

fn any_texts(seed: u64) -> impl Iterator<Item = String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..300).map(move |_| any_text(&mut rng))
}

#[test]
fn optimus_prime_has_thirteen_characters_eleven_of_them_different() {
    let text = characters("Optimus Prime");
    let vocabulary = Vocabulary::of(&text);
    let ids = vocabulary.encode(&text).unwrap();
    assert_eq!(ids, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 4, 10]);
    assert_eq!(vocabulary.len(), 11);
    assert_eq!(words("Optimus Prime").len(), 2);
}

/// Of either reading: without the blank, and without the s.
#[test]
fn twelve_codes_do_not_bring_the_text_back() {
    let codes = [1, 2, 3, 4, 5, 6, 0, 2, 7, 4, 5, 8];
    for letters in ["OptimusPrime", "Optimu Prime"] {
        let letters = characters(letters);
        let pairs: BTreeSet<_> = codes.iter().zip(&letters).collect();
        let different: BTreeSet<_> = codes.iter().collect();
        assert_eq!((pairs.len(), different.len()), (10, 9));
    }
}

#[test]
fn characters_come_back_from_their_numbers() {
    for text in any_texts(1) {
        let tokens = characters(&text);
        let vocabulary = Vocabulary::of(&tokens);
        let ids = vocabulary.encode(&tokens).unwrap();
        assert_eq!(vocabulary.decode(&ids).concat(), text);
        let different: BTreeSet<_> = tokens.iter().collect();
        assert_eq!(vocabulary.len(), different.len());
        assert_eq!(vocabulary.is_empty(), text.is_empty());
    }
}

#[test]
fn a_word_never_seen_has_no_number() {
    let vocabulary = Vocabulary::of(&words("the cat jumped"));
    assert_eq!(vocabulary.encode(&words("the dog jumped")), None);
    assert_eq!(vocabulary.encode(&words("jumped the")), Some(vec![2, 0]));
}

#[test]
#[should_panic(expected = "no token 2 among 2")]
fn a_number_that_no_word_has_is_refused() {
    Vocabulary::of(&words("the cat")).decode(&[0, 2]);
}

#[test]
fn one_hot_has_a_row_for_each_word_and_a_column_for_each_different_one() {
    assert_eq!(one_hot(&[0, 1], 2), Matrix::identity(2, 2));
    let array = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0].map(f64::from);
    assert_eq!(one_hot(&[7], 11), Matrix::from_row_slice(1, 11, &array));
    let shape = |text: &str| {
        let tokens = words(text);
        let vocabulary = Vocabulary::of(&tokens);
        let ids = vocabulary.encode(&tokens).unwrap();
        one_hot(&ids, vocabulary.len()).shape()
    };
    assert_eq!(shape("the cat jumped over the fence"), (6, 5));
    assert_eq!(shape("The cat jumped over the fence"), (6, 6));
}

#[test]
fn one_hot_rows_say_what_the_numbers_say_and_no_more() {
    let (ids, v) = ([3, 7, 0, 7], 11);
    let rows = one_hot(&ids, v);
    for (row, id) in rows.row_iter().zip(ids) {
        assert_eq!(row.transpose().argmax(), (id, 1.0));
        assert_eq!(row.sum(), 1.0);
    }
    let order = [2, 0, 3, 1];
    let turned = one_hot(&order.map(|i| ids[i]), v);
    assert_eq!(turned, rows.select_rows(&order));
}

#[test]
fn different_one_hot_rows_are_all_equally_far_apart() {
    let rows = one_hot(&[0, 1, 2, 3, 4], 7);
    for i in 0..5 {
        for j in 0..i {
            let distance = (rows.row(i) - rows.row(j)).norm();
            assert_eq!(distance, 2f64.sqrt());
        }
    }
}

#[test]
#[should_panic(expected = "no token 5 among 5")]
fn a_token_outside_the_vocabulary_has_no_row() {
    one_hot(&[4, 5], 5);
}

#[test]
fn any_text_comes_back_from_its_byte_pairs() {
    let learned: String = any_texts(2).collect();
    let taught =
        [BytePairs::train(TEXT, 100), BytePairs::train(&learned, 500)];
    assert!(taught[1].len() > 256 + 100);
    let by_hand = ["", " ", "  two  blanks ", "Äpfel, süß", "🦊", "a\r\n\tb"];
    for text in any_texts(3).chain(by_hand.map(String::from)) {
        for pairs in &taught {
            assert_eq!(pairs.decode(&pairs.encode(&text)), text);
        }
    }
}

#[test]
fn without_merges_the_tokens_are_the_bytes() {
    let pairs = BytePairs::train(TEXT, 0);
    assert_eq!(pairs.len(), 256);
    assert_eq!(pairs.encode("Fuß"), [70, 117, 195, 159]);
    assert_eq!(pairs.decode(&[195]), "\u{fffd}");
}

/// The same by the slowest road: count everything anew for each merge.
/// Gives the merges, and the text as they leave it.
fn by_recounting(text: &str, merges: usize) -> (Vec<Pair>, Vec<usize>) {
    let cut = text.replace(' ', "\0 ");
    let piece = |piece: &str| piece.bytes().map(usize::from).collect();
    let mut text: Vec<Vec<usize>> = cut.split('\0').map(piece).collect();
    let mut learned = Vec::new();
    for id in 256..256 + merges {
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
fn learning_agrees_with_counting_everything_anew() {
    for seed in 0..10 {
        let text = babble(seed);
        for merges in [7, 1000] {
            let pairs = BytePairs::train(&text, merges);
            let (slow, left) = by_recounting(&text, merges);
            assert_eq!(pairs.merges(), slow);
            assert_eq!(pairs.encode(&text), left);
        }
    }
}

#[test]
fn the_most_frequent_pair_comes_first_and_of_equals_the_lower() {
    let pairs = BytePairs::train(TEXT, 100);
    let spelled: Vec<_> =
        (256..pairs.len()).map(|id| pairs.decode(&[id])).collect();
    let expected =
        ["at", "he", "the", " a", " c", " the", "nd", " and", " cat"];
    assert_eq!(spelled, expected);
}

#[test]
fn learning_stops_when_no_pair_occurs_twice() {
    assert_eq!(BytePairs::train(TEXT, 1_000_000).merges().len(), 9);
    assert_eq!(BytePairs::train("abc", 10).len(), 256);
    assert_eq!(BytePairs::train("", 10).len(), 256);
}

#[test]
fn learning_less_is_a_beginning_of_learning_more() {
    let text = babble(20);
    let all = BytePairs::train(&text, 50);
    let few = BytePairs::train(&text, 20);
    assert_eq!(few.merges(), &all.merges()[..20]);
}

/// Every hash map starts from another secret. None of them is asked for an
/// order.
#[test]
fn the_same_text_teaches_the_same_tokens() {
    let text = babble(21);
    let first = BytePairs::train(&text, 50);
    for _ in 0..5 {
        assert_eq!(BytePairs::train(&text, 50), first);
    }
}

#[test]
fn no_token_reaches_across_two_words() {
    let text: String = any_texts(4).collect();
    let pairs = BytePairs::train(&text, 500);
    for id in pairs.encode(&text) {
        let token = pairs.decode(&[id]);
        assert!(!token.chars().skip(1).any(char::is_whitespace));
    }
}

#[test]
#[should_panic(expected = "no token 257 among 257")]
fn a_token_that_was_not_learned_spells_nothing() {
    BytePairs::train("abab", 1).decode(&[256, 257]);
}

#[test]
fn merges_learned_elsewhere_make_the_same_tokens() {
    for text in [TEXT, &babble(22), ""] {
        let pairs = BytePairs::train(text, 50);
        let again = BytePairs::new(pairs.merges().to_vec()).unwrap();
        assert_eq!(again, pairs);
        assert_eq!(again.encode(TEXT), pairs.encode(TEXT));
    }
}

#[test]
fn merges_that_nobody_can_have_learned_are_refused() {
    let error = |merges: &[Pair]| {
        BytePairs::new(merges.to_vec()).unwrap_err().to_string()
    };
    let later = [(97, 98), (257, 99)];
    assert_eq!(error(&later), "merge 2: there is no token 257 yet");
    let twice = [(97, 98), (98, 97), (97, 98)];
    assert_eq!(error(&twice), "merge 3: 97 and 98 are merged already");
    let huge = [(97, usize::MAX)];
    assert!(error(&huge).starts_with("merge 1: there is no token 1844"));
}
