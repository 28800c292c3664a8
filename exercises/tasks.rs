//! Exercises of the chapter on small tasks.

#[cfg(test)]
#[path = "checks/tasks.rs"]
mod check;

/// A text, and the right answer.
pub type Pair = (String, String);

// Exercise 3

/// The answer of a fifth task: every letter from a to z becomes the next in
/// the alphabet, and z becomes a.
pub fn next_letters(text: &str) -> String {
    todo!("one letter of the answer for each letter of the text")
}

// Exercise 4

/// Takes `count` examples away to test with, and returns them and the others,
/// to learn from. There is a mistake in it.
pub fn split(examples: &[Pair], count: usize) -> (Vec<Pair>, Vec<Pair>) {
    let (test, training) = examples.split_at(count);
    (test.to_vec(), training.to_vec())
}
