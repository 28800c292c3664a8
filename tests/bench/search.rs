//! How long one caption takes, and one token of a writer, when the model is
//! loaded and a single thread works, with what was computed before and with
//! all rows computed anew in each step:
//! `RAYON_NUM_THREADS=1 cargo bench --bench search`
//!
//! The captions are the book's, translated by its model. The writer has the
//! sizes of the book's, and random weights, because what it says does not
//! matter here.

use all_you_need::search::LanguageModel;
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::translation::Translator;
use all_you_need::writer::{self, Half, Past};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::hint::black_box;
use std::time::Instant;

/// The best of so many tries is what the work takes; in the others, something
/// else was at work, too.
const TRIES: usize = 7;

const CAPTIONS: &str = include_str!("../../src/logs/translation-own.en");

fn main() {
    println!("what\tmilliseconds");
    captions();
    token();
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
