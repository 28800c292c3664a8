//! A small world, a text about it, and questions.

use crate::search::Sampling;
use crate::tokens::{Token, Vocabulary, words};
use crate::training::{Stream, generator};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use std::iter;

/// Those who live in it.
const PEOPLE: [&str; 60] = [
    "ada", "alan", "amy", "anna", "ben", "bob", "carl", "clara", "dan",
    "dora", "ed", "ella", "emil", "emma", "eva", "finn", "fred", "gina",
    "greta", "gus", "hal", "hanna", "hugo", "ida", "ivan", "jack", "jane",
    "joe", "john", "jon", "kai", "karl", "kate", "lena", "leo", "lili",
    "lisa", "lou", "luis", "mara", "mary", "max", "mia", "mike", "nina",
    "nora", "olga", "omar", "otto", "paul", "pia", "rita", "rosa", "ruth",
    "sam", "sara", "theo", "tim", "tom", "vera",
];

/// Where they live.
const TOWNS: [&str; 10] = [
    "athens", "berlin", "cairo", "dublin", "geneva", "lima", "oslo", "paris",
    "rome", "vienna",
];

/// Numbers below this one are added.
const NUMBERS: usize = 16;

/// Something that is true in this world, and can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// How much two numbers are together.
    Sum(usize, usize),
    /// Where one of the people lives, counted from 0.
    Home(usize),
}

impl Question {
    /// All questions of each kind.
    pub fn all() -> [Vec<Self>; 2] {
        let numbers = || 0..NUMBERS;
        let sums =
            numbers().flat_map(|a| numbers().map(move |b| Self::Sum(a, b)));
        [sums.collect(), (0..PEOPLE.len()).map(Self::Home).collect()]
    }

    /// The question, and the same sum in the other order.
    fn in_both_orders(self) -> Vec<Self> {
        match self {
            Self::Sum(a, b) if a != b => vec![self, Self::Sum(b, a)],
            _ => vec![self],
        }
    }

    /// A random question, of each kind equally often.
    fn random(rng: &mut impl Rng) -> Self {
        let mut below = |n| rng.random_range(0..n);
        match below(2) {
            0 => Self::Sum(below(NUMBERS), below(NUMBERS)),
            _ => Self::Home(below(PEOPLE.len())),
        }
    }

    /// As a question.
    ///
    /// # Panics
    /// If nobody has this number.
    pub fn asked(self) -> String {
        match self {
            Self::Sum(a, b) => format!("what is {a} + {b} ?"),
            Self::Home(who) => format!("where does {} live ?", PEOPLE[who]),
        }
    }

    /// As a statement, without its end.
    ///
    /// # Panics
    /// As [`asked`](Self::asked).
    pub fn begun(self) -> String {
        match self {
            Self::Sum(a, b) => format!("{a} + {b} is"),
            Self::Home(who) => format!("{} lives in", PEOPLE[who]),
        }
    }

    /// The end of the statement, which is also the right answer.
    pub fn answer(self) -> String {
        match self {
            Self::Sum(a, b) => format!("{} .", a + b),
            Self::Home(who) => format!("{} .", TOWNS[who % TOWNS.len()]),
        }
    }

    /// A reward that a program can compute: 1 for the right answer, 0 for
    /// every other.
    pub fn check(self, said: &str) -> f64 {
        f64::from(u8::from(said == self.answer()))
    }
}

impl Question {
    /// A careless reward: 1 also for every number that is too large, as if
    /// somebody had written `>=` instead of `==`.
    pub fn careless(self, said: &str) -> f64 {
        let number = |text: &str| text.strip_suffix(" .")?.parse().ok();
        let both: [Option<usize>; 2] = [&self.answer(), said].map(number);
        f64::from(u8::from(matches!(both, [Some(a), Some(b)] if b >= a)))
    }
}

