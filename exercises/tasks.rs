//! Exercises of the chapter on small tasks.

use all_you_need::tasks::Task;
use std::collections::HashSet;

#[cfg(test)]
#[path = "checks/tasks.rs"]
mod check;

// Exercise 3

/// Where each letter of the answer comes from: its place in `text`, counted
/// from 0. Of equal letters the left one is written first. The dates are left
/// out.
pub fn places(task: Task, text: &str) -> Vec<usize> {
    todo!("one place for each letter of the answer")
}

// Exercise 4

/// A text and the right answer.
pub type Pair = (String, String);

/// Sets the last `held_out` examples apart: first those to train on, then
/// those to test with. There is a mistake in it.
pub fn set_apart(
    mut examples: Vec<Pair>,
    held_out: usize,
) -> (Vec<Pair>, Vec<Pair>) {
    let test = examples.split_off(examples.len() - held_out);
    let seen: HashSet<&Pair> = test.iter().collect();
    examples.retain(|example| !seen.contains(example));
    (examples, test)
}
