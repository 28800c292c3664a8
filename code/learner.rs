//! Learning byte pairs, without counting anything twice.
//!
//! ```
//! use all_you_need::tokens::Bpe;
//!
//! let bpe = Bpe::train("the cat and the hat", 2);
//! assert_eq!(bpe.decode(&[256]), "at");
//! ```

use crate::tokens::{Bpe, Pair, Token, merged, pairs, pre_tokens};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// How often each word occurs in some texts. That is all that merges are
/// learned from, and it grows with the number of distinct words, not with the
/// length of the texts.
///
/// ```
/// use all_you_need::learner::WordCounts;
/// use all_you_need::tokens::Bpe;
///
/// let mut words = WordCounts::default();
/// words.add("the cat");
/// words.add(" and the hat");
/// assert_eq!(words.distinct(), 5); // "the" and " the" are two
/// let bpe = Bpe::learn(words, 2);
/// assert_eq!(bpe, Bpe::train("the cat and the hat", 2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordCounts(HashMap<String, usize>);

impl WordCounts {
    /// Counts the words of one more text. Words end before a space or after
    /// 256 bytes, and where the text ends.
    pub fn add(&mut self, text: &str) {
        for piece in pre_tokens(text) {
            match self.0.get_mut(piece) {
                Some(count) => *count += 1,
                None => _ = self.0.insert(piece.to_owned(), 1),
            }
        }
    }

    /// How many distinct words there are.
    pub fn distinct(&self) -> usize {
        self.0.len()
    }
}

/// A distinct word of the text, as tokens, and how often the text has it.
struct Word {
    tokens: Vec<Token>,
    count: usize,
}

/// All words, how often each pair occurs in them, and in which.
#[derive(Default)]
struct Learner {
    words: Vec<Word>,
    counts: HashMap<Pair, usize>,
    places: HashMap<Pair, BTreeSet<u32>>,
    queue: BinaryHeap<(usize, Reverse<Pair>)>,
}

impl Learner {
    fn new(words: WordCounts) -> Self {
        let mut learner = Self::default();
        for (number, (word, count)) in (0..).zip(words.0) {
            let tokens = word.bytes().map(Token::from).collect();
            learner.words.push(Word { tokens, count });
            learner.add(number);
        }
        let queue = learner.counts.iter();
        learner.queue =
            queue.map(|(p, count)| (*count, Reverse(*p))).collect();
        learner
    }

    /// The pair that occurs most, and more than once; of equals, the first.
    fn most_frequent(&mut self) -> Option<Pair> {
        while let Some((count, Reverse(pair))) = self.queue.pop() {
            let left = self.counts[&pair];
            if left == count {
                return (count > 1).then_some(pair);
            }
            self.queue.push((left, Reverse(pair)));
        }
        None
    }

    /// Replace the pair in the words that have it, and mend the counts.
    fn merge(&mut self, pair: Pair, id: Token) {
        let mut new = BTreeSet::new();
        for word in self.places.remove(&pair).unwrap_or_default() {
            self.remove(word);
            let tokens = &mut self.words[word as usize].tokens;
            *tokens = merged(tokens, pair, id);
            new.extend(pairs(tokens).filter(|p| p.0 == id || p.1 == id));
            self.add(word);
        }
        let count = |p: Pair| (self.counts[&p], Reverse(p));
        self.queue.extend(new.into_iter().map(count));
    }

    fn add(&mut self, word: u32) {
        let Word { tokens, count } = &self.words[word as usize];
        for pair in pairs(tokens) {
            *self.counts.entry(pair).or_default() += count;
            self.places.entry(pair).or_default().insert(word);
        }
    }

    fn remove(&mut self, word: u32) {
        let Word { tokens, count } = &self.words[word as usize];
        for pair in pairs(tokens) {
            *self.counts.entry(pair).or_default() -= count;
        }
    }
}

/// Learning.
impl Bpe {
    /// Learns at most `merges` merges from a text, the most frequent pair
    /// first; fewer if no pair occurs twice.
    pub fn train(text: &str, merges: usize) -> Self {
        let mut words = WordCounts::default();
        words.add(text);
        Self::learn(words, merges)
    }

    /// Learns merges as [`train`](Self::train) does, from words that have
    /// been counted.
    pub fn learn(words: WordCounts, merges: usize) -> Self {
        let mut learner = Learner::new(words);
        let mut learned = Self::bytes_only();
        while learned.merges().len() < merges {
            let Some(pair) = learner.most_frequent() else { break };
            learner.merge(pair, learned.len() as Token);
            learned.push(pair);
        }
        learned
    }
}
