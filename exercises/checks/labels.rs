//! Checks the exercises of the chapter on few labels.

use super::{Tried, renumbered, reported};
use all_you_need::tensor::Matrix;

checks! {
    exercise_2: each_word_keeps_its_row,
    exercise_3: the_validation_set_chooses
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
}

fn the_validation_set_chooses() {
    let run = |rate, validation, test| Tried { rate, validation, test };
    assert_eq!(
        reported(&[run(0.1, 0.7, 0.6)]),
        (0.1, 0.6),
        "one run is the best"
    );
    assert_eq!(
        reported(&[run(0.1, 0.7, 0.6), run(0.2, 0.8, 0.9)]),
        (0.2, 0.9),
        "both sets agree"
    );
    assert_eq!(
        reported(&[
            run(0.1, 0.70, 0.74),
            run(0.2, 0.72, 0.71),
            run(0.3, 0.65, 0.70)
        ]),
        (0.2, 0.71),
        "which set may choose the rate?"
    );
}
