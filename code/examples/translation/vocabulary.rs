//! What a tokenizer learns from twelve captions in two languages.

use all_you_need::tokens::{Bpe, Token};
use all_you_need::translation::{TextPair, Translator, learn_tokenizer};
use print::log::file;
use print::{section, value};
use std::collections::BTreeSet;

/// Each line has a caption and its translation.
const CAPTIONS: &str = include_str!("../translation.tsv");

/// How many of sixty merges both languages use.
pub fn one_vocabulary() {
    section("One vocabulary for two languages");
    let pairs = CAPTIONS.lines().filter_map(|line| line.split_once('\t'));
    let pairs = pairs.map(|(a, b)| (a.to_owned(), b.to_owned()));
    let pairs: Vec<TextPair> = pairs.collect();
    let tokens = learn_tokenizer(&pairs, 60);
    let used = |side: fn(&TextPair) -> &String| -> BTreeSet<Token> {
        let ids = pairs.iter().flat_map(|pair| tokens.encode(side(pair)));
        ids.filter(|&id| id > 255).collect()
    };
    let (english, german) = (used(|pair| &pair.0), used(|pair| &pair.1));
    value("in both", english.intersection(&german).count());
}

/// What becomes of the merges if the text is learned from with its lines.
pub fn line_breaks() {
    section("Lines instead of spaces");
    let lines = CAPTIONS.replace('\t', "\n");
    let tokens = Bpe::train(&lines, 60);
    let breaks = |&id: &Token| tokens.bytes(id).contains(&b'\n');
    let merged = 256..tokens.len() as Token;
    value("merges with a line break", merged.filter(breaks).count());
}

/// What it costs that the first word of a line has no space before it.
pub fn no_space_before() {
    section("The first word of a line");
    let Translator { tokenizer, .. } = Translator::captions();
    let tokens = |text: &str| tokenizer.encode(text).len();
    let counted = |count| match count {
        1 => "one token".to_owned(),
        _ => format!("{count} tokens"),
    };
    value("menschen within", counted(tokens(" menschen")));
    value("menschen at the beginning", counted(tokens("menschen")));
    let lines = file("translation-own.en").lines();
    let more = lines.map(|line| tokens(line) - tokens(&format!(" {line}")));
    value("tokens too many", more.sum::<usize>());
}
