//! Exercises of the chapter on recurrent networks.

use all_you_need::recurrence::{Recurrent, Row};

#[cfg(test)]
#[path = "checks/recurrence.rs"]
mod check;

// Exercise 2

/// What a word does to a gated memory c: number by number, the memory becomes
/// keep · c + add. (In the chapter `keep` is the gate f, and `add` is
/// (1 − f) tanh(x U).)
#[derive(Clone, Debug)]
pub struct Step {
    pub keep: Row,
    pub add: Row,
}

/// The one step that does to a memory what these two do to it, one after the
/// other. All rows are equally long.
pub fn join(first: &Step, second: &Step) -> Step {
    todo!("put the first step's result into the second, and sort the terms")
}

// Exercise 3

/// The hidden states after each input; the one before the first is 0. There
/// is a mistake in it.
pub fn states(network: &Recurrent, inputs: &[Row]) -> Vec<Row> {
    let h = Row::zeros(network.w.ncols());
    let mut states = Vec::new();
    for x in inputs {
        let h = network.step(&h, x);
        states.push(h);
    }
    states
}
