//! Checks the exercises of the chapter on few labels.

use super::{renumbered, to_fill};
use all_you_need::tensor::Matrix;

checks! {
    exercise_3: each_word_keeps_its_row,
    exercise_4: no_review_of_the_test_is_read
}

fn each_word_keeps_its_row() {
    let old = ["[gap]", "good", "the", "bad"];
    let table = Matrix::from_fn(4, 2, |i, j| (10 * i + j) as f64);
    let first = |new: &[&str]| -> Vec<f64> {
        let renumbered = renumbered(&table, &old, new);
        assert_eq!(renumbered.shape(), (new.len(), 2), "a row for each word");
        let second = renumbered.column(1).add_scalar(-1.0);
        assert_eq!(renumbered.column(0), second, "take whole rows");
        renumbered.column(0).iter().copied().collect()
    };
    assert_eq!(first(&old), [0.0, 10.0, 20.0, 30.0], "nothing has moved");
    let without = first(&["good", "the", "bad"]);
    assert_eq!(without, [10.0, 20.0, 30.0], "only the gap is gone");
    let sorted = first(&["bad", "good", "the"]);
    assert_eq!(sorted, [30.0, 10.0, 20.0], "look for the word itself");
    let with_a_new_one = first(&["good", "fine"]);
    assert_eq!(with_a_new_one, [10.0, 15.0], "the mean for an unknown word");
}

fn no_review_of_the_test_is_read() {
    let reviews = ["the film was good", "the plot was dull", "it was good"];
    let filled = ["the film was ___", "the plot was ___", "it was ___"];
    assert_eq!(to_fill(&reviews, &[]), filled, "a gap for each last word");
    let other = to_fill(&reviews, &["the music was good"]);
    assert_eq!(other, filled, "only what is in the test is left out");
    assert_eq!(
        to_fill(&reviews, &["the plot was dull"]),
        [filled[0], filled[2]],
        "is a text with a gap ever a review of the test?"
    );
}
