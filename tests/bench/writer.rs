//! What the writer is compared with, and what it says, as tables with tabs:
//!
//! `cargo bench --bench writer -- count TRAINING HELD-OUT` counts n-grams in
//! a file of paragraphs, and says how well they predict another.
//!
//! `cargo bench --bench writer -- mix DIR TRAINING HELD-OUT` takes the mean
//! of the probabilities of a writer and of the best counts.
//!
//! `cargo bench --bench writer -- say DIR TRAINING` has a writer go on with
//! some beginnings, and a trigram.

use all_you_need::attention::{Mask, Softmax};
use all_you_need::loss::perplexity;
use all_you_need::search::{LanguageModel, Sampling, sample};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Bpe, Token, Tokenizer};
use all_you_need::training::{Stream, generator};
use all_you_need::translation::read;
use all_you_need::writer::{Ngram, Text, WINDOW, Writer, running, windows};
use std::collections::HashMap;
use std::env;
use std::path::Path;

fn main() {
    // Cargo itself adds a flag.
    let all = env::args().skip(1).filter(|word| word != "--bench");
    let all: Vec<String> = all.collect();
    match all.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["count", training, held_out] => {
            count(&paragraphs(training), &paragraphs(held_out));
        }
        ["mix", dir, training, held_out] => {
            mix(dir, &paragraphs(training), &paragraphs(held_out));
        }
        ["say", dir, training] => say(dir, &paragraphs(training)),
        _ => panic!("count or mix or say, and their files"),
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

/// Counts with the discount of Kneser and Ney (1995), interpolated: a shorter
/// context counts in how many longer ones a token has followed it.
struct KneserNey {
    order: usize,
    vocabulary: usize,
    counts: HashMap<Vec<Token>, HashMap<Token, usize>>,
}

const DISCOUNT: f64 = 0.75;

impl KneserNey {
    fn new(order: usize, vocabulary: usize, text: &[Token]) -> Self {
        let mut counts = HashMap::<_, HashMap<_, _>>::new();
        for (i, &next) in text.iter().enumerate() {
            for start in i.saturating_sub(order - 1)..=i {
                let after = counts.entry(text[start..i].to_vec());
                let count = after.or_default().entry(next).or_insert(0);
                *count += 1;
                if *count > 1 {
                    break; // The shorter contexts have counted it.
                }
            }
        }
        Self { order, vocabulary, counts }
    }

    fn probability(&self, past: &[Token], next: Token) -> f64 {
        let longest = past.len().min(self.order - 1);
        let contexts = (0..=longest).map(|n| &past[past.len() - n..]);
        contexts.fold(1.0 / self.vocabulary as f64, |shorter, context| {
            let Some(after) = self.counts.get(context) else {
                return shorter;
            };
            let all = after.values().sum::<usize>() as f64;
            let own = after.get(&next).map_or(0.0, |&n| n as f64);
            let left = DISCOUNT * after.len() as f64;
            ((own - DISCOUNT).max(0.0) + left * shorter) / all
        })
    }
}

/// The mean surprise at each token of a text but the first, in nats.
fn nats(text: &[Token], p: impl Fn(usize) -> f64) -> f64 {
    let surprise = |i| -p(i).ln();
    (1..text.len()).map(surprise).sum::<f64>() / (text.len() - 1) as f64
}

/// The best of these weights; it is chosen by the text itself, which favours
/// the counts.
fn interpolated(
    order: usize,
    v: usize,
    text: &[Token],
    other: &[Token],
) -> f64 {
    let loss = |tenth| {
        let mut ngram = Ngram::new(order, v, f64::from(tenth) / 10.0);
        ngram.count(text);
        ngram.loss(&[Text(other.to_vec())])
    };
    (3..=8).map(loss).fold(f64::INFINITY, f64::min)
}

fn count(lines: &[String], others: &[String]) {
    println!("merges\torder\thow\tread\ttokens\tnats\tperplexity");
    for (merges, orders) in [(500, 1..=5), (1000, 3..=3)] {
        let tokenizer = Tokenizer::new(Bpe::train(&lines.join(" "), merges));
        let v = tokenizer.vocabulary();
        let [text, other] =
            [lines, others].map(|lines| running(lines, &tokenizer));
        let row = |order: usize, how: &str, nats: f64| {
            let (n, m, p) =
                (text.len() - 1, other.len() - 1, perplexity(nats));
            println!("{merges}\t{order}\t{how}\t{n}\t{m}\t{nats:.4}\t{p:.2}");
        };
        for order in orders {
            let mixed = interpolated(order, v, &text, &other);
            row(order, "interpolated", mixed);
            let counts = KneserNey::new(order, v, &text);
            let p = |i: usize| counts.probability(&other[..i], other[i]);
            row(order, "Kneser-Ney", nats(&other, p));
        }
    }
}

/// The held-out windows, predicted by both, and by half of each.
fn mix(dir: &str, lines: &[String], others: &[String]) {
    let Writer { tokenizer, model, .. } = load(dir);
    let v = tokenizer.vocabulary();
    let [text, other] =
        [lines, others].map(|lines| running(lines, &tokenizer));
    let counts = KneserNey::new(4, v, &text);
    let (mut sums, mut n) = ([0.0; 3], 0);
    for (k, Text(window)) in
        windows(&other, WINDOW, WINDOW).iter().enumerate()
    {
        let z = model.causal(&[&window[..WINDOW]]);
        let logits = z.matmul_t(&model.embedding.table);
        let p = logits.softmax(&Mask::none(WINDOW, v));
        for i in 1..=WINDOW {
            let next = window[i];
            let one = f64::from(p[(i - 1, next as usize)]);
            let past = &other[..k * WINDOW + i];
            let two = counts.probability(past, next);
            for (sum, p) in sums.iter_mut().zip([one, two, (one + two) / 2.0])
            {
                *sum -= p.ln();
            }
            n += 1;
        }
    }
    println!("what\ttokens\tperplexity");
    for (what, sum) in ["writer", "counts", "half of each"].iter().zip(sums) {
        println!("{what}\t{n}\t{:.2}", perplexity(sum / f64::from(n)));
    }
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
