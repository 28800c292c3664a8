use all_you_need::tasks::{TWO_CENTURIES, Task, date};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;
use std::sync::LazyLock;

fn examples(task: Task, count: usize) -> Vec<(String, String)> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    (0..count).map(|_| task.example(rng)).collect()
}

#[test]
fn a_copy_is_the_same_word() {
    for (text, answer) in examples(Task::Copy, 200) {
        assert_eq!(text, answer);
    }
}

#[test]
fn reversed_twice_is_the_same_word() {
    for (text, answer) in examples(Task::Reverse, 200) {
        assert_eq!(text, answer.chars().rev().collect::<String>());
    }
    let differ = |(text, answer): &(String, String)| text != answer;
    assert!(examples(Task::Reverse, 200).iter().all(differ));
}

#[test]
fn sorting_keeps_every_letter_and_puts_none_before_a_smaller_one() {
    for (text, answer) in examples(Task::Sort, 200) {
        assert!(answer.as_bytes().is_sorted(), "{answer}");
        let count = |word: &str| {
            ('a'..='z').map(|c| word.matches(c).count()).collect::<Vec<_>>()
        };
        assert_eq!(count(&text), count(&answer));
    }
}

#[test]
fn words_have_four_to_ten_letters_from_the_whole_alphabet() {
    let (mut lengths, mut seen) = (HashSet::new(), HashSet::new());
    for (text, _) in examples(Task::Copy, 500) {
        assert!(text.bytes().all(|byte| byte.is_ascii_lowercase()));
        lengths.insert(text.len());
        seen.extend(text.chars());
    }
    assert_eq!(lengths, (4..=10).collect());
    assert_eq!(seen.len(), 26);
}

/// Every day there is: in words and in numbers.
static CALENDAR: LazyLock<Vec<(String, String)>> =
    LazyLock::new(|| (0..TWO_CENTURIES).map(date).collect());

/// The end of a war, a step on the moon, a wall that fell: one can look them
/// up.
#[test]
fn known_days_have_their_weekdays() {
    for (iso, text) in [
        ("1900-01-01", "monday 1 january 1900"),
        ("1945-05-08", "tuesday 8 may 1945"),
        ("1969-07-20", "sunday 20 july 1969"),
        ("1984-03-06", "tuesday 6 march 1984"),
        ("1989-11-09", "thursday 9 november 1989"),
        ("2000-01-01", "saturday 1 january 2000"),
        ("2000-02-29", "tuesday 29 february 2000"),
        ("2099-12-31", "thursday 31 december 2099"),
    ] {
        let found = CALENDAR.iter().find(|(_, numbers)| numbers == iso);
        assert_eq!(found.expect("a day").0, text);
    }
}

#[test]
fn the_year_2000_had_a_leap_day_and_1900_had_none() {
    let all: HashSet<&str> =
        CALENDAR.iter().map(|(_, numbers)| &**numbers).collect();
    let leap = |year: usize| all.contains(&*format!("{year}-02-29"));
    assert!(!leap(1900) && leap(1904) && leap(2000) && leap(2096));
    assert!(!leap(1999) && !leap(2001) && !leap(2098));
    assert_eq!((1900..2100).filter(|&year| leap(year)).count(), 49);
    // No day twice, none left out, and no 31st where there are 30.
    assert_eq!(all.len(), TWO_CENTURIES);
    for month in ["04", "06", "09", "11"] {
        assert!(all.contains(&*format!("2001-{month}-30")));
        assert!(!all.contains(&*format!("2001-{month}-31")));
    }
    assert!(!all.contains("2001-02-30"));
}

#[test]
fn the_two_centuries_end_with_the_last_of_december() {
    assert_eq!(date(TWO_CENTURIES - 1).1, "2099-12-31");
    assert_eq!(date(TWO_CENTURIES).1, "2100-01-01");
}

#[test]
fn dates_are_drawn_from_both_centuries() {
    let dates = examples(Task::Dates, 2000);
    let early = dates.iter().filter(|(_, iso)| iso.starts_with("19")).count();
    assert!((900..1100).contains(&early), "{early}");
    let valid: HashSet<_> = CALENDAR.iter().collect();
    assert!(dates.iter().all(|date| valid.contains(date)));
}

#[test]
fn the_same_seed_gives_the_same_examples() {
    for task in Task::ALL {
        assert_eq!(examples(task, 20), examples(task, 20));
    }
}

#[test]
fn every_task_is_found_by_its_name() {
    for task in Task::ALL {
        assert_eq!(task.name().parse::<Task>().unwrap(), task);
    }
    let error = "rotate".parse::<Task>().unwrap_err().to_string();
    assert_eq!(error, "no task rotate; there are copy, reverse, sort, dates");
}
