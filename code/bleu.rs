//! How good a translation is, held against another one by a person: BLEU
//! (Papineni et al., 2002), as sacreBLEU computes it (Post, 2018).

use crate::tokens::words;
use std::array;
use std::collections::HashMap;
use std::fmt;
use std::iter::Sum;
use std::str::FromStr;
use thiserror::Error;

/// All runs of n tokens, and how often each occurs.
fn n_grams(tokens: &[String], n: usize) -> HashMap<&[String], usize> {
    let mut counts = HashMap::new();
    for n_gram in tokens.windows(n) {
        *counts.entry(n_gram).or_default() += 1;
    }
    counts
}

/// How many n-grams of the hypothesis the reference has too. None of them
/// counts more often than the reference has it.
fn matches(hypothesis: &[String], reference: &[String], n: usize) -> usize {
    let (said, wanted) = (n_grams(hypothesis, n), n_grams(reference, n));
    let clip = |(n_gram, &count): (&&[String], &usize)| {
        wanted.get(n_gram).map_or(0, |&wanted| count.min(wanted))
    };
    said.iter().map(clip).sum()
}

/// What is counted in a sentence, or in many of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The n-grams that both have, for n = 1, 2, 3, 4.
    pub matches: [usize; 4],
    /// All n-grams of the hypothesis. Those for n = 1 are its tokens.
    pub totals: [usize; 4],
    /// The tokens of the reference.
    pub reference_length: usize,
}

impl Counts {
    /// What is counted in one sentence.
    pub fn of(hypothesis: &[String], reference: &[String]) -> Self {
        let count = |i| matches(hypothesis, reference, i + 1);
        Self {
            matches: array::from_fn(count),
            totals: array::from_fn(|i| hypothesis.len().saturating_sub(i)),
            reference_length: reference.len(),
        }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |a, b| Self {
            matches: array::from_fn(|i| a.matches[i] + b.matches[i]),
            totals: array::from_fn(|i| a.totals[i] + b.totals[i]),
            reference_length: a.reference_length + b.reference_length,
        })
    }
}

/// From counts to a score.
impl Counts {
    /// How many of 100 n-grams match. The first n without any match gets half
    /// a match, the next a quarter: sacreBLEU's smoothing `exp`.
    fn precisions(&self) -> [f64; 4] {
        let mut part = 1.0;
        array::from_fn(|i| match (self.matches[i], self.totals[i]) {
            _ if self.matches[0] == 0 => 0.0,
            (_, 0) => 0.0,
            (0, total) => {
                part /= 2.0;
                100.0 * part / total as f64
            }
            (matches, total) => 100.0 * matches as f64 / total as f64,
        })
    }

    /// 1, unless fewer tokens were said than the reference has.
    fn brevity_penalty(&self) -> f64 {
        let (said, wanted) = (self.totals[0], self.reference_length);
        if said >= wanted {
            return 1.0;
        }
        (1.0 - wanted as f64 / said as f64).exp()
    }

    /// BLEU = BP · (p₁ p₂ p₃ p₄)^¼
    pub fn bleu(&self) -> Bleu {
        let precisions = self.precisions();
        let brevity_penalty = self.brevity_penalty();
        let mean = precisions.iter().map(|p| p.ln()).sum::<f64>() / 4.0;
        Bleu {
            score: brevity_penalty * mean.exp(),
            precisions,
            brevity_penalty,
            hypothesis_length: self.totals[0],
            reference_length: self.reference_length,
        }
    }
}

/// A score from 0 to 100, and what it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Bleu {
    /// The score itself.
    pub score: f64,
    /// p₁ to p₄, in per cent.
    pub precisions: [f64; 4],
    /// BP, at most 1.
    pub brevity_penalty: f64,
    /// The tokens of all hypotheses.
    pub hypothesis_length: usize,
    /// The tokens of all references.
    pub reference_length: usize,
}

impl Bleu {
    /// How many tokens were said for each of the reference's; 0 if that has
    /// none.
    pub fn ratio(&self) -> f64 {
        match self.reference_length {
            0 => 0.0,
            length => self.hypothesis_length as f64 / length as f64,
        }
    }
}

/// The line that sacreBLEU prints.
impl fmt::Display for Bleu {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let precisions = self.precisions.map(|p| format!("{p:.1}")).join("/");
        write!(
            f,
            "BLEU = {:.2} {precisions} (BP = {:.3} ratio = {:.3} \
             hyp_len = {} ref_len = {})",
            self.score,
            self.brevity_penalty,
            self.ratio(),
            self.hypothesis_length,
            self.reference_length
        )
    }
}

