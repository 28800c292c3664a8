//! Checks the exercises of the chapter on recurrent networks.

use super::{Step, join, states};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: two_steps_are_one,
    exercise_3: each_state_needs_the_one_before
}

#[track_caller]
fn expect(found: f64, expected: f64, hint: &str) {
    let near = (found - expected).abs() <= 1e-9;
    assert!(near, "{hint}\nfound: {found}, expected: {expected}");
}

fn two_steps_are_one() {
    let half = Step { keep: 0.5, add: 1.0 };
    let both = join(&half, &Step { keep: 0.1, add: 2.0 });
    let hint = "½ c + 1, and then a tenth of that. What part of c is left?";
    expect(both.keep, 0.05, hint);
    let hint = "½ c + 1, and then a tenth of that, plus 2. What is added to \
                what is left of c?";
    expect(both.add, 2.1, hint);

    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let mut word = || {
        let (keep, new) = (rng.random::<f64>(), rng.random_range(-1.0..1.0));
        Step { keep, add: (1.0 - keep) * new }
    };
    let words: Vec<Step> = (0..100).map(|_| word()).collect();
    // Each step takes in the one before, then the one two before, four
    // before: in each round all of them together.
    let mut steps = words.clone();
    let mut apart = 1;
    while apart < steps.len() {
        let joined = |t: usize| match t.checked_sub(apart) {
            Some(before) => join(&steps[before], &steps[t]),
            None => steps[t],
        };
        steps = (0..steps.len()).map(joined).collect();
        apart *= 2;
    }
    let last = words.iter().fold(0.0, |c, step| step.keep * c + step.add);
    let hint = "a hundred words, joined in seven rounds";
    expect(steps[99].add, last, hint);
}

fn each_state_needs_the_one_before() {
    let found = states(&[0.8, 0.3]);
    assert_eq!(found.len(), 2, "a state for each word");
    expect(found[0], 0.8f64.tanh(), "after the first word: tanh(0.8)");
    let hint = "after the second word: tanh(½ · 0.66 + 0.3). Which memory \
                does the second word meet?";
    expect(found[1], (0.5 * 0.8f64.tanh() + 0.3).tanh(), hint);
}
