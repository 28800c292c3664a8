//! What the writer is compared with, and what it says, as tables with tabs:
//!
//! `cargo bench --bench writer -- mix DIR TRAINING HELD-OUT` takes the mean
//! of the probabilities of a writer and of the best counts, and gives the
//! writer more past.
//!
//! `cargo bench --bench writer -- say DIR TRAINING` has a writer go on with
//! some beginnings, and a trigram.

#[path = "common/arguments.rs"]
mod arguments;

use all_you_need::attention::{Mask, Softmax};
use all_you_need::loss::perplexity;
use all_you_need::ngram::{KneserNey, Ngram};
use all_you_need::search::{LanguageModel, Sampling, sample};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::training::{Stream, generator};
use all_you_need::translation::read;
use all_you_need::writer::{Text, WINDOW, Writer, running, windows};
use arguments::arguments;
use std::path::Path;

fn main() {
    match arguments()[..] {
        ["mix", dir, training, held_out] => {
            mix(dir, &paragraphs(training), &paragraphs(held_out));
        }
        ["say", dir, training] => say(dir, &paragraphs(training)),
        _ => panic!("mix or say, and their files"),
    }
}

fn paragraphs(file: &str) -> Vec<String> {
    let lines = read(Path::new(file));
    let mut lines = lines.unwrap_or_else(|error| panic!("{error}"));
    lines.retain(|line| !line.is_empty());
    lines
}

fn load(dir: &str) -> Writer {
    let loaded = Writer::load(Path::new(dir));
    loaded.unwrap_or_else(|error| panic!("{error}"))
}

/// The probability that a writer gives each token of a window but the first.
fn probabilities(writer: &Writer, window: &[Token]) -> Vec<f64> {
    let model = &writer.model;
    let z = model.causal(&[&window[..window.len() - 1]]);
    let logits = z.matmul_t(&model.embedding.table);
    let (n, v) = logits.shape();
    let p = logits.softmax(&Mask::none(n, v));
    let each = window[1..].iter().enumerate();
    each.map(|(i, &next)| f64::from(p[(i, next as usize)])).collect()
}

/// The held-out windows, predicted by the writer, by counts and by half of
/// each; and by the writer in windows that overlap by half, where each token
/// but the first few has half a window of past.
fn mix(dir: &str, lines: &[String], others: &[String]) {
    let writer = load(dir);
    let tokenizer = &writer.tokenizer;
    let [text, other] =
        [lines, others].map(|lines| running(lines, tokenizer));
    let counts = KneserNey::new(5, tokenizer.vocabulary(), &text);
    let row = |what: &str, tokens: usize, nats: f64| {
        let p = perplexity(nats / tokens as f64);
        println!("{what}\t{tokens}\t{p:.2}");
    };
    println!("what\ttokens\tperplexity");
    let (mut sums, mut n) = ([0.0; 3], 0);
    for Text(window) in windows(&other, WINDOW, WINDOW) {
        for (i, one) in probabilities(&writer, &window).iter().enumerate() {
            let two = counts.probability(&window[..=i], window[i + 1]);
            for (sum, p) in
                sums.iter_mut().zip([*one, two, (one + two) / 2.0])
            {
                *sum -= p.ln();
            }
            n += 1;
        }
    }
    for (what, sum) in ["writer", "counts", "half of each"].iter().zip(sums) {
        row(what, n, sum);
    }
    let (mut sum, mut n) = (0.0, 0);
    for (k, Text(window)) in
        windows(&other, WINDOW, WINDOW / 2).iter().enumerate()
    {
        let known = if k == 0 { 0 } else { WINDOW / 2 };
        for p in &probabilities(&writer, window)[known..] {
            sum -= p.ln();
            n += 1;
        }
    }
    row("writer with half a window of past", n, sum);
}

/// An n-gram model that goes on with a text.
struct Counter {
    ngram: Ngram,
    past: Vec<Token>,
}

impl LanguageModel<f64> for Counter {
    fn next_logits(&mut self, _: &[usize], tokens: &[Token]) -> Matrix {
        self.past.extend(tokens);
        let log = |token, _| {
            self.ngram.probability(&self.past, token as Token).ln()
        };
        Matrix::from_fn(self.ngram.vocabulary, 1, log)
    }
}

/// What is said in how many tokens at most.
const LIMIT: usize = 90;

const BEGINNINGS: [&str; 2] = ["Attention is", "The decoder"];

fn say(dir: &str, lines: &[String]) {
    let writer = load(dir);
    let Writer { tokenizer, .. } = &writer;
    let plain = Sampling::new(tokenizer.bos(), tokenizer.eos());
    let settings = [
        ("as it is", plain.clone()),
        ("temperature 0.5", Sampling { temperature: 0.5, ..plain.clone() }),
        ("top-k 1", Sampling { top_k: 1, ..plain.clone() }),
        ("top-p 0.8", Sampling { top_p: 0.8, ..plain.clone() }),
    ];
    println!("who\tsettings\tbeginning\tgoes on");
    let row = |who, settings, beginning, tokens: Vec<Token>| {
        let ends = if tokens.len() < LIMIT { "" } else { " …" };
        let said = tokenizer.decode(&tokens);
        println!("{who}\t{settings}\t{beginning}\t{said}{ends}");
    };
    for (name, sampling) in &settings {
        for beginning in BEGINNINGS {
            let mut rng = generator(1, Stream::Data);
            let drawn = writer.tokens(beginning, sampling, &mut rng);
            let drawn: Result<Vec<Token>, _> = drawn.take(LIMIT).collect();
            row("writer", *name, beginning, drawn.expect("finite logits"));
        }
    }
    let mut ngram = Ngram::new(3, tokenizer.vocabulary(), 0.6);
    ngram.count(&running(lines, tokenizer));
    for beginning in BEGINNINGS {
        let mut past = tokenizer.encode(beginning);
        past.insert(0, tokenizer.eos());
        let bos = past.pop().expect("a beginning");
        let mut counter = Counter { ngram: ngram.clone(), past };
        let sampling = Sampling { bos, ..plain.clone() };
        let rng = &mut generator(1, Stream::Data);
        let drawn = sample(&mut counter, LIMIT, &sampling, rng);
        row("trigram", "as it is", beginning, drawn.expect("finite logits"));
    }
}
