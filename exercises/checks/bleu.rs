//! Checks the exercises of the chapter on scores.

use super::{chrf, matches};
use crate::expect::expect;
use all_you_need::tokens::words;
use nalgebra::dmatrix;

checks! {
    exercise_3: letters_are_matched_in_both_directions,
    exercise_4: no_n_gram_matches_more_often_than_it_occurs
}

fn letters_are_matched_in_both_directions() {
    let check = |hypothesis, reference, expected, hint| {
        let found = dmatrix![chrf(hypothesis, reference)];
        expect(&found, &dmatrix![expected], hint);
    };
    check("a", "a", 100.0, "a letter, and n = 1 only");
    check("a", "b", 0.0, "nothing matches");
    // n = 1: 2 of 3. n = 2: 1 of 2. n = 3: 0 of 1.
    let third = 100.0 * (2.0 / 3.0 + 1.0 / 2.0) / 3.0;
    let hint = "abc and abd: precision and recall are the same, the mean of \
                2/3, 1/2 and 0";
    check("abc", "abd", third, hint);
    // n = 1: 2 of 2 and 2 of 4. n = 2: 1 of 1 and 1 of 3.
    let recall = (1.0 / 2.0 + 1.0 / 3.0) / 2.0;
    let expected = 100.0 * 5.0 * recall / (4.0 + recall);
    let hint = "ab and abab: the precision is 1, the recall the mean of 1/2 \
                and 1/3";
    check("ab", "abab", expected, hint);
    let hint = "aaaa and aab: no run counts more often than the other text \
                has it";
    // n = 1: 2 of 4 and 2 of 3. n = 2: 1 of 3 and 1 of 2. n = 3: 0.
    let precision = (2.0 / 4.0 + 1.0 / 3.0) / 3.0;
    let recall = (2.0 / 3.0 + 1.0 / 2.0) / 3.0;
    let expected = 500.0 * precision * recall / (4.0 * precision + recall);
    check("aaaa", "aab", expected, hint);
    // Only the runs with the last letter differ, one for each n.
    let six =
        (5.0 / 6.0 + 4.0 / 5.0 + 3.0 / 4.0 + 2.0 / 3.0 + 1.0 / 2.0) / 6.0;
    let hint = "abcdef and abcdex: n goes to 6, where nothing matches";
    check("abcdef", "abcdex", 100.0 * six, hint);
    // n = 1: 2 of 3. n = 2 and 3: 0.
    let hint = "für and fur: ü is one letter, although it has two bytes";
    check("für", "fur", 100.0 * (2.0 / 3.0) / 3.0, hint);
    check("ab c", "a bc", 100.0, "spaces are left out");
    check("", "abc", 0.0, "an empty hypothesis is not NaN");
}

fn no_n_gram_matches_more_often_than_it_occurs() {
    let of = |hypothesis: &str, reference: &str, n| {
        matches(&words(hypothesis), &words(reference), n)
    };
    let fence = "the cat jumped over the fence";
    assert_eq!(of(fence, fence, 1), 6, "the same six words");
    assert_eq!(of(fence, "a dog", 1), 0, "nothing in common");
    let hint = "the reference has `the` twice, and the hypothesis six times";
    assert_eq!(of("the the the the the the", fence, 1), 2, "{hint}");
    let hint = "the hypothesis has a single `the`. How often can it match?";
    assert_eq!(of("the cat", fence, 1), 2, "{hint}");
    assert_eq!(of("the cat jumped over a fence", fence, 2), 3, "pairs");
}
