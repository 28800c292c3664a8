//! The model in a hundred lines, with what a translator has learned.

use all_you_need::parameters::Parameters;
use all_you_need::plain::{Model, read};
use all_you_need::tokens::Token;
use all_you_need::translation::Translator;

/// The plain model, with the parameters of a translator.
pub fn model(translator: &Translator) -> Model {
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
