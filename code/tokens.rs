//! Text as numbers: characters, words, one-hot rows, byte pairs.

use crate::tensor::Matrix;
use anyhow::{Result, ensure};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

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
        let token = |&id: &usize| {
            assert!(id < self.len(), "no token {id} among {}", self.len());
            self.tokens[id].clone()
        };
        ids.iter().map(token).collect()
    }
}

/// One row for each id, all zeros but for a 1 in column `id`: n × V.
///
/// # Panics
/// If an id is not below `size`.
pub fn one_hot(ids: &[usize], size: usize) -> Matrix {
    let mut rows = Matrix::zeros(ids.len(), size);
    for (i, &id) in ids.iter().enumerate() {
        assert!(id < size, "no token {id} among {size}");
        rows[(i, id)] = 1.0;
    }
    rows
}

/// Two tokens that stand side by side.
pub type Pair = (usize, usize);

/// Byte-pair encoding (Sennrich et al., 2016), on bytes.
///
/// Tokens 0 to 255 are the bytes; each further token is two earlier ones
/// merged. No text is unknown, and none is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BytePairs {
    merges: Vec<Pair>,
    ids: HashMap<Pair, usize>,
}

/// The text cut in front of every space: no merge reaches across two words.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut spaces = rest.match_indices(char::is_whitespace);
        let next = spaces.find(|(at, _)| *at > 0);
        let (piece, tail) = rest.split_at(next.map_or(rest.len(), |s| s.0));
        rest = tail;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Each token with its right neighbour.
fn pairs(tokens: &[usize]) -> impl Iterator<Item = Pair> {
    tokens.windows(2).map(|pair| (pair[0], pair[1]))
}

/// The tokens with every `pair` replaced by `id`, from left to right.
fn merged(tokens: &[usize], pair: Pair, id: usize) -> Vec<usize> {
    let mut merged = Vec::with_capacity(tokens.len());
    for &token in tokens {
        if merged.last() == Some(&pair.0) && token == pair.1 {
            merged.pop();
            merged.push(id);
        } else {
            merged.push(token);
        }
    }
    merged
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
    counts: HashMap<Pair, usize>,
    places: HashMap<Pair, BTreeSet<usize>>,
    queue: BinaryHeap<(usize, Reverse<Pair>)>,
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
    fn merge(&mut self, pair: Pair, id: usize) {
        let mut new = BTreeSet::new();
        for word in self.places.remove(&pair).unwrap_or_default() {
            self.remove(word);
            let tokens = &mut self.words[word].tokens;
            *tokens = merged(tokens, pair, id);
            new.extend(pairs(tokens).filter(|p| p.0 == id || p.1 == id));
            self.add(word);
        }
        let count = |p: Pair| (self.counts[&p], Reverse(p));
        self.queue.extend(new.into_iter().map(count));
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

/// Learning.
impl BytePairs {
    /// Learn `merges` merges from a text, the most frequent pair first; fewer
    /// if no pair occurs twice.
    pub fn train(text: &str, merges: usize) -> Self {
        let mut learner = Learner::new(text);
        let mut learned = Self { merges: Vec::new(), ids: HashMap::new() };
        while learned.merges.len() < merges {
            let Some(pair) = learner.most_frequent() else { break };
            learner.merge(pair, learned.len());
            learned.ids.insert(pair, learned.len());
            learned.merges.push(pair);
        }
        learned
    }

    /// What was learned elsewhere: these merges, in the order learned.
    ///
    /// # Errors
    /// If one takes a token that is not there yet, or takes the two tokens
    /// that an earlier one took.
    pub fn new(merges: Vec<Pair>) -> Result<Self> {
        let mut ids = HashMap::new();
        for (i, &(left, right)) in merges.iter().enumerate() {
            let (merge, id, last) = (i + 1, 256 + i, left.max(right));
            ensure!(last < id, "merge {merge}: there is no token {last} yet");
            let before = ids.insert((left, right), id);
            ensure!(
                before.is_none(),
                "merge {merge}: {left} and {right} are merged already"
            );
        }
        Ok(Self { merges, ids })
    }

    /// How many tokens there are.
    #[expect(clippy::len_without_is_empty, reason = "there are always bytes")]
    pub fn len(&self) -> usize {
        256 + self.merges.len()
    }

    /// The pairs in the order learned: the i-th became token 256 + i.
    pub fn merges(&self) -> &[Pair] {
        &self.merges
    }
}

/// From text to tokens.
impl BytePairs {
    /// The text as token ids.
    pub fn encode(&self, text: &str) -> Vec<usize> {
        pieces(text).flat_map(|piece| self.encode_piece(piece)).collect()
    }

    fn encode_piece(&self, piece: &str) -> Vec<usize> {
        let mut tokens: Vec<usize> = piece.bytes().map(usize::from).collect();
        while let Some(&id) =
            pairs(&tokens).filter_map(|pair| self.ids.get(&pair)).min()
        {
            tokens = merged(&tokens, self.merges[id - 256], id);
        }
        tokens
    }
}

/// And back.
impl BytePairs {
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
    ///
    /// # Panics
    /// If `id` is not below [`len`](Self::len).
    pub fn bytes(&self, id: usize) -> Vec<u8> {
        assert!(id < self.len(), "no token {id} among {}", self.len());
        match u8::try_from(id) {
            Ok(byte) => vec![byte],
            Err(_) => {
                let (left, right) = self.merges[id - 256];
                [self.bytes(left), self.bytes(right)].concat()
            }
        }
    }
}
