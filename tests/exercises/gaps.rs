use all_you_need::gaps::{GAP, Sentence, number, sentences};
use all_you_need::tokens::Token;
use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashMap;

#[path = "../../exercises/checks/gaps.rs"]
mod check;

// Exercise 1
//
// The verb says that the subject is a plural. All ten plurals are equally
// likely, so the model can do no better than to give each 0.1, and it pays
// ln 10 = 2.30 nats. Of the other noun nothing is known, not even the number,
// so there are twenty words, each has 0.05, and the price is ln 20 = 3.00.
#[test]
fn a_subject_is_one_of_ten_and_another_noun_one_of_twenty() {
    let all = sentences(8000, &[], &mut ChaCha8Rng::seed_from_u64(1));
    let counted = |place: fn(&Sentence) -> Option<usize>| {
        let places = all.iter().filter_map(|s| Some(&s.words[place(s)?]));
        let mut counts = HashMap::new();
        places.for_each(|word| *counts.entry(word).or_insert(0.0) += 1.0);
        counts
    };
    let subjects = counted(|s| {
        let plural = number(&s.words[s.subject]) == Some(1);
        plural.then_some(s.subject)
    });
    let others = counted(|s| {
        s.nouns.iter().copied().find(|place| *place != s.subject)
    });
    for (counts, n) in [(subjects, 10), (others, 20)] {
        assert_eq!(counts.len(), n);
        let all: f64 = counts.values().sum();
        let nats = counts.values().map(|c| -c / all * (c / all).ln());
        assert!((nats.sum::<f64>() - (n as f64).ln()).abs() < 0.01);
    }
}

// Exercise 2
//
// One random number of ten decides for each place. With 0 to 7 the place
// becomes a gap, and with 8 it becomes any word but the gap. The loss must
// then be told the places, because a gap is no longer how they are found.

/// A text as BERT reads it in training. Of these places, 80 % become a gap,
/// 10 % become a random word, that is a token from 1 to below `vocabulary`,
/// and 10 % stay as they are. No other place changes.
pub fn hide_as_bert(
    text: &[Token],
    places: &[usize],
    vocabulary: Token,
    rng: &mut impl Rng,
) -> Vec<Token> {
    let mut read = text.to_vec();
    for &place in places {
        match rng.random_range(0..10) {
            0..8 => read[place] = GAP,
            8 => read[place] = rng.random_range(GAP + 1..vocabulary),
            _ => (),
        }
    }
    read
}

// Exercise 3
//
// `enumerate` begins with 0 in each text, but the rows of the second text
// come after those of the first. With one text the function is right. With
// more, rows of the first texts, most of them no gaps at all, are compared
// with answers of others, and the model learns little more than which words
// are frequent.

/// In which rows of the matrix of all texts, laid end to end, the gaps are.
pub fn gap_rows(texts: &[Vec<Token>]) -> Vec<usize> {
    let tokens = texts.iter().flatten().enumerate();
    let gaps = tokens.filter(|(_, token)| **token == GAP);
    gaps.map(|(row, _)| row).collect()
}

// Exercise 4
//
// After *the cats* a verb and *that* are about equally probable, so *that*
// often wins, and always where the verb's part is divided between two tenses.
// After a first phrase *that* can no longer come, and a verb is more probable
// than any of the four prepositions. So only the tense is open: known if the
// time came first, and a guess if it comes last.
#[test]
fn after_a_phrase_the_left_side_tells_all_but_the_time() {
    let log = include_str!("../../src/logs/gaps-causal.tsv");
    let share = |form: &str, time: &str| {
        let rows =
            log.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let rows = rows.filter(|row| {
            [row[3], row[4], row[5], row[7]] == ["test", form, "verb", time]
        });
        let sum = |(a, b): (f64, f64), row: Vec<&str>| {
            let [right, of]: [f64; 2] =
                [8, 9].map(|i| row[i].parse().unwrap());
            (a + right, b + of)
        };
        let (right, of) = rows.fold((0.0, 0.0), sum);
        right / of
    };
    for form in ["phrase before", "phrase", "two phrases", "clause"] {
        assert!(share(form, "first") > 0.99);
        assert!((0.4..0.6).contains(&share(form, "last")));
    }
    assert!(share("plain", "first") < 0.6 && share("plain", "last") < 0.1);
}