/// Who says where a word ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokenize {
    /// White space, and nothing else.
    None,
    /// `mteval-v13a.pl`, the script of the yearly contest in translation.
    V13a,
}

impl Tokenize {
    /// The text in tokens.
    pub fn tokens(self, text: &str) -> Vec<String> {
        // Four separators that only Python takes for white space.
        let text = text.replace(['\x1c', '\x1d', '\x1e', '\x1f'], " ");
        match self {
            Self::None => words(&text),
            Self::V13a => words(&spaced(&plain(text.trim_end()))),
        }
    }
}

/// The text without marks of the contest's own files, and in one line.
fn plain(text: &str) -> String {
    let text = text.replace("<skipped>", "");
    let text = text.replace("-\n", "").replace('\n', " ");
    // In this order: `&amp;lt;` becomes `<`, `&amp;quot;` only `&quot;`.
    let text = text.replace("&quot;", "\"").replace("&amp;", "&");
    text.replace("&lt;", "<").replace("&gt;", ">")
}

/// The text with spaces around what is a token of its own: every sign but
/// the apostrophe, the point and comma that are not between two digits, the
/// hyphen after a digit.
fn spaced(text: &str) -> String {
    let is_sign = |c: char| c.is_ascii_punctuation() && !"'-.,".contains(c);
    let is_point = |c| c == '.' || c == ',';
    let digit = |c: char| c.is_ascii_digit();
    let alone = |c| match is_sign(c) {
        true => format!(" {c} "),
        false => String::from(c),
    };
    let text: String = format!(" {text} ").chars().map(alone).collect();
    let text = rewritten(&text, |a, b| {
        (!digit(a) && is_point(b)).then(|| format!("{a} {b} "))
    });
    let text = rewritten(&text, |a, b| {
        (is_point(a) && !digit(b)).then(|| format!(" {a} {b}"))
    });
    rewritten(&text, |a, b| {
        (digit(a) && b == '-').then(|| format!("{a} {b} "))
    })
}

/// The text with some pairs of neighbours written otherwise, from left to
/// right. What has been in one pair is in no other.
fn rewritten(
    text: &str,
    pair: impl Fn(char, char) -> Option<String>,
) -> String {
    let mut rewritten = String::new();
    let mut chars = text.chars().peekable();
    while let Some(a) = chars.next() {
        match chars.peek().and_then(|&b| pair(a, b)) {
            Some(both) => {
                chars.next();
                rewritten += &both;
            }
            None => rewritten.push(a),
        }
    }
    rewritten
}

/// By the name that sacreBLEU gives it.
impl fmt::Display for Tokenize {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::V13a => "13a",
        })
    }
}

/// A name that no way of cutting texts into words has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no tokenizer is called `{name}`; there are 13a, none")]
pub struct UnknownTokenize {
    name: String,
}

impl FromStr for Tokenize {
    type Err = UnknownTokenize;

    fn from_str(name: &str) -> Result<Self, UnknownTokenize> {
        match name {
            "none" => Ok(Self::None),
            "13a" => Ok(Self::V13a),
            _ => Err(UnknownTokenize { name: name.to_owned() }),
        }
    }
}

/// The BLEU of a corpus, each hypothesis held against its reference. Without
/// any match, or any n-gram of four, it is 0.
///
/// # Panics
/// If there are not as many references as hypotheses.
pub fn bleu(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
    tokenize: Tokenize,
) -> Bleu {
    let (n, m) = (hypotheses.len(), references.len());
    assert_eq!(n, m, "{n} hypotheses cannot be held against {m} references");
    let pairs = hypotheses.iter().zip(references).map(|(said, wanted)| {
        let said = tokenize.tokens(said.as_ref());
        Counts::of(&said, &tokenize.tokens(wanted.as_ref()))
    });
    pairs.sum::<Counts>().bleu()
}

/// How a score was computed, in sacreBLEU's words. The version is this
/// crate's and says so: the numbers are sacreBLEU's, the program is not.
pub fn signature(tokenize: Tokenize) -> String {
    let name = env!("CARGO_PKG_NAME");
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "nrefs:1|case:mixed|eff:no|tok:{tokenize}|smooth:exp|\
         version:{name}-{version}"
    )
}
