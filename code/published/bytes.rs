//! Byte-level BPE as it is published: in `vocab.json` and `merges.txt`, or
//! in `tokenizer.json`.

use crate::checkpoint::{Error, read_file};
use crate::tokens::{Token, merged, pairs};
use regex::Regex;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::path::Path;

/// The most bytes that a file of a tokenizer may have.
const MOST_BYTES: u64 = 1 << 26;

/// How GPT-2 cuts a text before it merges bytes: into words, numbers, and
/// runs of other characters, each with the space before it.
const PATTERN: &str = concat!(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+",
    r"| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
);

/// The end of such a pattern: of several spaces in front of a word, the last
/// one belongs to the word.
const SPACES: &str = r"\s+(?!\S)|\s+";

/// A step that cuts a text into smaller pieces.
#[derive(Clone, Debug)]
enum Cut {
    /// Every digit becomes a piece.
    Digits,
    /// What is found becomes a piece, and so does what is between.
    Pattern(Regex),
}

impl Cut {
    /// The crate `regex` knows no look-ahead. So the spaces get a group of
    /// their own, and [`end`] looks ahead.
    fn pattern(pattern: &str) -> Result<Self, String> {
        let known = match pattern.strip_suffix(SPACES) {
            Some(start) => format!(r"{start}(?<spaces>\s+)"),
            None => pattern.to_owned(),
        };
        let regex = Regex::new(&known).map_err(|error| error.to_string())?;
        Ok(Self::Pattern(regex))
    }

    fn pieces<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let (mut pieces, mut at) = (Vec::new(), 0);
        while let Some((start, end)) = self.find(text, at) {
            pieces.extend([&text[at..start], &text[start..end]]);
            at = end;
        }
        pieces.push(&text[at..]);
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    /// Where the next piece begins and ends.
    fn find(&self, text: &str, at: usize) -> Option<(usize, usize)> {
        match self {
            Self::Digits => {
                let (start, digit) =
                    text[at..].match_indices(char::is_numeric).next()?;
                Some((at + start, at + start + digit.len()))
            }
            Self::Pattern(regex) => {
                let found = regex.captures_at(text, at)?;
                let (piece, spaces) = (found.get(0)?, found.name("spaces"));
                let last = spaces
                    .and_then(|s| s.as_str().char_indices().next_back());
                let end = match last {
                    Some((last, _))
                        if last > 0 && piece.end() < text.len() =>
                    {
                        piece.start() + last
                    }
                    _ => piece.end(),
                };
                (end > at).then_some((piece.start(), end))
            }
        }
    }
}

/// Byte-pair encoding on bytes, with the numbers that a published model has
/// for its tokens.
///
/// A text never becomes a special token, even if it says `<|endoftext|>`.
#[derive(Clone, Debug)]
pub struct ByteLevel {
    cuts: Vec<Cut>,
    /// Whether a text gets a space in front, if it has none.
    spaced: bool,
    /// The token of each byte. Some vocabularies have none for bytes that
    /// hardly any text has.
    bytes: Vec<Option<Token>>,
    /// For two neighbours, the place of their merge in the list, and the
    /// token that they become.
    merges: HashMap<(Token, Token), (usize, Token)>,
    spellings: HashMap<Token, Vec<u8>>,
    /// The special tokens in front of every text.
    pub(super) beginning: Vec<Token>,
}

/// From text to tokens, and back.
impl ByteLevel {
    /// The tokens of a text, without special tokens.
    pub fn encode(&self, text: &str) -> Vec<Token> {
        let pieces = self.pieces(text);
        pieces.iter().flat_map(|piece| self.merge(piece)).collect()
    }

    /// A text in the pieces across which nothing is merged.
    pub fn pieces(&self, text: &str) -> Vec<String> {
        let bare = self.spaced && !text.is_empty() && !text.starts_with(' ');
        let text = format!("{}{text}", if bare { " " } else { "" });
        let cut = |pieces: Vec<_>, cut: &Cut| {
            pieces.into_iter().flat_map(|piece| cut.pieces(piece)).collect()
        };
        let pieces = self.cuts.iter().fold(vec![&text[..]], cut);
        let pieces = pieces.into_iter().filter(|piece| !piece.is_empty());
        pieces.map(str::to_owned).collect()
    }

    /// Merges the bytes of a piece, always the pair that comes first in the
    /// list of merges. A byte without a token is left out.
    fn merge(&self, piece: &str) -> Vec<Token> {
        let byte = |byte: u8| self.bytes[usize::from(byte)];
        let mut tokens: Vec<Token> = piece.bytes().filter_map(byte).collect();
        let known = |pair| Some((self.merges.get(&pair)?, pair));
        while let Some((&(_, token), pair)) =
            pairs(&tokens).filter_map(known).min()
        {
            tokens = merged(&tokens, pair, token);
        }
        tokens
    }

    /// The bytes that these tokens spell. A special token spells nothing, and
    /// neither does a number that is no token.
    pub fn bytes(&self, tokens: &[Token]) -> Vec<u8> {
        let spelled = tokens.iter().filter_map(|t| self.spellings.get(t));
        spelled.flatten().copied().collect()
    }

