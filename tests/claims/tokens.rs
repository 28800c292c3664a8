use all_you_need::tensor::Matrix;
use all_you_need::tokens::{
    Bpe, Pair, Token, Tokenizer, Vocabulary, characters, one_hot, words,
};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::prop_oneof;
use proptest::sample::Index;
use proptest::strategy::Strategy;
use std::collections::BTreeSet;

use crate::property::for_any;

pub const TEXT: &str = "the cat and the hat and the fat cat";

/// A text of any characters at all, with more blanks than chance would give.
pub const ANY_TEXT: &str =
    "([ \t\n\u{a0}\u{3000}]|[a-e]|[äßé\u{301}語🦊]|(?s:.)){0,40}";

/// Byte pairs learned from any text, and any others that there can be.
fn any_pairs() -> impl Strategy<Value = Bpe> {
    let taught = (vec(ANY_TEXT, 0..30), 0..500usize)
        .prop_map(|(texts, merges)| Bpe::train(&texts.concat(), merges));
    let picks = vec((any::<Index>(), any::<Index>()), 0..30);
    let invented = picks.prop_map(|picks| {
        let mut bpe = Bpe::train("", 0);
        for (left, right) in picks {
            // Among the letters of `ANY_TEXT` and what was merged of them.
            let any = |i: &Index| 97 + i.index(5 + bpe.merges().len());
            let token = |i| if i < 102 { i } else { i + 154 } as Token;
            let pair = (token(any(&left)), token(any(&right)));
            let merges = [bpe.merges(), &[pair]].concat();
            bpe = Bpe::new(merges).unwrap_or(bpe);
        }
        bpe
    });
    prop_oneof![taught, invented]
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
    for_any(200, ANY_TEXT, |text| {
        let tokens = characters(&text);
        let vocabulary = Vocabulary::of(&tokens);
        let ids = vocabulary.encode(&tokens).unwrap();
        assert_eq!(vocabulary.decode(&ids).concat(), text);
        let different: BTreeSet<_> = tokens.iter().collect();
        assert_eq!(vocabulary.len(), different.len());
        assert_eq!(vocabulary.is_empty(), text.is_empty());
    });
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
        assert_eq!(row.transpose().argmax(), (id as usize, 1.0));
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
    for_any(200, (any_pairs(), ANY_TEXT), |(bpe, text)| {
        assert_eq!(bpe.decode(&bpe.encode(&text)), text);
        let again = Bpe::new(bpe.merges().to_vec()).unwrap();
        assert_eq!(again, bpe);
        assert_eq!(again.encode(&text), bpe.encode(&text));
    });
}

/// The tokens of a text if, of all merges that fit, the newest is used.
fn newest_first(bpe: &Bpe, text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = text.bytes().map(Token::from).collect();
    loop {
        let fits = |i: &usize| {
            let pair = (tokens[*i], tokens[i + 1]);
            bpe.merges().iter().position(|merge| *merge == pair)
        };
        let places = 0..tokens.len() - 1;
        let newest = places.filter_map(|i| Some((fits(&i)?, i))).max();
        let Some((merge, i)) = newest else { return tokens };
        tokens.splice(i..i + 2, [256 + merge as Token]);
    }
}

/// The tokens of a text if the longest that fits is taken each time.
fn longest_first(bpe: &Bpe, text: &str) -> Vec<Token> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let fits = |id: &Token| rest.starts_with(&bpe.decode(&[*id]));
        let all = (0..bpe.len() as Token).filter(fits);
        let longest = all.max_by_key(|id| bpe.decode(&[*id]).len()).unwrap();
        rest = &rest[bpe.decode(&[longest]).len()..];
        tokens.push(longest);
    }
    tokens
}

