//! BLEU: how similar translations are to those of a person (Papineni et al.,
//! 2002), computed as sacreBLEU does (Post, 2018).
//!
//! ```
//! use all_you_need::bleu::{Tokenize, bleu};
//!
//! let hypotheses = ["The cat sleeps on a sofa."];
//! let references = ["The cat sleeps on the sofa."];
//! let found = bleu(&hypotheses, &references, Tokenize::V13a);
//! assert_eq!(found.hypothesis_length, 7); // the point is a token, too
//! assert_eq!(found.precisions[1], 100.0 * 4.0 / 6.0); // 4 of 6 pairs match
//! assert_eq!(found.brevity_penalty, 1.0);
//! assert!((0.0..100.0).contains(&found.score));
//! ```

use crate::tokens::words;
use std::array;
use std::collections::HashMap;
use std::fmt;
use std::iter::Sum;
use std::str::FromStr;
use thiserror::Error;

/// All n-grams, which are runs of n tokens, and how often each occurs.
fn n_grams(tokens: &[String], n: usize) -> HashMap<&[String], usize> {
    let mut counts = HashMap::new();
    for n_gram in tokens.windows(n) {
        *counts.entry(n_gram).or_default() += 1;
    }
    counts
}

/// How many n-grams of the hypothesis are in a reference, too. None of them
/// counts more often than it occurs in a single reference.
fn matches<R: AsRef<[String]>>(
    hypothesis: &[String],
    references: &[R],
    n: usize,
) -> usize {
    let found = n_grams(hypothesis, n);
    let expected = references.iter().map(|r| n_grams(r.as_ref(), n));
    let expected: Vec<_> = expected.collect();
    let clip = |(n_gram, &count): (&&[String], &usize)| {
        let most = expected.iter().filter_map(|r| r.get(n_gram)).max();
        most.map_or(0, |&most| count.min(most))
    };
    found.iter().map(clip).sum()
}

/// What BLEU counts in a sentence or, as a sum, in all sentences of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many n-grams of the hypothesis match, for n = 1, 2, 3, 4.
    pub matches: [usize; 4],
    /// How many n-grams the hypothesis has. Those for n = 1 are its tokens.
    pub totals: [usize; 4],
    /// How many tokens the reference has; of several, that whose length is
    /// nearest to the hypothesis, and of two that are as near, the shorter.
    pub reference_length: usize,
}

impl Counts {
    /// The counts of one sentence, from the tokens of both translations.
    #[must_use]
    pub fn of(hypothesis: &[String], reference: &[String]) -> Self {
        Self::of_several(hypothesis, &[reference])
    }