    /// The text that these tokens spell. Bytes that are not UTF-8 become `�`.
    pub fn decode(&self, tokens: &[Token]) -> String {
        String::from_utf8_lossy(&self.bytes(tokens)).into_owned()
    }
}

/// The character that stands for a byte in the files: the byte itself, if it
/// can be seen, and otherwise one from 256 on.
fn alphabet() -> [char; 256] {
    let mut unseen = (256..).filter_map(char::from_u32);
    std::array::from_fn(|byte| match byte as u8 {
        seen @ (b'!'..=b'~' | 0xa1..=0xac | 0xae..) => char::from(seen),
        _ => unseen.next().expect("more characters than bytes"),
    })
}

/// The tokens of a vocabulary, each with its number.
type Vocabulary = HashMap<String, Token>;

/// The part of `tokenizer.json` that we know.
#[derive(Deserialize)]
struct File {
    model: Merges,
    #[serde(default)]
    added_tokens: Vec<Added>,
    normalizer: Option<Kind>,
    pre_tokenizer: Option<Step>,
    post_processor: Option<Post>,
}

#[derive(Deserialize)]
struct Merges {
    /// Old files do not say it.
    #[serde(default = "bpe")]
    r#type: String,
    vocab: Vocabulary,
    merges: Vec<Merge>,
    #[serde(default)]
    ignore_merges: bool,
    #[serde(default)]
    byte_fallback: bool,
    continuing_subword_prefix: Option<String>,
}

fn bpe() -> String {
    "BPE".to_owned()
}

/// The two tokens of a merge, which older files have in one text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Two(String, String),
    One(String),
}

#[derive(Deserialize)]
struct Added {
    id: Token,
    content: String,
    special: bool,
}

/// Something of which only the name matters.
#[derive(Deserialize)]
struct Kind {
    r#type: String,
}

/// How a text is cut.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Step {
    Sequence {
        pretokenizers: Vec<Step>,
    },
    Digits {
        individual_digits: bool,
    },
    Split {
        pattern: Pattern,
        behavior: String,
        invert: bool,
    },
    ByteLevel {
        add_prefix_space: bool,
        #[serde(default = "yes")]
        use_regex: bool,
    },
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
enum Pattern {
    Regex(String),
}

/// What is put around a text.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Post {
    Sequence { processors: Vec<Post> },
    TemplateProcessing { single: Vec<Piece> },
    ByteLevel {},
}

#[derive(Deserialize)]
enum Piece {
    SpecialToken { id: String },
    Sequence {},
}

/// From files.
impl ByteLevel {
    /// The tokenizer of a folder: `tokenizer.json`, which says how a text is
    /// cut, or else `vocab.json` and `merges.txt`, with GPT-2's pattern.
    ///
    /// # Errors
    /// If a file is missing or damaged, or asks for something that we do not
    /// know; the error names the file and what it asks for.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let [path, vocabulary, merges] =
            ["tokenizer.json", "vocab.json", "merges.txt"]
                .map(|name| dir.join(name));
        if path.exists() || !vocabulary.exists() {
            let file = json::<File>(&path)?;
            return Self::from_file(file).map_err(Error::invalid(&path));
        }
        let vocabulary = json::<Vocabulary>(&vocabulary)?;
        let bytes = read_file(&merges, MOST_BYTES)?;
        let made = Self::from_lists(vocabulary, &bytes);
        made.map_err(Error::invalid(&merges))
    }

    /// From a vocabulary and the lines of `merges.txt`.
    fn from_lists(
        vocabulary: Vocabulary,
        merges: &[u8],
    ) -> Result<Self, String> {
        let text = str::from_utf8(merges).map_err(|e| e.to_string())?;
        let lines = (1..).zip(text.lines());
        let wanted = lines.filter(|(number, line)| {
            let is_title = *number == 1 && line.starts_with("#version");
            !is_title && !line.is_empty()
        });
        let pair = |(number, line): (usize, &str)| {
            let pair = line.split_once(' ').ok_or_else(|| {
                format!("line {number}: `{line}` are not two tokens")
            });
            let (left, right) = pair?;
            Ok((left.to_owned(), right.to_owned()))
        };
        let pairs = wanted.map(pair).collect::<Result<_, String>>()?;
        Self::new(vocabulary, pairs, vec![Cut::pattern(PATTERN)?])
    }

    /// From `tokenizer.json`.
    fn from_file(file: File) -> Result<Self, String> {
        if let Some(what) = strange(&file) {
            return Err(format!("the {what} is not known here"));
        }
        let Merges { vocab, merges, .. } = file.model;
        let pair = |merge| match merge {
            Merge::Two(left, right) => Ok((left, right)),
            Merge::One(text) => {
                let pair = text.split_once(' ');
                let pair = pair.map(|(l, r)| (l.to_owned(), r.to_owned()));
                pair.ok_or(format!("merge `{text}` are not two tokens"))
            }
        };
        let pairs = merges.into_iter().map(pair);
        let pairs = pairs.collect::<Result<_, String>>()?;
        let step = file.pre_tokenizer.ok_or("it has no pre_tokenizer")?;
        let (mut cuts, mut spaced) = (Vec::new(), None);
        read_step(step, &mut cuts, &mut spaced)?;
        let mut made = Self::new(vocab, pairs, cuts)?;
        made.spaced = spaced.ok_or("its tokens are not bytes")?;
        for Added { id, .. } in &file.added_tokens {
            made.spellings.remove(id);
        }
        if let Some(post) = file.post_processor {
            made.beginning = beginning(post, &file.added_tokens)?;
        }
        Ok(made)
    }

    fn new(
        vocabulary: Vocabulary,
        pairs: Vec<(String, String)>,
        cuts: Vec<Cut>,
    ) -> Result<Self, String> {
        let id = |token: &str| {
            let id = vocabulary.get(token).copied();
            id.ok_or_else(|| format!("`{token}` is not in the vocabulary"))
        };
        let letters = alphabet();
        let token =
            |letter: char| vocabulary.get(&letter.to_string()).copied();
        let bytes = letters.map(token).to_vec();
        let mut merges = HashMap::new();
        for (place, (left, right)) in pairs.iter().enumerate() {
            let pair = (id(left)?, id(right)?);
            let token = id(&format!("{left}{right}"))?;
            merges.entry(pair).or_insert((place, token));
        }
        let byte: HashMap<char, u8> =
            letters.into_iter().zip(0..=255).collect();
        let spelled = vocabulary.iter().filter_map(|(text, &id)| {
            let bytes = text.chars().map(|c| byte.get(&c).copied());
            Some((id, bytes.collect::<Option<Vec<u8>>>()?))
        });
        let spellings = spelled.collect();
        let (spaced, beginning) = (false, Vec::new());
        Ok(Self { cuts, spaced, bytes, merges, spellings, beginning })
    }

    /// An error, unless a model of so many tokens knows all of these.
    pub(super) fn check(&self, vocabulary: usize) -> Result<(), String> {
        let all = self.spellings.keys().chain(&self.beginning);
        match all.max() {
            Some(&last) if last as usize >= vocabulary => Err(format!(
                "it has a token {last}, and the model knows {vocabulary}"
            )),
            _ => Ok(()),
        }
    }
}

