use all_you_need::ablation::{Experiment, Switch};
use all_you_need::loss::perplexity;
use all_you_need::tasks::{TWO_CENTURIES, Task, date};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::{HashMap, HashSet};

#[path = "../../exercises/checks/tasks.rs"]
mod check;

// Exercise 1
//
// Only sorting. Without positions *stop* and *pots* are the same to the
// encoder, and sorted they are the same word, but to copy or to reverse a
// word one has to know which of the two it was. (In a date the numbers would
// still be told apart from the names, but 12 could be 21.)
//
// The second test trains such models, with the switches of the chapter on
// ablations.
fn sorted(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters
}

#[test]
fn only_sorting_needs_no_order() {
    let answers_of_one_set = |task: Task| {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut answers = HashMap::<_, HashSet<_>>::new();
        for (text, answer) in (0..20_000).map(|_| task.example(rng)) {
            answers.entry(sorted(&text)).or_default().insert(answer);
        }
        answers.values().map(HashSet::len).max()
    };
    assert_eq!(answers_of_one_set(Task::Sort), Some(1));
    assert!(answers_of_one_set(Task::Copy) > Some(1));
    assert!(answers_of_one_set(Task::Reverse) > Some(1));
}

#[test]
fn sorting_can_be_learned_without_positions() {
    let right = |task| {
        let without = [Switch::Positions].into_iter().collect();
        let mut learning = Experiment::new(task, 1, without);
        for _ in 0..250 {
            learning.step().expect("a finite loss");
        }
        learning.right()
    };
    let (sorted, copied) = (right(Task::Sort), right(Task::Copy));
    assert!(sorted > 250, "{sorted} of 500");
    assert!(copied < 25, "{copied} of 500");
}

// Exercise 2
//
// A month has four or five Tuesdays, so at best the day costs 1.48 nats, a
// perplexity of 4.4. Without the weekday it is one of about thirty days, and
// costs 3.42 nats. So in this task the weekday saves more than half of the
// nats, though in the task of the chapter it is of no use.
#[test]
fn the_weekday_helps_where_the_day_is_missing() {
    let days: Vec<_> = (0..TWO_CENTURIES).map(date).collect();
    // Whatever is told of a day, it may be any of the days so described.
    let nats = |told: Vec<String>| {
        let mut alike = HashMap::new();
        told.iter().for_each(|day| *alike.entry(day).or_insert(0) += 1);
        let surprises = told.iter().map(|day| f64::from(alike[day]).ln());
        surprises.sum::<f64>() / told.len() as f64
    };
    let month = |numbers: &str| numbers[..7].to_string();
    let weekday = |text: &str| text.split_once(' ').unwrap().0.to_string();
    let both = days.iter().map(|(text, n)| weekday(text) + &month(n));
    let with = nats(both.collect());
    let without = nats(days.iter().map(|(_, n)| month(n)).collect());
    assert!((with - 1.48).abs() < 0.005, "{with}");
    assert!((perplexity(with) - 4.37).abs() < 0.005);
    assert!((without - 3.42).abs() < 0.005, "{without}");
}

// Exercise 3
//
// We do with the places what the task does with the letters. Sorting is by
// the letter at each place, and `sort_by_key` is stable, which means that it
// leaves equal letters in their order.

/// Where each letter of the answer comes from.
pub fn places(task: Task, text: &str) -> Vec<usize> {
    let letters: Vec<char> = text.chars().collect();
    let mut places: Vec<usize> = (0..letters.len()).collect();
    match task {
        Task::Copy => {}
        Task::Reverse => places.reverse(),
        Task::Sort => places.sort_by_key(|&place| letters[place]),
        Task::Dates => unimplemented!("a month comes from many letters"),
    }
    places
}

// Exercise 4
//
// The texts are compared letter by letter, so *Monday 1 January 1900* passes
// for another date than *monday 1 january 1900*. What is compared must be the
// texts as the model sees them: here in small letters, with one space between
// words.

/// A text and the right answer.
pub type Pair = (String, String);

/// A text without what does not matter.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Sets the last `held_out` examples apart.
pub fn set_apart(
    mut examples: Vec<Pair>,
    held_out: usize,
) -> (Vec<Pair>, Vec<Pair>) {
    let test = examples.split_off(examples.len() - held_out);
    let seen: HashSet<String> = test.iter().map(|(t, _)| plain(t)).collect();
    examples.retain(|(text, _)| !seen.contains(&plain(text)));
    (examples, test)
}
