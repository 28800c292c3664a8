//! Four small languages to learn, with examples without end.

use rand::{Rng, RngExt};
use std::str::FromStr;

/// What is to be done with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Say it again.
    Copy,
    /// Say it from the end.
    Reverse,
    /// Say its letters in the order of the alphabet.
    Sort,
    /// Say the day in numbers: tuesday 6 march 1984, 1984-03-06.
    Dates,
}

impl Task {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Copy, Self::Reverse, Self::Sort, Self::Dates];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Reverse => "reverse",
            Self::Sort => "sort",
            Self::Dates => "dates",
        }
    }

    /// A text, and what should become of it.
    pub fn example(self, rng: &mut impl Rng) -> (String, String) {
        match self {
            Self::Copy => letters(rng, |_| ()),
            Self::Reverse => letters(rng, <[char]>::reverse),
            Self::Sort => letters(rng, <[char]>::sort_unstable),
            Self::Dates => date(rng.random_range(0..TWO_CENTURIES)),
        }
    }
}

impl FromStr for Task {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        let task = Self::ALL.into_iter().find(|task| task.name() == name);
        task.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            anyhow::anyhow!("no task {name}; there are {names}")
        })
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

const WEEKDAYS: [&str; 7] = [
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

/// The days from 1900 to 2099, with 49 leap years: 1900 was none.
pub const TWO_CENTURIES: usize = 200 * 365 + 49;

/// How long a month is; they are counted from 0.
fn days(year: usize, month: usize) -> usize {
    let leap = year.is_multiple_of(4)
        && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    MONTHS[month].1 + usize::from(leap && month == 1)
}

/// A day in words and in numbers. Day 0 is 1 January 1900, a Monday.
pub fn date(mut day: usize) -> (String, String) {
    let weekday = WEEKDAYS[day % 7];
    let (mut year, mut month) = (1900, 0);
    while day >= days(year, month) {
        day -= days(year, month);
        month += 1;
        if month == 12 {
            (year, month) = (year + 1, 0);
        }
    }
    let (day, name) = (day + 1, MONTHS[month].0);
    let text = format!("{weekday} {day} {name} {year}");
    (text, format!("{year}-{:02}-{day:02}", month + 1))
}
