//! Checks the exercises of the chapter on writing.

use super::{count_all, overlapping};
use all_you_need::tokens::Token;

checks! {
    exercise_2: every_answer_counts_once,
    exercise_3: every_context_is_counted
}

fn every_answer_counts_once() {
    let text: Vec<Token> = (0..5).collect();
    let found = overlapping(&text, 4);
    assert_eq!(
        found,
        [(text.clone(), 4)],
        "five tokens are one piece with four answers, and all of them count"
    );
    let text: Vec<Token> = (0..9).collect();
    let found = overlapping(&text, 4);
    let pieces: Vec<_> = found.iter().map(|(piece, _)| &piece[..]).collect();
    assert_eq!(
        pieces,
        [&text[..5], &text[2..7], &text[4..]],
        "a piece has one token more than answers, and the next begins half \
         of the answers later"
    );
    let counted: Vec<usize> = found.iter().map(|(_, n)| *n).collect();
    assert_eq!(counted, [4, 2, 2], "which answers has the piece before?");
    for length in [2, 6, 10] {
        let text: Vec<Token> = (0..41).collect();
        let found = overlapping(&text, length);
        let answers = found.iter().flat_map(|(piece, n)| {
            let first = piece.len() - n;
            piece[first..].to_vec()
        });
        let answers: Vec<Token> = answers.collect();
        let last = answers.len();
        assert_eq!(answers, text[1..=last], "each answer counts once");
    }
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
