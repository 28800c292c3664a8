//! Exercises of the chapter on the loop with its threads.

#[cfg(test)]
#[path = "checks/loop.rs"]
mod check;

// Exercise 2

/// How many sentences each part of a batch gets, if all parts shall have about
/// equally many tokens. `tokens` says how many each sentence has. They are cut
/// in this order: the first part gets the first sentences.
pub fn share_out(tokens: &[usize], parts: usize) -> Vec<usize> {
    todo!("no part is further from its share than the longest sentence")
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
