//! Checks the exercises of the chapter on millions of pairs.

use super::{beginnings, line, order};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::io::Cursor;

checks! {
    exercise_2: every_line_is_found,
    exercise_3: an_epoch_has_each_example_once
}

/// Where the lines begin, and all lines from the last to the first.
fn found(text: &str) -> (Vec<u64>, Vec<String>) {
    let begin = beginnings(&mut text.as_bytes()).expect("no error");
    let mut text = Cursor::new(text);
    let line = |i| line(&mut text, &begin, i).expect("no error");
    let lines = (0..begin.len()).rev().map(line).collect();
    (begin, lines)
}

fn every_line_is_found() {
    let hint = "a text without lines has no beginnings";
    assert_eq!(found(""), (vec![], vec![]), "{hint}");
    let hint = "one line begins at byte 0";
    assert_eq!(found("one\n").0, [0], "{hint}");
    let hint = "what ends a line does not belong to it";
    assert_eq!(found("one\n").1, ["one"], "{hint}");
    let hint = "the second line begins after the four bytes of the first, \
                and nothing begins at the end of the text";
    assert_eq!(found("one\ntwo\n").0, [0, 4], "{hint}");
    let hint = "does each line start at its own beginning, whichever was \
                read before?";
    assert_eq!(
        found("one\ntwo\nthree\n").1,
        ["three", "two", "one"],
        "{hint}"
    );
    let hint = "the last line may lack its end";
    assert_eq!(found("one\ntwo").1, ["two", "one"], "{hint}");
    let hint = "ä has two bytes, and an empty line has one";
    assert_eq!(found("ä\n\nb\n").0, [0, 3, 4], "{hint}");
    assert_eq!(found("ä\n\nb\n").1, ["b", "", "ä"], "{hint}");
}

fn an_epoch_has_each_example_once() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let hint = "a single example has only one order";
    assert_eq!(order(1, rng), [0], "{hint}");
    let (one, mut other) = (order(1000, rng), order(1000, rng));
    let hint = "two epochs should have different orders";
    assert_ne!(one, other, "{hint}");
    let hint = "sorted, an order should be 0, 1, 2 and so on. How often does \
                each number come?";
    other.sort_unstable();
    assert!(other.into_iter().eq(0..1000), "{hint}");
}