    /// The counts of one sentence that may be translated in several ways: what
    /// is in one of the references matches.
    ///
    /// # Panics
    /// If there is no reference.
    #[must_use]
    pub fn of_several<R: AsRef<[String]>>(
        hypothesis: &[String],
        references: &[R],
    ) -> Self {
        let (own, count) =
            (hypothesis.len(), |i| matches(hypothesis, references, i + 1));
        let lengths = references.iter().map(|r| r.as_ref().len());
        let nearest = lengths.min_by_key(|&n| (n.abs_diff(own), n));
        Self {
            matches: array::from_fn(count),
            totals: array::from_fn(|i| own.saturating_sub(i)),
            reference_length: nearest.expect("a reference"),
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
    /// The part of the n-grams that match, in per cent. The first n without
    /// any match gets half a match, the next a quarter: sacreBLEU's smoothing
    /// `exp`.
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

    /// BP = exp(1 − r/c) if the c tokens of the hypothesis are fewer than the
    /// r tokens of the reference, and 1 otherwise.
    fn brevity_penalty(&self) -> f64 {
        let (c, r) = (self.totals[0], self.reference_length);
        if c >= r { 1.0 } else { (1.0 - r as f64 / c as f64).exp() }
    }

    /// BLEU = BP · (p₁ p₂ p₃ p₄)^¼, the brevity penalty times the geometric
    /// mean of the precisions. It is 0 without any match, or without any
    /// n-gram of four tokens.
    #[must_use]
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

/// A BLEU score, and what it is computed from. Displayed as the line that
/// sacreBLEU prints.
#[derive(Clone, Debug, PartialEq)]
pub struct Bleu {
    /// BLEU, from 0 to 100.
    pub score: f64,
    /// p₁ to p₄: which part of the n-grams match, in per cent.
    pub precisions: [f64; 4],
    /// BP: 1, or less if the hypotheses are shorter than the references.
    pub brevity_penalty: f64,
    /// How many tokens all hypotheses have.
    pub hypothesis_length: usize,
    /// How many tokens all references have.
    pub reference_length: usize,
}

impl Bleu {
    /// The length of the hypotheses divided by that of the references; 0 if
    /// the references have no tokens.
    pub fn ratio(&self) -> f64 {
        match self.reference_length {
            0 => 0.0,
            length => self.hypothesis_length as f64 / length as f64,
        }
    }
}

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

/// How a text is cut into the tokens that BLEU counts, displayed by the name
/// that sacreBLEU gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tokenize {
    /// `none`: at white space only.
    None,
    /// `13a`: punctuation marks are tokens of their own, as in NIST's
    /// script `mteval-v13a.pl`, which the yearly contest WMT used.
    V13a,
}

impl Tokenize {
    /// The tokens of a text.
    #[must_use]
    pub fn tokens(self, text: &str) -> Vec<String> {
        // Four separators that only Python takes for white space.
        let text = text.replace(['\x1c', '\x1d', '\x1e', '\x1f'], " ");
        match self {
            Self::None => words(&text),
            Self::V13a => words(&spaced(&plain(text.trim_end()))),
        }
    }
}

/// The text on one line, without the markup of the contest's files.
fn plain(text: &str) -> String {
    let text = text.replace("<skipped>", "");
    let text = text.replace("-\n", "").replace('\n', " ");
    // The order is sacreBLEU's: `&amp;lt;` becomes `<`, because `&lt;` is
    // replaced after `&amp;`, but `&amp;quot;` becomes `&quot;`.
    let text = text.replace("&quot;", "\"").replace("&amp;", "&");
    text.replace("&lt;", "<").replace("&gt;", ">")
}

/// The text with spaces around each token: around every punctuation mark but
/// the apostrophe, around a point or a comma that is not between two digits,
/// around a hyphen after a digit.
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

/// The text in which `pair` has replaced some pairs of neighbours, from left
/// to right. No character is in two of these pairs.
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

/// The counts of each sentence: a hypothesis is compared with the reference
/// of the same index.
///
/// # Panics
/// If there are not as many references as hypotheses.
#[must_use]
pub fn counts(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
    tokenize: Tokenize,
) -> Vec<Counts> {
    counts_of_several(hypotheses, &[references], tokenize)
}

/// [`counts`], when there are several translations of the test, each with a
/// reference for every sentence.
///
/// # Panics
/// If one of them has not as many references as there are hypotheses, or if
/// there are none.
#[must_use]
pub fn counts_of_several<R: AsRef<str>>(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<[R]>],
    tokenize: Tokenize,
) -> Vec<Counts> {
    let n = hypotheses.len();
    for m in references.iter().map(|all| all.as_ref().len()) {
        assert!(n == m, "bleu: {n} hypotheses, but {m} references");
    }
    let one = |(i, hypothesis): (usize, &_)| {
        let tokens = |text: &str| tokenize.tokens(text);
        let right = references.iter().map(|all| &all.as_ref()[i]);
        let right: Vec<_> = right.map(|text| tokens(text.as_ref())).collect();
        Counts::of_several(&tokens(AsRef::as_ref(hypothesis)), &right)
    };
    hypotheses.iter().enumerate().map(one).collect()
}

/// The BLEU of a test: the [`counts`] of all sentences are added up. It is
/// 0 without any match, or without any n-gram of four tokens.
///
/// # Panics
/// If there are not as many references as hypotheses.
#[must_use]
pub fn bleu(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
    tokenize: Tokenize,
) -> Bleu {
    let counts = counts(hypotheses, references, tokenize);
    counts.into_iter().sum::<Counts>().bleu()
}

impl fmt::Display for Tokenize {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::V13a => "13a",
        })
    }
}

/// How a score was computed, with so many references, in the form that sacreBLEU prints, so that it
/// can be compared with others. The version is that of this crate, by its
/// name: the numbers are those of sacreBLEU, but the program is another.
#[must_use]
pub fn signature(tokenize: Tokenize, references: usize) -> String {
    let name = env!("CARGO_PKG_NAME");
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "nrefs:{references}|case:mixed|eff:no|tok:{tokenize}|smooth:exp|\
         version:{name}-{version}"
    )
}

/// A name that belongs to no [`Tokenize`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no tokenizer is called `{name}`; there are 13a, none")]
#[non_exhaustive]
pub struct UnknownTokenize {
    /// The name.
    pub name: String,
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
