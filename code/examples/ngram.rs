//! A model that counts: `cargo run --example ngram`

use all_you_need::ngram::{KneserNey, Ngram, surprise};
use all_you_need::tokens::{Token, Vocabulary, words};
use print::log::{self, number};
use print::{Fixed, grouped, section, table, value};
use std::collections::BTreeSet;

#[path = "shared/story.rs"]
mod story;

use story::story;

fn main() {
    after_over_the();
    different_before();
    discounted();
    occurs_or_followed();
    the_pages();
    two_vocabularies();
    let (vocabulary, text) = story();
    let model = KneserNey::new(3, vocabulary.len(), &text);
    sums_to_1(&text, vocabulary.len(), |past, next| {
        model.probability(past, next)
    });
}

fn ids(vocabulary: &Vocabulary, text: &str) -> Vec<Token> {
    vocabulary.encode(&words(text)).expect("words of the story")
}

/// Half of what is said comes from the longest context, half from the others.
const WEIGHT: f64 = 0.5;

fn after_over_the() {
    let (vocabulary, tokens) = story();
    let models = [1, 2, 3].map(|order| {
        let mut ngram = Ngram::new(order, vocabulary.len(), WEIGHT);
        ngram.count(&tokens);
        ngram
    });
    let past = ids(&vocabulary, "jumped over the");
    let shares = |token| {
        models.each_ref().map(|ngram| ngram.probability(&past, token))
    };
    section("After over the");
    let all: Vec<Token> = (0..vocabulary.len() as Token).collect();
    let line =
        |(&token, word): (&Token, String)| (word, shares(token).fixed(3));
    let names = ["next", "anywhere", "after the", "after over the"];
    table(names, all.iter().zip(vocabulary.decode(&all)).map(line));
    let [anywhere, after_the, _] = shares(ids(&vocabulary, "cat")[0]);
    section("The cat");
    value("words of the story", tokens.len());
    value("different words", vocabulary.len());
    value("cat anywhere", anywhere.fixed(3));
    value("cat after the", after_the.fixed(3));
}

/// After how many different words each word of the story comes.
fn different_before() {
    let (vocabulary, tokens) = story();
    let all: Vec<Token> = (0..vocabulary.len() as Token).collect();
    let line = |(&id, word): (&Token, String)| {
        // Before the first word is the beginning, which is none.
        let before = std::iter::once(None).chain(tokens.iter().map(Some));
        let pairs = before.zip(&tokens).filter(|&(_, &next)| next == id);
        let before: BTreeSet<_> = pairs.map(|(before, _)| before).collect();
        let times = tokens.iter().filter(|&&token| token == id).count();
        (word, times, before.len())
    };
    section("Times and different words before");
    let names = ["word", "times", "different words before"];
    table(names, all.iter().zip(vocabulary.decode(&all)).map(line));
}

/// What is subtracted in the example by hand.
const DISCOUNT: f64 = 0.75;

fn discounted() {
    let (vocabulary, tokens) = story();
    let mut model = KneserNey::new(2, vocabulary.len(), &tokens);
    model.discounts.fill([DISCOUNT; 3]);
    let [the, cat, jumped] =
        ["the", "cat", "jumped"].map(|word| ids(&vocabulary, word)[0]);
    let after = |next| format!("{:.3}", model.probability(&[the], next));
    section("Discounted");
    value("discount", DISCOUNT);
    value("cat after the, discounted", after(cat));
    value("jumped after the, discounted", after(jumped));
    value("kept", ((2.0 - DISCOUNT) / 6.0).fixed(3));
    value("given away", (4.0 * DISCOUNT / 6.0).fixed(2));
    value("cat anywhere, discounted", model.probability(&[], cat).fixed(3));
    let jumped = model.probability(&[], jumped).fixed(3);
    value("jumped anywhere, discounted", jumped);
}

/// The shares after the full stop, divided by how often something followed
/// it, and by how often it occurs.
fn occurs_or_followed() {
    let (vocabulary, tokens) = story();
    let stop = ids(&vocabulary, ".")[0];
    let occurs = tokens.iter().filter(|&&token| token == stop).count();
    let followed = tokens.windows(2).filter(|pair| pair[0] == stop).count();
    section("After the full stop");
    value("it occurs", occurs);
    value("and is followed", followed);
    let sum = followed as f64 / occurs as f64;
    value("shares sum to", sum.fixed(2));
}

/// Fails for shares that are divided by something else.
fn sums_to_1(
    text: &[Token],
    vocabulary: usize,
    p: impl Fn(&[Token], Token) -> f64,
) {
    for i in 0..=text.len() {
        let all = 0..vocabulary as Token;
        let sum: f64 = all.map(|next| p(&text[..i], next)).sum();
        assert!((sum - 1.0).abs() < 1e-12, "after {i} tokens: {sum}");
    }
    assert!(surprise(&[text], p) < (vocabulary as f64).ln());
}

/// A row of what `src/logs/writer.sh` has counted: merges, order, how, weight, read, tokens, nats and
/// perplexity.
type Row = [&'static str; 8];

fn rows(merges: &str, how: &str) -> Vec<Row> {
    let rows = log::table::<8>(log::read("ngram-counts"));
    rows.filter(|row| row[0] == merges && row[2] == how).collect()
}

/// Perplexities of counts of 1, 2 and more tokens.
pub fn perplexities(how: &str) -> Vec<f64> {
    rows("500", how).iter().map(|row| number(row[7])).collect()
}

fn the_pages() {
    let (mixed, discounted) =
        (rows("500", "interpolated"), rows("500", "Kneser-Ney"));
    section("The pages");
    value("tokens to learn from", grouped(mixed[0][4]));
    value("tokens held out", grouped(mixed[0][5]));
    value("vocabulary", 500 + 256 + 2);
    section("Perplexity on the held-out pages");
    let names = ["", "bigram", "trigram", "4-gram", "5-gram"];
    let line = |(i, (one, other)): (usize, (&Row, &Row))| {
        let name = if i == 0 { "single tokens" } else { names[i] };
        let decimal = |row: &Row| number::<f64>(row[7]).fixed(1);
        (name, one[3], decimal(one), decimal(other))
    };
    let lines = mixed.iter().zip(&discounted).enumerate().map(line);
    let heads = ["counts of", "best λ", "interpolated", "Kneser–Ney"];
    table(heads, lines);
}

/// The same pages with twice the merges.
fn two_vocabularies() {
    section("Two vocabularies");
    let line = |merges| {
        let all = rows(merges, "interpolated");
        let row = all.iter().find(|row| row[1] == "3").expect("a trigram");
        let [.., tokens, nats, p] = row;
        let sum = number::<f64>(tokens) * number::<f64>(nats);
        (
            merges,
            grouped(*tokens),
            number::<f64>(p).fixed(1),
            grouped(sum.fixed(0)),
        )
    };
    let names =
        ["merges", "tokens held out", "perplexity", "nats of all of them"];
    table(names, ["500", "1000"].map(line));
}
