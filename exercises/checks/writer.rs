//! Checks the exercises of the chapter on writing.

use super::{draw, overlapping};
use all_you_need::tokens::Token;

checks! {
    exercise_2: every_answer_counts_once,
    exercise_3: each_token_has_its_share
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

fn each_token_has_its_share() {
    assert_eq!(draw(&[1.0], 0.9), 0, "a token alone is always drawn");
    let shares = [0.5, 0.2, 0.3];
    for (u, token) in [(0.0, 0), (0.49, 0), (0.51, 1), (0.69, 1), (0.71, 2)] {
        let found = draw(&shares, u);
        assert_eq!(
            found, token,
            "of the shares 0.5, 0.2 and 0.3, the chance {u} is in that of \
             token {token}. Where does the part of a token begin?"
        );
    }
    assert_eq!(draw(&[0.0, 1.0], 0.0), 1, "a share of 0 is never drawn");
    let hint = "if rounding leaves a gap at the end, it is the last token's";
    assert_eq!(draw(&[0.5, 0.499_999], 0.999_999_9), 1, "{hint}");
}
