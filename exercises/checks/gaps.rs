//! Checks the exercises of the chapter on gaps.

use super::{gap_rows, hide_as_bert};
use all_you_need::gaps::GAP;
use all_you_need::tokens::Token;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: three_things_happen_to_a_place,
    exercise_3: rows_of_later_texts_come_later
}

fn three_things_happen_to_a_place() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let (text, places): (Vec<Token>, _) = (vec![7; 5], [1, 3]);
    let (mut gaps, mut same, mut words) = (0, 0, [0; 12]);
    let mut apart = 0;
    for _ in 0..6000 {
        let read = hide_as_bert(&text, &places, 12, rng);
        assert_eq!(read.len(), text.len(), "no token is lost");
        for place in [0, 2, 4] {
            assert_eq!(read[place], 7, "place {place} was not chosen");
        }
        apart += usize::from((read[1] == GAP) != (read[3] == GAP));
        for place in places {
            match read[place] {
                GAP => gaps += 1,
                7 => same += 1,
                other @ 1..12 => words[other as usize] += 1,
                other => panic!(
                    "token {other} was drawn, and the vocabulary ends \
                     before 12"
                ),
            }
        }
    }
    // One of two is a gap and the other not: 2 · 0.8 · 0.2.
    let apart = apart as f64 / 6000.0;
    assert!(
        (0.29..0.35).contains(&apart),
        "in {apart:.3} of the texts one of two places is a gap and the other \
         not; that should be 0.32, with a draw for each place"
    );
    let share = |n: usize| n as f64 / 12_000.0;
    assert!(
        (0.78..0.82).contains(&share(gaps)),
        "gaps are {:.3} of the places, not 0.8",
        share(gaps)
    );
    // A random word can be the word that was there.
    let kept = 0.1 + 0.1 / 11.0;
    assert!(
        (kept - 0.02..kept + 0.02).contains(&share(same)),
        "{:.3} of the places keep their word, and not {kept:.3}",
        share(same)
    );
    let missing = (1..12).find(|&word| word != 7 && words[word] == 0);
    assert_eq!(missing, None, "every word but the gap can be drawn");
    only_one_word_is_there(rng);
    let all = hide_as_bert(&text, &[], 12, rng);
    assert_eq!(all, text, "no place, no change");
}

/// With one word besides the gap, the random word is that one.
fn only_one_word_is_there(rng: &mut ChaCha8Rng) {
    let draws = 40_000;
    let read = |_| hide_as_bert(&[1], &[0], 2, rng)[0];
    let gaps = (0..draws).map(read).filter(|token| *token == GAP).count();
    let share = gaps as f64 / draws as f64;
    assert!(
        (0.79..0.81).contains(&share),
        "with a vocabulary of the gap and one word, gaps are {share:.3} of \
         the places, not 0.8: the random word must not be the gap"
    );
}

fn rows_of_later_texts_come_later() {
    let rows = gap_rows(&[vec![5, GAP, 6], vec![GAP]]);
    assert_eq!(
        rows,
        [1, 3],
        "the first text has rows 0 to 2, so the second begins with row 3"
    );
    let rows = gap_rows(&[vec![5], vec![GAP, 4, GAP], vec![3, GAP]]);
    assert_eq!(rows, [1, 3, 5], "texts before count with all their tokens");
}