/// The nine words do not tell the orders apart, and neither does the number of
/// tokens; the pieces of the chapter's check do.
#[test]
fn two_merges_that_want_the_same_letter_show_the_order() {
    let bpe = Bpe::train("bc bc bc ab ab abc", 9);
    let pieces = |tokens: &[Token]| -> Vec<String> {
        tokens.iter().map(|&token| bpe.decode(&[token])).collect()
    };
    assert_eq!(pieces(&bpe.encode(" abc")), [" a", "bc"]);
    assert_eq!(pieces(&newest_first(&bpe, " abc")), [" ab", "c"]);
    assert_eq!(pieces(&longest_first(&bpe, " abc")), [" ab", "c"]);
    let nine = Bpe::train(TEXT, 9);
    assert_eq!(nine.encode(TEXT).len(), 13);
    assert_eq!(newest_first(&nine, TEXT).len(), 13);
    assert_eq!(longest_first(&nine, TEXT).len(), 13);
}

#[test]
fn without_merges_the_tokens_are_the_bytes() {
    let bpe = Bpe::train(TEXT, 0);
    assert_eq!(bpe.len(), 256);
    assert_eq!(bpe.encode("Fuß"), [70, 117, 195, 159]);
    assert_eq!(bpe.decode(&[195]), "\u{fffd}");
}

#[test]
fn no_token_reaches_across_two_words() {
    for_any(100, vec(ANY_TEXT, 0..30), |texts| {
        let text = texts.concat();
        let bpe = Bpe::train(&text, 500);
        for id in bpe.encode(&text) {
            let token = bpe.decode(&[id]);
            assert!(!token.chars().skip(1).any(char::is_whitespace));
        }
    });
}

#[test]
#[should_panic(expected = "no token 257 among 257")]
fn a_token_that_was_not_learned_spells_nothing() {
    Bpe::train("abab", 1).decode(&[256, 257]);
}

#[test]
fn merges_that_no_text_can_have_taught_are_refused() {
    let error =
        |merges: &[Pair]| Bpe::new(merges.to_vec()).unwrap_err().to_string();
    let later = [(97, 98), (257, 99)];
    assert_eq!(error(&later), "merge 2: there is no token 257 yet");
    let twice = [(97, 98), (98, 97), (97, 98)];
    assert_eq!(error(&twice), "merge 3: 97 and 98 are merged already");
    let huge = [(97, Token::MAX)];
    assert_eq!(error(&huge), "merge 1: there is no token 4294967295 yet");
}

/// Merges that double: 2, 4, … bytes, up to 256 in the eighth.
fn doubling(merges: usize) -> Vec<Pair> {
    let more = (256..).map(|id| (id, id));
    [(97, 97)].into_iter().chain(more).take(merges).collect()
}

#[test]
fn no_merge_spells_more_than_256_bytes() {
    let longest = Bpe::new(doubling(8)).unwrap();
    assert_eq!(longest.bytes(263), [97; 256]);
    let error = |last| {
        let merges = [doubling(8), vec![last]].concat();
        Bpe::new(merges).unwrap_err().to_string()
    };
    assert_eq!(error((263, 263)), "merge 9: it spells 512 bytes");
    assert_eq!(error((263, 98)), "merge 9: it spells 257 bytes");
    assert_eq!(error((98, 263)), "merge 9: it spells 257 bytes");
    // Sixty merges would spell more than any memory holds.
    let error = Bpe::new(doubling(60)).unwrap_err().to_string();
    assert_eq!(error, "merge 9: it spells 512 bytes");
}

/// As many bytes as fit into 256, and never a part of a letter.
#[test]
fn a_long_word_is_cut_and_nothing_of_it_is_lost() {
    for (first, letter, most) in [
        ("", "a", 256),
        ("", "ß", 256),
        ("", "語", 255),
        ("", "🦊", 256),
        ("a", "ß", 255),
    ] {
        let text = format!("{first}{}", letter.repeat(1000));
        let bpe = Bpe::train(&text, 10_000);
        let tokens = bpe.encode(&text);
        assert_eq!(bpe.decode(&tokens), text);
        let lengths = tokens.iter().map(|&token| bpe.bytes(token).len());
        let mut end = 0;
        let ends: BTreeSet<usize> = lengths
            .inspect(|length| assert!(*length <= 256))
            .map(|length| {
                end += length;
                end
            })
            .collect();
        // The first piece has the first letter; the others are all alike.
        assert!(ends.contains(&most), "{letter}");
        assert_eq!(ends.last(), Some(&text.len()));
        let (_, rest) = text.split_at(most);
        assert_eq!(
            tokens[tokens_in(&bpe, most, &tokens)..],
            bpe.encode(rest)
        );
    }
}

