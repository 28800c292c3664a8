//! Checks the exercises of the chapter on small tasks.

use super::{Pair, next_letters, split};
use all_you_need::tasks::Task;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: every_letter_becomes_the_next,
    exercise_4: what_is_tested_was_not_learned
}

fn every_letter_becomes_the_next() {
    assert_eq!(next_letters("a"), "b", "a single letter");
    assert_eq!(next_letters("hal"), "ibm", "three letters");
    assert_eq!(next_letters("jazz"), "kbaa", "after z comes a again");
}

fn examples(task: Task) -> Vec<Pair> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    (0..2000).map(|_| task.example(rng)).collect()
}

fn what_is_tested_was_not_learned() {
    for task in [Task::Reverse, Task::Dates] {
        let all = examples(task);
        let (test, training) = split(&all, 200);
        let name = task.name();
        assert_eq!(test, all[..200], "{name}: the first ones are the test");
        let known = test.iter().filter(|pair| training.contains(pair));
        let hint = format!(
            "{name}: some of the examples to test with are also among \
             those to learn from. A list can have the same example twice"
        );
        assert_eq!(known.count(), 0, "{hint}");
        let left = all.iter().filter(|pair| !test.contains(pair));
        let hint = "everything else is there to learn from";
        assert!(left.eq(&training), "{name}: {hint}");
    }
}
