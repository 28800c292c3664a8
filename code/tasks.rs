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
        if self == Self::Dates {
            return date(rng);
        }
        let text = letters(rng);
        let mut answer: Vec<char> = text.chars().collect();
        match self {
            Self::Reverse => answer.reverse(),
            Self::Sort => answer.sort_unstable(),
            Self::Copy | Self::Dates => {}
        }
        (text, answer.into_iter().collect())
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

/// Four to ten letters.
fn letters(rng: &mut impl Rng) -> String {
    let length = rng.random_range(4..=10);
    (0..length).map(|_| rng.random_range('a'..='z')).collect()
}

const DAYS: [&str; 7] = [
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

/// How many leap days there were by the end of a year.
fn leap_days(year: usize) -> usize {
    year / 4 - year / 100 + year / 400
}

/// A day of the last or of this century.
fn date(rng: &mut impl Rng) -> (String, String) {
    let year = rng.random_range(1900..2100);
    let month = rng.random_range(0..12);
    let leap = leap_days(year) - leap_days(year - 1); // 1 or 0
    let (name, days) = MONTHS[month];
    let day = rng.random_range(1..=days + if month == 1 { leap } else { 0 });
    let mut before: usize =
        MONTHS[..month].iter().map(|(_, days)| days).sum();
    before += if month > 1 { leap } else { 0 };
    // 31 December of the year 0 would have been a Sunday.
    let since = (year - 1) * 365 + leap_days(year - 1) + before + day;
    let weekday = DAYS[(since + 6) % 7];
    let text = format!("{weekday} {day} {name} {year}");
    (text, format!("{year}-{:02}-{day:02}", month + 1))
}
