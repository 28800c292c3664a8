//! Text as numbers: characters, words, one-hot rows, byte pairs, and the
//! tokenizer that a model uses.
//!
//! ```
//! use all_you_need::tokens::{Bpe, Tokenizer};
//!
//! let tokenizer = Tokenizer::new(Bpe::train("the cat and the hat", 2));
//! let tokens = tokenizer.encode(" the");
//! assert_eq!(tokenizer.decode(&tokens), " the");
//! ```

use crate::tensor::{Matrix, check_size};
use std::collections::HashMap;
use thiserror::Error;

/// The number of a token in its vocabulary.
pub type Token = u32;

/// The text, one character per token.
pub fn characters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

/// The text, one word per token.
pub fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

/// The distinct tokens of a text, numbered in the order they first appear.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    tokens: Vec<String>,
    ids: HashMap<String, Token>,
}

impl Vocabulary {
    /// The vocabulary of these tokens.
    pub fn of(tokens: &[String]) -> Self {
        let mut vocabulary = Self::default();
        for token in tokens {
            if !vocabulary.ids.contains_key(token) {
                let id = vocabulary.len() as Token;
                vocabulary.ids.insert(token.clone(), id);
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
    pub fn encode(&self, tokens: &[String]) -> Option<Vec<Token>> {
        tokens.iter().map(|t| self.ids.get(t).copied()).collect()
    }

    /// The tokens with these numbers.
    ///
    /// # Panics
    /// If a number is not below [`len`](Self::len).
    pub fn decode(&self, ids: &[Token]) -> Vec<String> {
        let token = |&id: &Token| {
            let token = self.tokens.get(id as usize).cloned();
            token.unwrap_or_else(|| panic!("{}", missing(id, self.len())))
        };
        ids.iter().map(token).collect()
    }
}

fn missing(id: Token, size: usize) -> String {
    format!("no token {id} among {size}")
}

/// One row for each id, n × `size`: 1 in column `id`, and 0 elsewhere.
///
/// # Panics
/// If an id is not below `size`, or there would be more than 2³⁰ numbers.
pub fn one_hot(ids: &[Token], size: usize) -> Matrix {
    check_size((ids.len(), size));
    let mut rows = Matrix::zeros(ids.len(), size);
    for (i, &id) in ids.iter().enumerate() {
        assert!((id as usize) < size, "{}", missing(id, size));
        rows[(i, id as usize)] = 1.0;
    }
    rows
}

/// Two neighbouring tokens.
pub type Pair = (Token, Token);

/// The most bytes that a piece of text, and so a token, can have.
const MAX_PRE_TOKEN: usize = 256;

/// Byte-pair encoding (Sennrich et al., 2016), on bytes.
///
/// Tokens 0 to 255 are the bytes; each further token is two earlier ones
/// merged. Every text can be encoded, and decoding gives it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bpe {
    merges: Vec<Pair>,
    /// The token that a pair is merged into.
    ids: HashMap<Pair, Token>,
    /// The bytes of every token.
    spellings: Vec<Vec<u8>>,
}

/// Merges that cannot have been learned from any text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("merge {merge}: {reason}")]
#[non_exhaustive]
pub struct InvalidMerges {
    /// Which merge is wrong, counted from 1.
    pub merge: usize,
    /// What is wrong with it.
    pub reason: InvalidMerge,
}

/// What is wrong with a merge.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidMerge {
    /// It takes a token that is not there yet.
    #[error("there is no token {0} yet")]
    NoToken(Token),
    /// An earlier merge has taken the same two tokens.
    #[error("{0} and {1} are merged already")]
    Repeated(Token, Token),
    /// It spells too many bytes.
    #[error("it spells {0} bytes")]
    TooLong(usize),
}

/// The text cut in front of every space, so that no merge reaches across two
/// words, and every word cut after 256 bytes.
pub(crate) fn pre_tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let most = rest.floor_char_boundary(MAX_PRE_TOKEN);
        let mut spaces = rest[..most].match_indices(char::is_whitespace);
        let next = spaces.find(|(at, _)| *at > 0);
        let (piece, tail) = rest.split_at(next.map_or(most, |s| s.0));
        rest = tail;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Each token with its right neighbour.
pub(crate) fn pairs(tokens: &[Token]) -> impl Iterator<Item = Pair> {
    tokens.windows(2).map(|pair| (pair[0], pair[1]))
}

/// The tokens with every `pair` replaced by `id`, from left to right.
pub(crate) fn merged(tokens: &[Token], pair: Pair, id: Token) -> Vec<Token> {
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

/// Merges.
impl Bpe {
    /// The bytes, and no merge.
    pub(crate) fn bytes_only() -> Self {
        let spellings = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        Self { merges: Vec::new(), ids: HashMap::new(), spellings }
    }

    /// One more merge, of two tokens that are there.
    pub(crate) fn push(&mut self, pair: Pair) {
        let [left, right] =
            [pair.0, pair.1].map(|token| &self.spellings[token as usize]);
        let spelling = [&left[..], right].concat();
        self.ids.insert(pair, self.len() as Token);
        self.merges.push(pair);
        self.spellings.push(spelling);
    }

    /// The encoding with these merges, in the order they were learned.
    ///
    /// # Errors
    /// If a merge takes a token that is not there yet, takes the two tokens
    /// of an earlier merge, or spells more than 256 bytes.
    pub fn new(merges: Vec<Pair>) -> Result<Self, InvalidMerges> {
        let mut bpe = Self::bytes_only();
        for pair in merges {
            bpe.check(pair).map_err(|reason| {
                let merge = bpe.merges.len() + 1;
                InvalidMerges { merge, reason }
            })?;
            bpe.push(pair);
        }
        Ok(bpe)
    }

    /// Whether this can be the next merge.
    fn check(&self, pair: Pair) -> Result<(), InvalidMerge> {
        let (left, right) = pair;
        let last = left.max(right);
        if last as usize >= self.len() {
            return Err(InvalidMerge::NoToken(last));
        }
        if self.ids.contains_key(&pair) {
            return Err(InvalidMerge::Repeated(left, right));
        }
        match self.bytes(left).len() + self.bytes(right).len() {
            0..=MAX_PRE_TOKEN => Ok(()),
            bytes => Err(InvalidMerge::TooLong(bytes)),
        }
    }

    /// The number of tokens: 256 bytes and the merges.
    #[expect(clippy::len_without_is_empty, reason = "there are always bytes")]
    pub fn len(&self) -> usize {
        self.spellings.len()
    }

    /// The pairs in the order learned: the i-th became token 256 + i.
    pub fn merges(&self) -> &[Pair] {
        &self.merges
    }
}

/// From text to tokens.
impl Bpe {
    /// The tokens of a text.
    pub fn encode(&self, text: &str) -> Vec<Token> {
        pre_tokens(text)
            .flat_map(|piece| self.encode_pre_token(piece))
            .collect()
    }

    fn encode_pre_token(&self, piece: &str) -> Vec<Token> {
        let mut tokens: Vec<Token> = piece.bytes().map(Token::from).collect();
        while let Some(&id) =
            pairs(&tokens).filter_map(|pair| self.ids.get(&pair)).min()
        {
            let pair = self.merges[id as usize - 256];
            tokens = merged(&tokens, pair, id);
        }
        tokens
    }
}

/// From tokens to text.
impl Bpe {
    /// The text that these tokens spell. Bytes that are not UTF-8 become
    /// `�`.
    ///
    /// # Panics
    /// If a token is not below [`len`](Self::len).
    pub fn decode(&self, tokens: &[Token]) -> String {
        let bytes: Vec<u8> = tokens
            .iter()
            .flat_map(|&token| self.bytes(token))
            .copied()
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The bytes of a token.
    ///
    /// # Panics
    /// If it is not below [`len`](Self::len).
    pub fn bytes(&self, token: Token) -> &[u8] {
        let bytes = self.spellings.get(token as usize);
        bytes.unwrap_or_else(|| panic!("{}", missing(token, self.len())))
    }
}

/// A byte-pair encoding and the two special tokens of a model, which no text
/// contains: begin of sequence and end of sequence.
///
/// They are the last two tokens of the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokenizer {
    bpe: Bpe,
}

/// Every byte is a token, and no pair is merged.
impl Default for Tokenizer {
    fn default() -> Self {
        Self::new(Bpe::bytes_only())
    }
}

impl Tokenizer {
    /// The tokenizer over these byte pairs.
    pub fn new(bpe: Bpe) -> Self {
        Self { bpe }
    }

    /// The byte pairs.
    pub fn bpe(&self) -> &Bpe {
        &self.bpe
    }

    /// The number of tokens, the two special ones included: V.
    pub fn vocabulary(&self) -> usize {
        self.bpe.len() + 2
    }

    /// Begin of sequence: the decoder reads it before its first token.
    pub fn bos(&self) -> Token {
        self.bpe.len() as Token
    }

    /// End of sequence: ends every source, and every target that is
    /// complete.
    pub fn eos(&self) -> Token {
        self.bos() + 1
    }

    /// The tokens of a text, without special tokens.
    pub fn encode(&self, text: &str) -> Vec<Token> {
        self.bpe.encode(text)
    }

    /// A text as the encoder reads it: its tokens, then end of sequence.
    pub fn encode_source(&self, text: &str) -> Vec<Token> {
        let mut tokens = self.encode(text);
        tokens.push(self.eos());
        tokens
    }

    /// A text as the decoder learns it: begin of sequence, its tokens, end of
    /// sequence.
    pub fn encode_target(&self, text: &str) -> Vec<Token> {
        [vec![self.bos()], self.encode_source(text)].concat()
    }

    /// The text that these tokens spell. Special tokens spell nothing.
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    pub fn decode(&self, tokens: &[Token]) -> String {
        let size = self.vocabulary();
        let spells = |&token: &Token| {
            assert!((token as usize) < size, "{}", missing(token, size));
            token < self.bos()
        };
        let text: Vec<_> = tokens.iter().copied().filter(spells).collect();
        self.bpe.decode(&text)
    }

    /// What to call a token in a table or a figure: what it spells, without
    /// spaces around it, and `<start>` and `<end>` for the special ones.
    ///
    /// # Panics
    /// If the token is not in the vocabulary.
    pub fn name(&self, token: Token) -> String {
        self.named(token, |text| text.trim().to_owned())
    }

    /// The [`name`](Self::name) of a token where spaces matter: each of them
    /// is a dot, as in `·cat`.
    ///
    /// # Panics
    /// If the token is not in the vocabulary.
    pub fn label(&self, token: Token) -> String {
        self.named(token, |text| text.replace(' ', "·"))
    }

    fn named(&self, token: Token, text: impl Fn(&str) -> String) -> String {
        match token {
            token if token == self.bos() => "<start>".to_owned(),
            token if token == self.eos() => "<end>".to_owned(),
            token => text(&self.decode(&[token])),
        }
    }
}
