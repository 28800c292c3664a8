//! How well counts predict a text, as a table with tabs:
//!
//! `cargo bench --bench ngram -- TRAINING HELD-OUT` counts n-grams in a file
//! of paragraphs, and predicts the windows of another, as the writer does.

#[path = "common/arguments.rs"]
mod arguments;

use all_you_need::loss::perplexity;
use all_you_need::ngram::{KneserNey, Ngram, surprise};
use all_you_need::tokens::{Bpe, Token, Tokenizer};
use all_you_need::translation::read;
use all_you_need::writer::{Text, WINDOW, running, windows};
use arguments::arguments;
use std::path::Path;

fn main() {
    let [training, held_out] = arguments()[..] else {
        panic!("a file to count in, and one to predict");
    };
    count(&paragraphs(training), &paragraphs(held_out));
}

fn paragraphs(file: &str) -> Vec<String> {
    let lines = read(Path::new(file));
    let mut lines = lines.unwrap_or_else(|error| panic!("{error}"));
    lines.retain(|line| !line.is_empty());
    lines
}

fn count(lines: &[String], others: &[String]) {
    println!("merges\torder\thow\tweight\tread\ttokens\tnats\tperplexity");
    for (merges, orders) in [(500, 1..=5), (1000, 3..=3)] {
        let tokenizer = Tokenizer::new(Bpe::train(&lines.join(" "), merges));
        let v = tokenizer.vocabulary();
        let [text, other] =
            [lines, others].map(|lines| running(lines, &tokenizer));
        let other = windows(&other, WINDOW, WINDOW);
        let other: Vec<&[Token]> =
            other.iter().map(|Text(window)| &window[..]).collect();
        let row = |order: usize, how: &str, weight: &str, nats: f64| {
            let (n, m) = (text.len() - 1, other.len() * WINDOW);
            let p = perplexity(nats);
            println!(
                "{merges}\t{order}\t{how}\t{weight}\t{n}\t{m}\t{nats:.4}\t{p:.2}"
            );
        };
        for order in orders {
            let weight = best_weight(order, v, &text);
            let ngram = counted(order, v, weight, &text);
            let p = |past: &[Token], next| ngram.probability(past, next);
            let nats = surprise(&other, p);
            row(order, "interpolated", &format!("{weight:.2}"), nats);
            let ngram = KneserNey::new(order, v, &text);
            let p = |past: &[Token], next| ngram.probability(past, next);
            row(order, "Kneser-Ney", "", surprise(&other, p));
        }
    }
}

fn counted(order: usize, v: usize, weight: f64, text: &[Token]) -> Ngram {
    let mut ngram = Ngram::new(order, v, weight);
    ngram.count(text);
    ngram
}

/// The weight by which nine tenths of a text best predict the last tenth.
fn best_weight(order: usize, v: usize, text: &[Token]) -> f64 {
    let (known, kept) = text.split_at(text.len() / 10 * 9);
    let nats = |weight: f64| {
        let ngram = counted(order, v, weight, known);
        surprise(&[kept], |past, next| ngram.probability(past, next))
    };
    let weights = (1..20).map(|i| f64::from(i) / 20.0);
    let best = weights.min_by(|a, b| nats(*a).total_cmp(&nats(*b)));
    best.expect("a weight")
}
