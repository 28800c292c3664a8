//! SmolLM2 in the plain functions, right and with three slips.

use super::slips::LLAMA;
use all_you_need::plain::names::{self, Tensors};
use all_you_need::plain::published::{Llama, llama};
use all_you_need::published::ByteLevel;
use all_you_need::tokens::Token;
use print::folded;
use std::path::Path;

/// The numbers of SmolLM2: heads of 64 columns, θ = 100,000, 30 layers.
fn open(folder: &Path) -> Llama {
    let file = Tensors::open(&folder.join("model.safetensors"));
    names::llama((64, 100_000.0), 30, &file)
}

/// A beginning and n tokens more, always the most probable one.
fn go_on(model: &Llama, beginning: &[usize], n: usize) -> Vec<usize> {
    let mut text = beginning.to_vec();
    for _ in 0..n {
        let scores = llama(model, &text);
        let last = scores.row(text.len() - 1).transpose();
        text.push(last.argmax().0);
    }
    text
}

pub fn write(folder: &Path, beginning: &str) {
    let tokenizer = ByteLevel::open(folder).expect("a tokenizer");
    let tokens = tokenizer.encode(beginning);
    let tokens: Vec<usize> = tokens.iter().map(|&t| t as usize).collect();
    let say = |name: &str, model: &Llama| {
        let text = go_on(model, &tokens, 16);
        let text: Vec<_> = text.iter().map(|&t| t as Token).collect();
        println!("{name}:\n{}", folded(&tokenizer.decode(&text)));
    };
    say("as it is", &open(folder));
    for (name, slip) in LLAMA {
        let mut model = open(folder);
        slip(&mut model);
        say(name, &model);
    }
}
