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
    for _ in 0..6000 {
        let read = hide_as_bert(&text, &places, 12, rng);
        assert_eq!(read.len(), text.len(), "no token is lost");
        for place in [0, 2, 4] {
            assert_eq!(read[place], 7, "place {place} was not chosen");
        }
        for place in places {
            match read[place] {
                GAP => gaps += 1,
                7 => same += 1,
                other => words[other as usize] += 1,
            }
        }
    }
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
    let all = hide_as_bert(&text, &[], 12, rng);
    assert_eq!(all, text, "no place, no change");
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
