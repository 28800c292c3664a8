use all_you_need::loss::perplexity;
use all_you_need::tasks::{TWO_CENTURIES, Task, date};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::{HashMap, HashSet};

fn sorted(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters
}

// Exercise 1
// To sort. Without positions *stop* and *pots* are the same to the encoder,
// and sorted they are the same word. To copy or to reverse them, one has to
// know which it was. (In a date the numbers would still be told apart from
// the names, but 12 could be 21.)
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

// Exercise 2
// A month has four or five Tuesdays, so that 1.48 nats are left, a
// perplexity of 4.4. Without the weekday it would be 3.42 nats. What is of
// no use in one task may be most of what there is in another.
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
// Where copying looks, along the diagonal. That *a* becomes *b* is a matter
// of what is done with the value, and no place tells it.
#[test]
fn the_next_letter_stands_where_its_copy_does() {
    let next = |c: char| match c {
        'z' => 'a',
        c => char::from(c as u8 + 1),
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let (text, copy) = Task::Copy.example(rng);
    let answer: String = text.chars().map(next).collect();
    for (i, (said, copied)) in answer.chars().zip(copy.chars()).enumerate() {
        assert_eq!(said, next(copied));
        assert_eq!(text.chars().nth(i), Some(copied));
    }
}
