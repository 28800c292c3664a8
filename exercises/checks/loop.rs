//! Checks the exercises of the chapter on the loop with its threads.

use super::{remaining, sum};

checks! {
    exercise_2: halves_are_added,
    exercise_3: a_run_goes_on_with_the_batches_that_are_left
}

/// Above this, an `f32` has no odd numbers.
const LARGE: f32 = 16_777_216.0;

fn halves_are_added() {
    assert_eq!(sum(&[3.0]), 3.0, "one part");
    assert_eq!(sum(&[3.0, 4.0]), 7.0, "two parts");
    let hint = "(2²⁴ + 1) + (1 + 1): the first 1 is lost, the other two \
                are a 2";
    assert_eq!(sum(&[LARGE, 1.0, 1.0, 1.0]), LARGE + 2.0, "{hint}");
    let hint = "of three parts two are in the first half: (2²⁴ + 1) + 1";
    assert_eq!(sum(&[LARGE, 1.0, 1.0]), LARGE, "{hint}");
    let hint = "of five, three are in the first half: ((1 + 1) + 2²⁴) + \
                (1 + 1)";
    let parts = [1.0, 1.0, LARGE, 1.0, 1.0];
    assert_eq!(sum(&parts), LARGE + 4.0, "{hint}");
}

fn a_run_goes_on_with_the_batches_that_are_left() {
    let batches = || [7, 3, 5, 9, 2].into_iter().cycle();
    let whole = remaining(batches(), 0, 4);
    assert_eq!(
        whole,
        [(1, 7), (2, 3), (3, 5), (4, 9)],
        "a run from its start"
    );
    let hint = "update 3 has the third batch, whether the run was \
                interrupted before it or not";
    assert_eq!(remaining(batches(), 2, 4), whole[2..], "{hint}");
    let hint = "a run that has made all updates makes none";
    assert!(remaining(batches(), 4, 4).is_empty(), "{hint}");
}
