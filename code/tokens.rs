//! Text as numbers: characters, words, one-hot rows, byte pairs.

use crate::tensor::Matrix;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The text, one character a token.
pub fn characters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

/// The text, one word a token.
pub fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

/// The distinct tokens of a text, numbered in the order they first appear.
#[derive(Default)]
pub struct Vocabulary {
    tokens: Vec<String>,
    ids: HashMap<String, usize>,
}

impl Vocabulary {
    /// The vocabulary of these tokens.
    pub fn of(tokens: &[String]) -> Self {
        let mut vocabulary = Self::default();
        for token in tokens {
            if !vocabulary.ids.contains_key(token) {
                vocabulary.ids.insert(token.clone(), vocabulary.len());
                vocabulary.tokens.push(token.clone());
            }
        }
        vocabulary
    }

    /// How many distinct tokens there are: V.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is no token at all.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The numbers of these tokens; `None` if one is not in the vocabulary.
    pub fn encode(&self, tokens: &[String]) -> Option<Vec<usize>> {
        tokens.iter().map(|t| self.ids.get(t).copied()).collect()
    }

    /// The tokens with these numbers.
    ///
    /// # Panics
    /// If a number is not below [`len`](Self::len).
    pub fn decode(&self, ids: &[usize]) -> Vec<String> {
        ids.iter().map(|&id| self.tokens[id].clone()).collect()
    }
}

/// One row for each id, all zeros but for a 1 in column `id`: n × V.
///
/// # Panics
/// If an id is not below `size`.
pub fn one_hot(ids: &[usize], size: usize) -> Matrix {
    let mut rows = Matrix::zeros(ids.len(), size);
    for (i, &id) in ids.iter().enumerate() {
        assert!(id < size, "token {id} is not in a vocabulary of {size}");
        rows[(i, id)] = 1.0;
    }
    rows
}

/// Byte-pair encoding (Sennrich et al., 2016), on bytes.
///
/// Tokens 0 to 255 are the bytes; each further token is two earlier ones
/// joined. No text is unknown, and none is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BytePairs {
    merges: Vec<(usize, usize)>,
}

impl BytePairs {
    /// Learn `merges` joins from a text, the most frequent pair first; fewer
    /// if no pair occurs twice.
    pub fn train(text: &str, merges: usize) -> Self {
        let mut learner = Learner::new(text);
        let mut learned = Vec::new();
        while learned.len() < merges {
            let Some(pair) = learner.most_frequent() else { break };
            learner.join(pair, 256 + learned.len());
            learned.push(pair);
        }
        Self { merges: learned }
    }

    /// How many tokens there are.
    #[expect(clippy::len_without_is_empty, reason = "there are always bytes")]
    pub fn len(&self) -> usize {
        256 + self.merges.len()
    }

    /// The text as token ids.
    pub fn encode(&self, text: &str) -> Vec<usize> {
        let ranks: HashMap<_, _> = self.merges.iter().zip(256..).collect();
        let encode_piece = |piece: &str| {
            let mut tokens: Vec<usize> =
                piece.bytes().map(usize::from).collect();
            // Always the pair that was learned first.
            while let Some(id) =
                pairs(&tokens).filter_map(|p| ranks.get(&p)).min()
            {
                tokens = joined(&tokens, self.merges[id - 256], *id);
            }
            tokens
        };
        pieces(text).flat_map(encode_piece).collect()
    }

    /// The text these tokens spell. Bytes that are no UTF-8 become `�`.
    ///
    /// # Panics
    /// If an id is not below [`len`](Self::len).
    pub fn decode(&self, ids: &[usize]) -> String {
        let bytes: Vec<u8> =
            ids.iter().flat_map(|&id| self.bytes(id)).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The bytes that token `id` stands for.
    pub fn bytes(&self, id: usize) -> Vec<u8> {
        match u8::try_from(id) {
            Ok(byte) => vec![byte],
            Err(_) => {
                let (left, right) = self.merges[id - 256];
                [self.bytes(left), self.bytes(right)].concat()
            }
        }
    }
}

/// The text cut in front of every space: no join reaches across two words.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let body = &rest[first.len_utf8()..];
        let end = body.find(char::is_whitespace).unwrap_or(body.len());
        let (piece, tail) = rest.split_at(first.len_utf8() + end);
        rest = tail;
        Some(piece)
    })
}

/// Neighbours, two at a time.
fn pairs(tokens: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    tokens.windows(2).map(|pair| (pair[0], pair[1]))
}

/// The tokens with every `pair` replaced by `id`, from left to right.
fn joined(tokens: &[usize], pair: (usize, usize), id: usize) -> Vec<usize> {
    let mut joined = Vec::with_capacity(tokens.len());
    for &token in tokens {
        if joined.last() == Some(&pair.0) && token == pair.1 {
            joined.pop();
            joined.push(id);
        } else {
            joined.push(token);
        }
    }
    joined
}

/// A distinct word of the text, as tokens, and how often the text has it.
struct Word {
    tokens: Vec<usize>,
    count: usize,
}

/// All words, how often each pair occurs in them, and in which.
#[derive(Default)]
struct Learner {
    words: Vec<Word>,
    counts: BTreeMap<(usize, usize), usize>,
    places: HashMap<(usize, usize), BTreeSet<usize>>,
}

impl Learner {
    fn new(text: &str) -> Self {
        let mut counts = BTreeMap::<&str, usize>::new();
        for piece in pieces(text) {
            *counts.entry(piece).or_default() += 1;
        }
        let mut learner = Self::default();
        for (piece, count) in counts {
            let tokens = piece.bytes().map(usize::from).collect();
            learner.words.push(Word { tokens, count });
            learner.add(learner.words.len() - 1);
        }
        learner
    }

    /// The pair that occurs most, and more than once; of equals, the first.
    fn most_frequent(&self) -> Option<(usize, usize)> {
        let repeated = self.counts.iter().filter(|(_, count)| **count > 1);
        let most =
            repeated.max_by_key(|(pair, count)| (**count, Reverse(**pair)));
        most.map(|(pair, _)| *pair)
    }

    /// Replace the pair in the words that have it, and mend the counts.
    fn join(&mut self, pair: (usize, usize), id: usize) {
        for word in self.places.remove(&pair).unwrap_or_default() {
            self.remove(word);
            let tokens = &mut self.words[word].tokens;
            *tokens = joined(tokens, pair, id);
            self.add(word);
        }
    }

    fn add(&mut self, word: usize) {
        let Word { tokens, count } = &self.words[word];
        for pair in pairs(tokens) {
            *self.counts.entry(pair).or_default() += count;
            self.places.entry(pair).or_default().insert(word);
        }
    }

    fn remove(&mut self, word: usize) {
        let Word { tokens, count } = &self.words[word];
        for pair in pairs(tokens) {
            *self.counts.entry(pair).or_default() -= count;
        }
    }
}