/// What a file has that we do not know, if there is something.
fn strange(
    File { model, added_tokens, normalizer, .. }: &File,
) -> Option<String> {
    let prefix = model.continuing_subword_prefix.as_deref();
    let plain = added_tokens.iter().find(|added| !added.special);
    let all = [
        normalizer.as_ref().map(|kind| format!("normalizer {}", kind.r#type)),
        (model.r#type != "BPE").then(|| format!("model {}", model.r#type)),
        model.ignore_merges.then(|| "setting ignore_merges".to_owned()),
        model.byte_fallback.then(|| "setting byte_fallback".to_owned()),
        prefix
            .filter(|prefix| !prefix.is_empty())
            .map(|prefix| format!("continuing_subword_prefix {prefix:?}")),
        plain.map(|added| format!("added token {:?}", added.content)),
    ];
    all.into_iter().flatten().next()
}

/// Adds a step of `tokenizer.json` to those before it.
fn read_step(
    step: Step,
    cuts: &mut Vec<Cut>,
    spaced: &mut Option<bool>,
) -> Result<(), String> {
    match step {
        Step::Sequence { pretokenizers } => pretokenizers
            .into_iter()
            .try_for_each(|step| read_step(step, cuts, spaced))?,
        Step::Digits { individual_digits: true } => cuts.push(Cut::Digits),
        Step::Split { pattern, behavior, invert: false }
            if behavior == "Isolated" =>
        {
            let Pattern::Regex(pattern) = pattern;
            cuts.push(Cut::pattern(&pattern)?);
        }
        Step::ByteLevel { add_prefix_space, use_regex }
            if !add_prefix_space || cuts.is_empty() =>
        {
            *spaced = Some(add_prefix_space);
            if use_regex {
                cuts.push(Cut::pattern(PATTERN)?);
            }
        }
        _ => return Err("a pre_tokenizer is not known here".to_owned()),
    }
    Ok(())
}

/// The special tokens in front of a text.
fn beginning(post: Post, added: &[Added]) -> Result<Vec<Token>, String> {
    let id = |name: String| {
        let token = added.iter().find(|added| added.content == name);
        let missing = || format!("`{name}` is not an added token");
        token.map(|added| added.id).ok_or_else(missing)
    };
    match post {
        Post::ByteLevel {} => Ok(Vec::new()),
        Post::Sequence { processors } => {
            let all = processors.into_iter().map(|p| beginning(p, added));
            Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
        }
        Post::TemplateProcessing { single } => single
            .into_iter()
            .map_while(|piece| match piece {
                Piece::SpecialToken { id } => Some(id),
                Piece::Sequence {} => None,
            })
            .map(id)
            .collect(),
    }
}

/// What a file says, as JSON.
pub(super) fn json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let bytes = read_file(path, MOST_BYTES)?;
    let parsed = serde_json::from_slice(&bytes);
    parsed.map_err(|error| Error::invalid(path)(error.to_string()))
}
