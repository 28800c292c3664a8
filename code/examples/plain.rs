//! The model in a hundred lines translates a caption:
//! `cargo run --example plain -- "a dog runs through the snow ."`

use all_you_need::parameters::Parameters;
use all_you_need::plain::{self, greedy, read};
use all_you_need::tokens::Token;
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
    let source = tokens(&translator, &caption);
    let target = greedy(&model, &source, ends(&translator));
    println!("{}", text(&translator, &target));
}

/// The plain model, with the parameters of the book's translator.
pub fn model(translator: &Translator) -> plain::Model {
    let (heads, layers) = (translator.config.heads, translator.config.layers);
    let leaves = translator.model.leaves().into_iter();
    let mut matrices = leaves.map(|(_, leaf)| leaf.map(f64::from));
    read::model(heads, layers, &mut matrices)
}

/// The tokens of a caption, and end of sequence.
pub fn tokens(translator: &Translator, caption: &str) -> Vec<usize> {
    let tokens = translator.tokenizer.encode_source(caption).into_iter();
    tokens.map(|token| token as usize).collect()
}

/// Begin and end of sequence.
pub fn ends(translator: &Translator) -> [usize; 2] {
    let tokenizer = &translator.tokenizer;
    [tokenizer.bos(), tokenizer.eos()].map(|token| token as usize)
}

/// The text of these tokens.
pub fn text(translator: &Translator, tokens: &[usize]) -> String {
    let tokens: Vec<_> = tokens.iter().map(|&id| id as Token).collect();
    translator.tokenizer.decode(&tokens)
}