/// How many of the tokens spell the first bytes.
fn tokens_in(bpe: &Bpe, bytes: usize, tokens: &[Token]) -> usize {
    let mut left = bytes;
    let spell = |token: &&Token| {
        let before = left;
        left = left.saturating_sub(bpe.bytes(**token).len());
        before > 0
    };
    tokens.iter().take_while(spell).count()
}

fn tokenizer() -> Tokenizer {
    Tokenizer::new(Bpe::train(TEXT, 3))
}

#[test]
fn the_special_tokens_are_the_last_two_of_the_vocabulary() {
    let tokenizer = tokenizer();
    assert_eq!(tokenizer.bpe().len(), 259);
    assert_eq!((tokenizer.bos(), tokenizer.eos()), (259, 260));
    assert_eq!(tokenizer.vocabulary(), 261);
    let bytes = Tokenizer::default();
    assert_eq!((bytes.vocabulary(), bytes.bpe().merges().len()), (258, 0));
    assert_eq!((bytes.bos(), bytes.eos()), (256, 257));
}

#[test]
fn a_source_ends_and_a_target_begins_and_ends_with_a_special_token() {
    let tokenizer = tokenizer();
    for text in ["", TEXT, "über"] {
        let tokens = tokenizer.bpe().encode(text);
        assert_eq!(tokenizer.encode(text), tokens);
        let source = [&tokens[..], &[260]].concat();
        assert_eq!(tokenizer.encode_source(text), source);
        let target = [&[259], &tokens[..], &[260]].concat();
        assert_eq!(tokenizer.encode_target(text), target);
    }
}

#[test]
fn special_tokens_are_in_no_text_and_spell_nothing() {
    for_any(200, (any_pairs(), ANY_TEXT), |(bpe, text)| {
        let tokenizer = Tokenizer::new(bpe);
        let tokens = tokenizer.encode(&text);
        assert!(tokens.iter().all(|&token| token < tokenizer.bos()));
        assert_eq!(tokenizer.decode(&tokenizer.encode_target(&text)), text);
        assert_eq!(tokenizer.decode(&tokenizer.encode_source(&text)), text);
    });
    let tokenizer = tokenizer();
    let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
    assert_eq!(tokenizer.decode(&[bos, 97, eos, bos, 98, eos]), "ab");
    assert_eq!(tokenizer.decode(&[bos, eos]), "");
}

#[test]
#[should_panic(expected = "no token 261 among 261")]
fn a_token_beyond_the_special_ones_is_refused() {
    tokenizer().decode(&[97, 261]);
}

#[test]
fn a_token_is_called_what_it_spells() {
    let tokenizer = tokenizer();
    let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
    assert_eq!(tokenizer.name(b'a'.into()), "a");
    assert_eq!([bos, eos].map(|id| tokenizer.name(id)), ["<start>", "<end>"]);
    for id in 0..bos {
        let text = tokenizer.decode(&[id]);
        assert_eq!(tokenizer.name(id), text.trim());
        assert_eq!(tokenizer.label(id).replace('·', " "), text);
    }
    assert_eq!(tokenizer.label(eos), "<end>");
}

#[test]
#[should_panic(expected = "no token 261 among 261")]
fn a_token_that_is_none_has_no_name() {
    let _ = tokenizer().name(261);
}

#[test]
#[should_panic(expected = "a matrix of 4×4611686018427387904 has more")]
fn one_hot_rows_that_are_too_wide_for_a_matrix_are_refused() {
    let _ = one_hot(&[0; 4], 1 << 62);
}
