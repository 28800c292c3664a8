//! How long one caption takes, and one token of a writer, when the model is
//! loaded and a single thread works, with what was computed before and with
//! all rows computed anew in each step:
//! `RAYON_NUM_THREADS=1 cargo bench --bench search`
//!
//! The captions are the book's, translated by its model. The writer has the
//! sizes of the book's, and random weights, because what it says does not
//! matter here.
//!
//! `cargo bench --bench search -- patience DATA` translates `val` of DATA with
//! searches that end sooner or later, and counts the rows that the decoder
//! computes for each.

#[path = "common/arguments.rs"]
mod arguments;

use all_you_need::bleu::{Tokenize, bleu};
use all_you_need::search::{Beam, Cache, LanguageModel, search};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::transformer::longest_target;
use all_you_need::translation::{Translator, corpus};
use all_you_need::writer::{self, Half, Past};
use arguments::arguments;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// The best of so many tries is what the work takes; in the others, something
/// else was at work, too.
const TRIES: usize = 7;

const CAPTIONS: &str = include_str!("../../src/logs/translation-own.en");

fn main() {
    match arguments()[..] {
        ["patience", data] => patience(Path::new(data)),
        [] => {
            println!("what\tmilliseconds");
            captions();
            token();
        }
        _ => panic!("patience DATA, or nothing"),
    }
}

/// Prints the best time of one of `n`, in milliseconds.
fn time(what: &str, n: usize, mut work: impl FnMut()) {
    let seconds = (0..TRIES).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    let best = seconds.fold(f64::INFINITY, f64::min);
    println!("{what}\t{:.2}", best / n as f64 * 1e3);
}

fn captions() {
    let translator = Translator::captions();
    let captions: Vec<&str> = CAPTIONS.lines().collect();
    for (what, width, alpha) in [
        ("greedy", 1, 0.0),
        ("beam of 5, α = 0.6", 5, 0.6),
        ("beam of 5, α = 1.8", 5, 1.8),
    ] {
        let beam = translator.beam(width, alpha, 1);
        time(what, captions.len(), || {
            for caption in &captions {
                black_box(translator.translate(&[caption], &beam))
                    .expect("the book's model is finite");
            }
        });
    }
    let beam = translator.beam(1, 0.0, 1);
    time("greedy, together", captions.len(), || {
        black_box(translator.translate(&captions, &beam))
            .expect("the book's model is finite");
    });
    let tokenizer = &translator.tokenizer;
    let encoded: Vec<_> =
        captions.iter().map(|text| tokenizer.encode_source(text)).collect();
    let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
    time("greedy, all anew", captions.len(), || {
        for source in &encoded {
            black_box(translator.model.greedy(source, bos, eos))
                .expect("the book's model is finite");
        }
    });
}

fn token() {
    const TOKENS: usize = 100;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let model: Half<Matrix<f32>> = Half::new(&writer::config(4000), &mut rng);
    time("token of a writer", TOKENS, || {
        let mut past = Past::new(&model);
        for token in 0..TOKENS as Token {
            black_box(past.next_logits(&[0], &[token]));
        }
    });
    let text: Vec<Token> = (0..TOKENS as Token).collect();
    time("token of a writer, all anew", TOKENS, || {
        for end in 1..=TOKENS {
            let rows = model.causal(&[&text[..end]]);
            let last = rows.rows(end - 1, 1).into_owned();
            black_box(last.matmul_t(&model.embedding.table));
        }
    });
}

/// A model, and how many rows it has computed.
struct Counted<M>(M, usize);

impl<M: LanguageModel<f32>> LanguageModel<f32> for Counted<M> {
    fn next_logits(
        &mut self,
        parents: &[usize],
        tokens: &[Token],
    ) -> Matrix<f32> {
        self.1 += tokens.len();
        self.0.next_logits(parents, tokens)
    }
}

/// The best translation that a search finds, and the rows that it takes.
fn counted(
    Translator { model, tokenizer, .. }: &Translator,
    text: &str,
    beam: &Beam,
) -> (String, usize) {
    let source = tokenizer.encode_source(text);
    let longest = longest_target(&source);
    let mut model = Counted(Cache::new(model, &[source]), 0);
    let found = search(&mut model, &[longest], beam);
    let found = found.expect("the book's model is finite");
    (tokenizer.decode(&found[0][0].tokens), model.1)
}

fn patience(data: &Path) {
    let translator = Translator::captions();
    let pairs = corpus(&data.join("val.en"), &data.join("val.de"));
    let pairs = pairs.unwrap_or_else(|error| panic!("{error}"));
    let (texts, references): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    println!("alpha\tpatience\tBLEU\tchanged\trows");
    for alpha in [0.6, Translator::CAPTIONS_ALPHA] {
        let mut patient = Vec::new();
        for patience in [f64::INFINITY, 4.0, 2.0, 1.0] {
            let beam = Beam { patience, ..translator.beam(5, alpha, 1) };
            let all = texts.par_iter();
            let all = all.map(|text| counted(&translator, text, &beam));
            let (said, rows): (Vec<_>, Vec<_>) = all.unzip();
            if patience.is_infinite() {
                patient.clone_from(&said);
            }
            let changed =
                said.iter().zip(&patient).filter(|(a, b)| a != b).count();
            let score = bleu(&said, &references, Tokenize::None).score;
            let rows: usize = rows.iter().sum();
            println!("{alpha}\t{patience}\t{score:.2}\t{changed}\t{rows}");
        }
    }
}
