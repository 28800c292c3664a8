//! What rounding costs a trained model, as tables with tabs:
//!
//! `cargo bench --bench quantization -- tensors MODEL` rounds every matrix of
//! MODEL to 8 bits, and says how large the errors are for a scale per row, a
//! scale per column and one scale per matrix, as parts of the matrix.
//!
//! `cargo bench --bench quantization -- scores MODEL DATA ALPHA` rounds it to
//! fewer and fewer bits, and has `val` of DATA translated.
//!
//! `cargo bench --bench quantization -- loading` says how long the book's own
//! model takes to be there, and to translate a caption.

#[path = "common/arguments.rs"]
mod arguments;

use all_you_need::bleu::{Tokenize, bleu};
use all_you_need::parameters::Parameters;
use all_you_need::tensor::Matrix;
use all_you_need::training::validation_loss;
use all_you_need::translation::{Translator, corpus, examples};
use arguments::arguments;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

fn main() {
    match arguments()[..] {
        ["tensors", model] => tensors(&load(model)),
        ["scores", model, data, alpha] => {
            let alpha = alpha.parse().expect("a number for ALPHA");
            scores(&load(model), Path::new(data), alpha);
        }
        ["loading"] => loading(),
        _ => panic!("tensors MODEL, scores MODEL DATA ALPHA, or loading"),
    }
}

fn load(model: &str) -> Translator {
    let loaded = Translator::load(Path::new(model));
    loaded.unwrap_or_else(|error| panic!("{error}"))
}

/// The seconds of the fastest of ten tries.
fn fastest<T>(name: &str, work: impl Fn() -> T) {
    let once = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    let fastest = (0..10).map(once).min().expect("ten tries");
    println!("{name}\t{:.4}", fastest.as_secs_f64());
}

fn loading() {
    fastest("loading", Translator::captions);
    let translator = Translator::captions();
    let beam = translator.beam(5, Translator::CAPTIONS_ALPHA, 1);
    let text = "a dog runs through the snow and a man follows it .";
    fastest("translating", || translator.translate(&[text], &beam).unwrap());
}

/// What a scale is for.
#[derive(Clone, Copy)]
enum Scales {
    Row,
    Column,
    Matrix,
}

/// The largest of these numbers, without their signs.
fn largest<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> f32 {
    numbers.into_iter().fold(0.0, |most: f32, x| most.max(x.abs()))
}

/// A matrix that is left of this one with so many bits for each number.
fn rounded(matrix: &Matrix<f32>, bits: u32, scales: Scales) -> Matrix<f32> {
    if let Scales::Column = scales {
        return rounded(&matrix.transpose(), bits, Scales::Row).transpose();
    }
    let highest = (2_f32.powi(bits as i32 - 1)) - 1.0;
    let all = largest(matrix);
    let mut rounded = matrix.clone();
    for mut row in rounded.row_iter_mut() {
        let most = match scales {
            Scales::Row => largest(row.iter()),
            _ => all,
        };
        let scale = (most / highest).max(f32::MIN_POSITIVE);
        row.apply(|x| *x = (*x / scale).round() * scale);
    }
    rounded
}

fn tensors(translator: &Translator) {
    println!(
        "name\trows\tcolumns\tlargest row\tby row\tby column\tby matrix"
    );
    for (name, leaf) in translator.model.leaves() {
        let (rows, columns) = leaf.shape();
        if rows == 1 {
            continue;
        }
        let mut most: Vec<f32> =
            leaf.row_iter().map(|row| largest(row.iter())).collect();
        most.sort_unstable_by(f32::total_cmp);
        // Compared with the row in the middle.
        let largest = most[rows - 1] / most[rows / 2];
        let error =
            |scales| (rounded(leaf, 8, scales) - leaf).norm() / leaf.norm();
        let scales = [Scales::Row, Scales::Column, Scales::Matrix];
        let errors = scales.map(|scales| format!("{:.5}", error(scales)));
        let errors = errors.join("\t");
        println!("{name}\t{rows}\t{columns}\t{largest:.2}\t{errors}");
    }
}

/// The texts of `val`, and how they are translated.
struct Judge {
    texts: Vec<String>,
    references: Vec<String>,
    pairs: Vec<(String, String)>,
    alpha: f64,
}

fn scores(translator: &Translator, data: &Path, alpha: f64) {
    let pairs = corpus(&data.join("val.en"), &data.join("val.de"));
    let pairs = pairs.unwrap_or_else(|error| panic!("{error}"));
    let (texts, references) = pairs.iter().cloned().unzip();
    let judge = Judge { texts, references, pairs, alpha };
    println!("bits\tscales\tnats\tBLEU\tunchanged");
    let plain = judge.row("32\tnone", translator, None);
    for (name, scales) in [("row", Scales::Row), ("matrix", Scales::Matrix)] {
        for bits in [8, 6, 5, 4, 3] {
            let mut rough = translator.clone();
            for leaf in rough.model.leaves_mut() {
                if leaf.nrows() > 1 {
                    *leaf = rounded(leaf, bits, scales);
                }
            }
            judge.row(&format!("{bits}\t{name}"), &rough, Some(&plain));
        }
    }
}

impl Judge {
    /// Prints the loss, the BLEU, and how many translations are those of the
    /// model that was not rounded. Returns the translations.
    fn row(
        &self,
        name: &str,
        translator: &Translator,
        plain: Option<&[String]>,
    ) -> Vec<String> {
        let examples = examples(&self.pairs, &translator.tokenizer);
        let examples = examples.expect("texts that are not too long");
        let nats = validation_loss(&translator.model, &examples);
        let beam = translator.beam(5, self.alpha, 1);
        let said = translator.translate(&self.texts, &beam);
        let said = said.expect("finite scores");
        let score = bleu(&said, &self.references, Tokenize::None).score;
        let plain = plain.unwrap_or(&said).iter();
        let unchanged = plain.zip(&said).filter(|(a, b)| a == b).count();
        println!("{name}\t{nats:.4}\t{score:.2}\t{unchanged}");
        said
    }
}
