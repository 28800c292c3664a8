//! Four small tasks to learn, each with as many examples as you like.
//!
//! ```
//! use all_you_need::tasks::Task;
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let (text, answer) = Task::Reverse.example(&mut rng);
//! assert!(text.chars().eq(answer.chars().rev()));
//! ```

use rand::{Rng, RngExt};
use std::str::FromStr;
use thiserror::Error;

/// What is to be done with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The same text again.
    Copy,
    /// The text from its end to its beginning.
    Reverse,
    /// Its letters in the order of the alphabet.
    Sort,
    /// A date in words becomes one in numbers: tuesday 6 march 1984,
    /// 1984-03-06.
    Dates,
}

impl Task {
    /// All four tasks.
    pub const ALL: [Self; 4] =
        [Self::Copy, Self::Reverse, Self::Sort, Self::Dates];

    /// The name of this task.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Reverse => "reverse",
            Self::Sort => "sort",
            Self::Dates => "dates",
        }
    }

    /// A random text, and the right answer.
    pub fn example(self, rng: &mut impl Rng) -> (String, String) {
        match self {
            Self::Copy => letters(rng, |_| ()),
            Self::Reverse => letters(rng, <[char]>::reverse),
            Self::Sort => letters(rng, <[char]>::sort_unstable),
            Self::Dates => date(rng.random_range(0..TWO_CENTURIES)),
        }
    }
}

/// A name that no task has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no task {name}; there are {}", Task::ALL.map(Task::name).join(", "))]
#[non_exhaustive]
pub struct UnknownTask {
    /// The name.
    pub name: String,
}

impl FromStr for Task {
    type Err = UnknownTask;

    fn from_str(name: &str) -> Result<Self, UnknownTask> {
        let task = Self::ALL.into_iter().find(|task| task.name() == name);
        task.ok_or_else(|| UnknownTask { name: name.to_owned() })
    }
}

/// Four to ten letters, before a change and after it.
fn letters(rng: &mut impl Rng, change: fn(&mut [char])) -> (String, String) {
    let length = rng.random_range(4..=10);
    let random = (0..length).map(|_| rng.random_range('a'..='z'));
    let mut letters: Vec<char> = random.collect();
    let text = letters.iter().collect();
    change(&mut letters);
    (text, letters.iter().collect())
}

pub(crate) const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

const MONTHS: [(&str, usize); 12] = [
    ("january", 31),
    ("february", 28),
    ("march", 31),
    ("april", 30),
    ("may", 31),
    ("june", 30),
    ("july", 31),
    ("august", 31),
    ("september", 30),
    ("october", 31),
    ("november", 30),
    ("december", 31),
];

/// The number of days from 1900 to 2099, with 49 leap years.
pub const TWO_CENTURIES: usize = 200 * 365 + 49;

/// Whether a year has 29 February.
fn is_leap(year: usize) -> bool {
    year.is_multiple_of(4)
        && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// How many days a month has; months are counted from 0.
fn days(year: usize, month: usize) -> usize {
    MONTHS[month].1 + usize::from(is_leap(year) && month == 1)
}

/// A day in words and in numbers. Day 0 is 1 January 1900, a Monday.
///
/// ```
/// let (text, numbers) = all_you_need::tasks::date(1);
/// assert_eq!(text, "tuesday 2 january 1900");
/// assert_eq!(numbers, "1900-01-02");
/// ```
pub fn date(mut day: usize) -> (String, String) {
    let weekday = WEEKDAYS[day % 7];
    let (mut year, mut month) = (1900, 0);
    while day >= 365 + usize::from(is_leap(year)) {
        day -= 365 + usize::from(is_leap(year));
        year += 1;
    }
    while day >= days(year, month) {
        day -= days(year, month);
        month += 1;
    }
    let (day, name) = (day + 1, MONTHS[month].0);
    let text = format!("{weekday} {day} {name} {year}");
    (text, format!("{year}-{:02}-{day:02}", month + 1))
}
