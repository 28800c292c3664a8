use all_you_need::recurrence::{Gated, Row};
use nalgebra::DMatrix;

#[path = "../../exercises/checks/recurrence.rs"]
mod check;

// Exercise 1
//
// The gate must keep 99.3 % at each word, because $0.9931^{100}$ is a half.
// That takes $b = \ln(f / (1 - f))$, which is 4.97; with $b = 1$ a gate keeps 73 %,
// and after three words less than half is left.
#[test]
fn half_of_a_word_after_a_hundred() {
    let f = 0.5f64.powf(0.01);
    let bias = (f / (1.0 - f)).ln();
    assert!((f - 0.9931).abs() < 1e-4 && (bias - 4.97).abs() < 1e-2);
    let (u, deaf) = (DMatrix::zeros(1, 1), DMatrix::zeros(1, 1));
    let memory = Gated { u, f: deaf, bias };
    let kept = memory.gate_product(&vec![Row::zeros(1); 100]);
    assert!((kept[0] - 0.5).abs() < 1e-12);
}

// Exercise 2
//
// The second step makes $f_2 (f_1 c + g_1) + g_2$ of a memory $c$, which is
// $f_2 f_1 c + (f_2 g_1 + g_2)$, a step of the same kind. So a hundred words
// do not need a hundred rounds. After seven
// rounds each step has joined all words up to its own. With a tanh around
// the memory, two steps do not make one.

/// What a word does to a gated memory: keep · c + add.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub keep: f64,
    pub add: f64,
}

/// The one step that does to a memory what these two do to it.
pub fn join(first: &Step, second: &Step) -> Step {
    Step {
        keep: second.keep * first.keep,
        add: second.keep * first.add + second.add,
    }
}

// Exercise 3
//
// `let` in the loop makes a second `h`, which is gone at the end of each
// round, so every word met a memory of 0. Without `let` the loop changes
// the `h` that is there.

/// The memory after each word; before the first it is 0.
pub fn states(words: &[f64]) -> Vec<f64> {
    let mut h = 0.0f64;
    let mut states = Vec::new();
    for x in words {
        h = (0.5 * h + x).tanh();
        states.push(h);
    }
    states
}
