//! Checks the exercises of the chapter on training.

use super::{order, stopped_early};
use std::collections::HashSet;

checks! {
    exercise_2: the_lowest_loss_before_patience_ends_is_found,
    exercise_4: no_two_epochs_of_any_runs_are_equal
}

fn the_lowest_loss_before_patience_ends_is_found() {
    let hint = "the losses fall to the end: use the last model";
    assert_eq!(stopped_early(&[3.0, 2.0, 1.0], 2), 2, "{hint}");
    let hint = "two losses in a row are not lower than the 1.0";
    assert_eq!(stopped_early(&[3.0, 1.0, 1.5, 2.0], 2), 1, "{hint}");
    let hint = "after 1.5 comes a new lowest, so it is not over";
    assert_eq!(stopped_early(&[1.0, 1.5, 0.9, 1.2, 1.1], 2), 2, "{hint}");
    let hint = "training stopped before the 0.1 was measured";
    assert_eq!(stopped_early(&[1.0, 1.5, 1.4, 0.1], 2), 0, "{hint}");
    let hint = "an equal loss is not a lower one";
    assert_eq!(stopped_early(&[1.0, 1.0, 1.0, 0.5], 2), 0, "{hint}");
}

fn no_two_epochs_of_any_runs_are_equal() {
    let mut seen = HashSet::new();
    for (seed, epoch) in [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 0)] {
        let found = order(50, seed, epoch);
        let hint = "the same seed and epoch must give the same order again";
        assert_eq!(found, order(50, seed, epoch), "{hint}");
        let hint = format!(
            "epoch {epoch} with seed {seed} has an order that another run \
             had, too. What does the generator start from?"
        );
        assert!(seen.insert(found), "{hint}");
    }
}
