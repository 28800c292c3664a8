//! Millions of pairs: examples in a file, and in memory where each begins.
//!
//! Texts are read twice. The first time the words are counted that the
//! tokenizer is learned from, the second time the examples are written.
//!
//! ```
//! use all_you_need::corpus::{Corpus, survey};
//! use all_you_need::tokens::{Bpe, Tokenizer};
//! use all_you_need::training::{Example, Examples};
//! use all_you_need::translation::pairs;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = |name: &str| folder.path().join(name);
//! # let [source, target] = ["en", "de"].map(path);
//! std::fs::write(&source, "one\ntwo\n")?;
//! std::fs::write(&target, "eins\nzwei\n")?;
//! let (digest, words) = survey(pairs(&source, &target)?)?;
//! let tokenizer = Tokenizer::new(Bpe::learn(words, 10));
//! let (texts, file) = (pairs(&source, &target)?, tempfile::tempfile()?);
//! let corpus = Corpus::pack(texts, &digest, &tokenizer, file)?;
//! assert_eq!(corpus.count(), 2);
//! assert_eq!(corpus.example(1)?, Example::new("two", "zwei", &tokenizer));
//! # Ok(())
//! # }
//! ```

use crate::checkpoint::{Digest, PairsDigest};
use crate::learner::WordCounts;
use crate::tokens::{Token, Tokenizer};
use crate::training::{Example, Examples};
use crate::translation::{
    TextError, TextPair, TooLong, count_words, examples,
};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::Mutex;
use thiserror::Error;

/// Goes through all pairs and keeps none of them, only their digest and how
/// often each word occurs.
///
/// # Errors
/// The first error among the pairs.
pub fn survey(
    pairs: impl IntoIterator<Item = Result<TextPair, TextError>>,
) -> Result<(Digest, WordCounts), TextError> {
    let mut digest = PairsDigest::default();
    let mut words = WordCounts::default();
    for pair in pairs {
        let pair = pair?;
        digest.add(&pair);
        count_words(&mut words, &pair);
    }
    Ok((digest.finish(), words))
}

/// Where an example is in the file: its first byte, and how many tokens its
/// two sides have.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u64,
    source: u32,
    target: u32,
}

impl Place {
    /// How many bytes the example has, four for each token.
    fn bytes(self) -> usize {
        size_of::<Token>() * (self.source + self.target) as usize
    }

    /// Where the next example begins.
    fn end(self) -> u64 {
        self.start + self.bytes() as u64
    }
}

/// Examples in a file, and in memory 16 bytes for each.
#[derive(Debug)]
pub struct Corpus {
    file: Mutex<File>,
    places: Vec<Place>,
}

/// The size of a chunk: so many bytes of text are read, and then encoded by
/// all threads.
const CHUNK: usize = 1 << 22;

/// The next pairs, until they fill a chunk; `None` at the end.
fn chunk(
    pairs: &mut impl Iterator<Item = Result<TextPair, TextError>>,
) -> Result<Option<Vec<TextPair>>, TextError> {
    let (mut chunk, mut bytes) = (Vec::new(), 0);
    while bytes < CHUNK
        && let Some(pair) = pairs.next().transpose()?
    {
        bytes += pair.0.len() + pair.1.len();
        chunk.push(pair);
    }
    Ok((!chunk.is_empty()).then_some(chunk))
}

/// Why a corpus was not packed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PackError {
    /// The texts cannot be read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A text has too many tokens.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// The texts have another digest.
    #[error("they have changed since they were read first")]
    Changed,
    /// The system cannot write the examples.
    #[error("their tokens cannot be written to a temporary file: {0}")]
    Write(#[from] io::Error),
}

impl Corpus {
    /// Encodes pairs of texts and writes them to an empty file, which must
    /// not be changed while there is the corpus. The digest is the one that
    /// [`survey`] has found.
    ///
    /// On some systems temporary files are in memory, and then the corpus is
    /// in memory, too.
    ///
    /// # Errors
    /// If the texts cannot be read or have another digest, if one of them
    /// has too many tokens, or if the file cannot be written.
    pub fn pack(
        pairs: impl IntoIterator<Item = Result<TextPair, TextError>>,
        digest: &Digest,
        tokenizer: &Tokenizer,
        file: File,
    ) -> Result<Self, PackError> {
        let (mut found, mut places) = (PairsDigest::default(), Vec::new());
        let (mut out, mut pairs) = (BufWriter::new(&file), pairs.into_iter());
        while let Some(chunk) = chunk(&mut pairs)? {
            chunk.iter().for_each(|pair| found.add(pair));
            let before = places.len();
            let examples = examples(&chunk, tokenizer);
            for example in examples.map_err(|error| error.after(before))? {
                places.push(write(&mut out, &example, places.last())?);
            }
        }
        out.flush()?;
        drop(out);
        places.shrink_to_fit();
        match found.finish() == *digest {
            true => Ok(Self { file: Mutex::new(file), places }),
            false => Err(PackError::Changed),
        }
    }

    /// How many bytes it takes in memory.
    pub fn memory(&self) -> usize {
        size_of_val(&self.places[..])
    }

    /// Some bytes of the file.
    fn read(&self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let mut file = self.file.lock().expect("a file that is read");
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// Writes an example behind the last one.
fn write(
    out: &mut impl Write,
    Example { source, target }: &Example,
    last: Option<&Place>,
) -> io::Result<Place> {
    for token in source.iter().chain(target) {
        out.write_all(&token.to_le_bytes())?;
    }
    let start = last.map_or(0, |last| last.end());
    let [source, target] = [source, target].map(|side| side.len() as u32);
    Ok(Place { start, source, target })
}

impl Examples for Corpus {
    fn count(&self) -> usize {
        self.places.len()
    }

    fn target_tokens(&self, i: usize) -> [usize; 2] {
        let Place { source, target, .. } = self.places[i];
        [target as usize - 1, source as usize]
    }

    fn example(&self, i: usize) -> io::Result<Example> {
        let place = self.places[i];
        let bytes = self.read(place.start, place.bytes())?;
        let (tokens, _) = bytes.as_chunks();
        let tokens = tokens.iter().map(|&token| Token::from_le_bytes(token));
        let mut source: Vec<Token> = tokens.collect();
        let target = source.split_off(place.source as usize);
        Ok(Example { source, target })
    }
}
