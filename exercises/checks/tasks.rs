//! Checks the exercises of the chapter on small tasks.

use super::{places, set_apart};
use all_you_need::tasks::{Task, date};
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: the_letters_of_the_answer_are_there,
    exercise_4: nothing_is_tested_that_was_trained_on
}

fn the_letters_of_the_answer_are_there() {
    assert_eq!(places(Task::Copy, "cab"), [0, 1, 2], "copy");
    assert_eq!(places(Task::Reverse, "cab"), [2, 1, 0], "reverse");
    let hint = "sorted, cab is abc. Where in cab is the a?";
    assert_eq!(places(Task::Sort, "cab"), [1, 2, 0], "{hint}");
    let hint = "two a's: the left one first";
    assert_eq!(places(Task::Sort, "baca"), [1, 3, 0, 2], "{hint}");
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    for task in [Task::Copy, Task::Reverse, Task::Sort] {
        let (text, answer) = task.example(rng);
        let letters: Vec<char> = text.chars().collect();
        let found = places(task, &text).into_iter().map(|i| letters[i]);
        assert!(answer.chars().eq(found), "{text}, {}", task.name());
    }
}

fn nothing_is_tested_that_was_trained_on() {
    let dates = |days: &[usize]| -> Vec<_> {
        days.iter().map(|&day| date(day)).collect()
    };
    let (training, test) = set_apart(dates(&[1, 2, 3, 4, 5]), 2);
    assert_eq!(test, dates(&[4, 5]), "the last two are for testing");
    assert_eq!(training, dates(&[1, 2, 3]), "the others are for training");
    let twice = dates(&[1, 5, 3, 4, 5]);
    let hint = "the same day was typed twice. Would a test with it show what \
                the model has understood?";
    assert_eq!(set_apart(twice.clone(), 2).0, dates(&[1, 3]), "{hint}");
    type Typed = (&'static str, fn(&str) -> String);
    let typed: [Typed; 3] = [
        ("a capital letter", str::to_uppercase),
        ("a space at the end", |text| format!("{text} ")),
        ("two spaces in place of one", |text| text.replace(' ', "  ")),
    ];
    for (what, typed) in typed {
        let mut twice = twice.clone();
        twice[1].0 = typed(&twice[1].0);
        let (training, test) = set_apart(twice, 2);
        assert_eq!(test, dates(&[4, 5]), "the last two are for testing");
        let hint = "is all that makes a date of the training differ from one \
                    of the test";
        assert_eq!(training, dates(&[1, 3]), "{what} {hint}");
    }
}
