//! The model in a hundred lines translates a caption:
//! `cargo run --example plain -- "a dog runs through the snow ."`
//!
//! Without a caption it takes that one, and prints the numbers on the way.

use all_you_need::plain::{
    Matrix, Model, decode, decoder_layer, embed, encode, encoder_layer,
    greedy,
};
use all_you_need::tokens::Token;
use all_you_need::translation::Translator;
use clap::Parser;
use print::{Fixed, fixed, section, size, table, value};
use std::path::PathBuf;
use std::process::ExitCode;

#[path = "plain/oracle.rs"]
mod oracle;
#[path = "shared/whole.rs"]
mod whole;

use whole::{ends, model, text, tokens};

/// Translates a caption with the model in a hundred lines.
#[derive(Parser)]
struct Arguments {
    /// A caption in English, in small letters, with spaces between words and
    /// punctuation
    caption: Option<String>,
    /// The directory of a trained model, in place of the book's
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Arguments { caption, model } = Arguments::parse();
    let translator = match model.map(|path| Translator::open(&path)) {
        Some(Ok(translator)) => translator,
        Some(Err(error)) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
        None => Translator::captions(),
    };
    match caption {
        Some(caption) => println!("{}", translation(&translator, &caption)),
        None => step_by_step(&translator, CAPTION),
    }
    ExitCode::SUCCESS
}

/// What is translated if nothing is asked for.
const CAPTION: &str = "a dog runs through the snow .";

/// The model itself.
const FILE: &str = include_str!("../plain.rs");

/// The caption, by the plain model with the parameters of a translator.
fn translation(translator: &Translator, caption: &str) -> String {
    let model = model(translator);
    let source = tokens(translator, caption);
    let target = greedy(&model, &source, ends(translator));
    text(translator, &target)
}

/// The first numbers of each step, for a program that wants to do the same.
fn step_by_step(translator: &Translator, caption: &str) {
    let (p, source) = (model(translator), tokens(translator, caption));
    let ends = ends(translator);
    section("The caption");
    value("caption", caption);
    value("translation", translation(translator, caption));
    let code = FILE.lines().map(str::trim);
    let code =
        code.filter(|line| !line.is_empty() && !line.starts_with("//"));
    value("lines", FILE.lines().count());
    value("lines of code", code.count());
    section("Tokens");
    let list = |tokens: &[usize]| {
        let tokens: Vec<_> = tokens.iter().map(usize::to_string).collect();
        tokens.join(" ")
    };
    value("source", list(&source));
    value("begin and end", list(&ends));
    let target = greedy(&p, &source, ends);
    value("target", list(&target));
    value("its first word", translator.tokenizer.name(target[0] as Token));
    section("Steps");
    let fed = [ends[0], target[0]];
    table(["", "shape", "row 2", "", "", ""], steps(&p, &source, &fed));
    section("The highest score");
    let scores = decode(&p, &fed, &encode(&p, &source));
    let (token, score) = scores.row(1).transpose().argmax();
    value("score", score.fixed(4));
    value("its token", token);
    value("its word", translator.tokenizer.name(token as Token));
    oracle::check();
    oracle::slips();
}

/// A name, a shape and four numbers of the second row.
type Step = (String, String, Vec<String>);

/// A line for each step of encoder and decoder. The second row is shown,
/// since at place 0 all angles are 0.
fn steps(p: &Model, source: &[usize], fed: &[usize]) -> Vec<Step> {
    let Model(rows, encoder, decoder) = p;
    let mut lines = Vec::new();
    let mut print = |name: String, m: &Matrix| {
        let second = m.row(1).columns(0, 4).into_owned();
        lines.push((name, size(m.shape()), fixed(&second, 4)));
    };
    let mut x = embed(rows, source);
    print("source, embedded".into(), &x);
    let all = Matrix::zeros(source.len(), source.len());
    for (layer, l) in encoder.iter().zip(1..) {
        x = encoder_layer(layer, &x, &all);
        print(format!("encoder layer {l}"), &x);
    }
    let mut y = embed(rows, fed);
    print("target, embedded".into(), &y);
    for (layer, l) in decoder.iter().zip(1..) {
        y = decoder_layer(layer, &y, &x);
        print(format!("decoder layer {l}"), &y);
    }
    print("scores".into(), &decode(p, fed, &encode(p, source)));
    lines
}
