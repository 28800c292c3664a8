//! Exercises of the chapter on the loop with its threads.

#[cfg(test)]
#[path = "checks/loop.rs"]
mod check;

// Exercise 2

/// The sum of some parts along the tree of the chapter: the sum of the first
/// half, which has one more if they are odd, plus that of the second.
pub fn sum(parts: &[f32]) -> f32 {
    todo!("a list of one part is its own sum")
}

// Exercise 3

/// The updates of a run that has made `done` of `all`, each as its number and
/// its batch. `batches` goes on for ever. There is a mistake in it.
pub fn remaining(
    batches: impl Iterator<Item = u32>,
    done: usize,
    all: usize,
) -> Vec<(usize, u32)> {
    (done + 1..=all).zip(batches).collect()
}
