//! Exercises of the chapter on recurrent networks.

#[cfg(test)]
#[path = "checks/recurrence.rs"]
mod check;

// Exercise 2

/// What a word does to a gated memory c: the memory becomes keep · c + add.
/// (In the chapter `keep` is the gate f, and `add` is (1 − f) times what is
/// new.)
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub keep: f64,
    pub add: f64,
}

/// The one step that does to a memory what these two do to it, one after the
/// other.
pub fn join(first: &Step, second: &Step) -> Step {
    todo!("put the first step's result into the second, and sort the terms")
}

// Exercise 3

/// The memory after each word; before the first it is 0. There is a mistake
/// in it.
pub fn states(words: &[f64]) -> Vec<f64> {
    let h = 0.0f64;
    let mut states = Vec::new();
    for x in words {
        let h = (0.5 * h + x).tanh();
        states.push(h);
    }
    states
}
