//! Checks the exercises of the chapter on counting.

use super::{count_all, most_welcome};
use all_you_need::tokens::Token;

checks! {
    exercise_2: each_pair_counts_once,
    exercise_3: every_context_is_counted
}

fn each_pair_counts_once() {
    let hint = "1 follows 0 and 2, and 0 and 2 follow only 1";
    let found = most_welcome(&[0, 1, 2, 1, 0]);
    assert_eq!(found, [(1, 2), (0, 1), (2, 1)], "{hint}");
    let hint = "4 comes three times, always after 3";
    let found = most_welcome(&[3, 4, 3, 4, 3, 4]);
    assert_eq!(found, [(3, 1), (4, 1)], "{hint}");
    let hint = "the first word of a text has none before it";
    assert_eq!(most_welcome(&[7, 8]), [(8, 1)], "{hint}");
    let hint = "a word may follow itself, and more words come first";
    let found = most_welcome(&[5, 5, 6, 5, 9, 5]);
    assert_eq!(found, [(5, 3), (6, 1), (9, 1)], "{hint}");
}

fn every_context_is_counted() {
    // 1 2 three times, each time followed by 3.
    let text = [1, 2, 3, 1, 2, 3, 1, 2, 3];
    let counts = count_all(&text, 2);
    let three = |context: &[Token]| counts[context].get(&3).copied();
    assert_eq!(three(&[1, 2]), Some(3), "3 came three times after 1 2");
    assert_eq!(
        three(&[2]),
        Some(3),
        "and so it came three times after 2. When is the shorter context \
         not reached?"
    );
    assert_eq!(three(&[]), Some(3), "and three times anywhere");
}