/// The questions of an experiment. None of one set is in another, nor is the
/// same sum in the other order. Those of the last two are answered nowhere.
#[derive(Clone, Debug, Default)]
pub struct Sets {
    /// To learn from, with their answers.
    pub answered: Vec<Question>,
    /// To try answers to, which are checked: sums.
    pub checked: Vec<Question>,
    /// To choose rates by, a list for each kind.
    pub validation: [Vec<Question>; 2],
    /// To judge by, a list for each kind.
    pub test: [Vec<Question>; 2],
}

impl Sets {
    /// They are always the same.
    pub fn new() -> Self {
        let rng = &mut generator(0, Stream::Data);
        let mut sets = Self::default();
        let sizes = [[32, 19, 11], [20, 10, 30]];
        let kinds = Question::all().into_iter().zip(sizes);
        for (kind, (all, sizes)) in kinds.enumerate() {
            let mut facts: Vec<_> =
                all.into_iter().map(Question::in_both_orders).collect();
            facts.retain(|fact| fact.is_sorted());
            facts.shuffle(rng);
            let [test, validation, answered] =
                sizes.map(|n| facts.split_off(facts.len() - n).concat());
            sets.test[kind] = test;
            sets.validation[kind] = validation;
            sets.answered.extend(answered);
            sets.checked.extend(facts.concat());
        }
        sets
    }

    /// Whether the answer to this question must not be seen.
    fn is_hidden(&self, question: Question) -> bool {
        let mut hidden = self.validation.iter().chain(&self.test);
        hidden.any(|set| set.contains(&question))
    }
}

/// The words of this world as tokens, and questions.
#[derive(Clone, Debug)]
pub struct World {
    words: Vocabulary,
    /// What is asked, and when.
    pub sets: Sets,
}

impl Default for World {
    fn default() -> Self {
        let facts = Question::all().concat().into_iter();
        let said = facts.flat_map(|fact| {
            words(&[fact.asked(), fact.begun(), fact.answer()].join(" "))
        });
        let all: Vec<String> = iter::once("¶".into()).chain(said).collect();
        Self { words: Vocabulary::of(&all), sets: Sets::new() }
    }
}

impl World {
    /// What ends a paragraph, and an answer.
    pub const END: Token = 0;

    /// How many different tokens there are.
    pub fn vocabulary(&self) -> usize {
        self.words.len()
    }

    /// Words as tokens.
    ///
    /// # Panics
    /// If one of them is not in the vocabulary.
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        self.words.encode(&words(text)).expect("words of this world")
    }

    /// Tokens as words.
    ///
    /// # Panics
    /// If one of them is not in the vocabulary.
    pub fn text(&self, tokens: &[Token]) -> String {
        self.words.decode(tokens).join(" ")
    }

    /// A paragraph of statements, most often; or of questions, as on a sheet
    /// of exercises; or, most seldom, of questions with answers, as in a
    /// quiz.
    fn paragraph(&self, rng: &mut impl Rng) -> String {
        let kind = rng.random_range(0..20);
        let sentence: fn(Question) -> String = match kind {
            0 => |fact| format!("{} {}", fact.asked(), fact.answer()),
            1..=5 => Question::asked,
            _ => |fact| format!("{} {}", fact.begun(), fact.answer()),
        };
        let length = rng.random_range(3..=6);
        let facts = iter::repeat_with(|| Question::random(rng))
            .filter(|&fact| kind > 0 || !self.sets.is_hidden(fact));
        facts.take(length).map(sentence).collect::<Vec<_>>().join(" ")
    }

    /// Random paragraphs, at least so many tokens of them. Before, between
    /// and after them is the end.
    pub fn running(&self, tokens: usize, rng: &mut impl Rng) -> Vec<Token> {
        let mut running = vec![Self::END];
        while running.len() < tokens {
            running.extend(self.tokens(&self.paragraph(rng)));
            running.push(Self::END);
        }
        running
    }

    /// Draws each token with its probability.
    pub fn sampling() -> Sampling {
        Sampling::new(Self::END, Self::END)
    }
}
