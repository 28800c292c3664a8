//! The model in a hundred lines translates a caption:
//! `cargo run --example plain -- "a dog runs through the snow ."`

use all_you_need::parameters::Parameters;
use all_you_need::plain::{self, greedy, read};
use all_you_need::translation::Translator;
use clap::Parser;

/// Translates a caption with the model in a hundred lines.
#[derive(Parser)]
struct Arguments {
    /// A caption in English, in small letters, with spaces between words and
    /// punctuation
    #[arg(default_value = "a dog runs through the snow .")]
    caption: String,
}

fn main() {
    let Arguments { caption } = Arguments::parse();
    let translator = Translator::captions();
    let model = model(&translator);
    let tokenizer = &translator.tokenizer;
    let source: Vec<usize> = tokenizer
        .encode_source(&caption)
        .into_iter()
        .map(|token| token as usize)
        .collect();
    let ends = [tokenizer.bos() as usize, tokenizer.eos() as usize];
    let target = greedy(&model, &source, ends);
    let target: Vec<_> = target.into_iter().map(|id| id as u32).collect();
    println!("{}", tokenizer.decode(&target));
}

/// The plain model, with the parameters of the book's translator.
pub fn model(translator: &Translator) -> plain::Model {
    let (heads, layers) = (translator.config.heads, translator.config.layers);
    let leaves = translator.model.leaves().into_iter();
    let mut matrices = leaves.map(|(_, leaf)| leaf.map(f64::from));
    read::model(heads, layers, &mut matrices)
}
