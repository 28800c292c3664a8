//! Bags of words and of runs of neighbouring words.

use all_you_need::classifier::Labelled;
use all_you_need::tokens::Token;
use std::collections::HashMap;

/// The runs of two and more words in the reviews to learn from, each with a
/// number of its own after those of the words.
pub struct Runs {
    words: usize,
    longest: usize,
    numbers: HashMap<Vec<Token>, Token>,
}

impl Runs {
    /// The runs of up to `longest` words in some reviews, from a vocabulary
    /// of so many words.
    pub fn new(words: usize, reviews: &[Labelled], longest: usize) -> Self {
        let mut numbers = HashMap::new();
        for Labelled { text, .. } in reviews {
            for run in (2..=longest).flat_map(|n| text.windows(n)) {
                let next = (words + numbers.len()) as Token;
                numbers.entry(run.to_vec()).or_insert(next);
            }
        }
        Self { words, longest, numbers }
    }

    /// How many words and runs there are.
    pub fn vocabulary(&self) -> usize {
        self.words + self.numbers.len()
    }

    /// A review, and after its words the runs in it that are known.
    pub fn of(&self, Labelled { text, class }: &Labelled) -> Labelled {
        let runs = (2..=self.longest).flat_map(|n| text.windows(n));
        let known = runs.filter_map(|run| self.numbers.get(run));
        let text = text.iter().chain(known).copied().collect();
        Labelled { text, class: *class }
    }
}
