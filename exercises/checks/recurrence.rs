//! Checks the exercises of the chapter on recurrent networks.

use super::{Step, join, states};
use crate::expect::expect;
use all_you_need::recurrence::{Gated, Recurrent, Row};
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: two_steps_are_one,
    exercise_3: each_state_needs_the_one_before
}

fn matrix(row: &Row) -> Matrix {
    Matrix::from_row_slice(1, row.len(), row.as_slice())
}

fn step(keep: f64, add: f64) -> Step {
    let [keep, add] = [keep, add].map(|x| Row::from_element(1, x));
    Step { keep, add }
}

fn two_steps_are_one() {
    let both = join(&step(0.5, 1.0), &step(0.1, 2.0));
    let hint = "½ c + 1, and then a tenth of that. What part of c is left?";
    expect(&matrix(&both.keep), &dmatrix![0.05], hint);
    let hint = "½ c + 1, and then a tenth of that, plus 2. What is added to \
                what is left of c?";
    expect(&matrix(&both.add), &dmatrix![2.1], hint);

    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let memory = Gated {
        u: rng.uniform(4, 3, 1.0),
        f: rng.uniform(4, 3, 1.0),
        bias: 1.0,
    };
    let words: Matrix = rng.uniform(100, 4, 1.0);
    let words: Vec<Row> = words.row_iter().map(|x| x.into_owned()).collect();
    let one = |x: &Row| {
        let (keep, news) = (memory.gate(x), (x * &memory.u).map(f64::tanh));
        let add = keep.map(|f| 1.0 - f).component_mul(&news);
        Step { keep, add }
    };
    // Each step takes in the one before, then the one two before, four
    // before: in each round all of them together.
    let mut steps: Vec<Step> = words.iter().map(one).collect();
    let mut apart = 1;
    while apart < steps.len() {
        let joined = |t: usize| match t.checked_sub(apart) {
            Some(before) => join(&steps[before], &steps[t]),
            None => steps[t].clone(),
        };
        steps = (0..steps.len()).map(joined).collect();
        apart *= 2;
    }
    let last = memory.memories(&words).pop().expect("a hundred memories");
    let hint = "a hundred words, joined in seven rounds";
    expect(&matrix(&steps[99].add), &matrix(&last), hint);
}

fn each_state_needs_the_one_before() {
    let network = Recurrent { w: dmatrix![0.5], u: dmatrix![1.0] };
    let words = [0.8, 0.3].map(|x| Row::from_element(1, x));
    let found = states(&network, &words);
    assert_eq!(found.len(), 2, "a state for each word");
    let hint = "after the first word: tanh(0.8)";
    expect(&matrix(&found[0]), &dmatrix![0.8f64.tanh()], hint);
    let hint = "after the second word: tanh(½ · 0.66 + 0.3). Which memory \
                does `step` get?";
    let second = (0.5 * 0.8f64.tanh() + 0.3).tanh();
    expect(&matrix(&found[1]), &dmatrix![second], hint);
}
