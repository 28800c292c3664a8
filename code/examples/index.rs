//! What the first page shows: `cargo run --example index`

use all_you_need::plain::Matrix;
use all_you_need::translation::Translator;
use print::{section, value};

fn main() {
    let seen = seen();
    section("A caption");
    let (_, said) = seen.written.split_last().expect("an end");
    value("translation", said.join(" "));
    let (query, key) = seen.article();
    section("Where it looks");
    value("the article", &seen.written[query]);
    value("the noun", &seen.caption[key]);
    let (layer, head) = HEAD;
    value("layer", layer);
    value("head", head);
}

/// The caption that the page begins with.
const CAPTION: &str = "a woman in a red coat is reading a book .";

/// The head that is shown, counted from 0: in which layer of the decoder, and
/// which of its attention to the caption.
pub const HEAD: (usize, usize) = (2, 3);

/// A translated caption, and what one head looked at meanwhile.
pub struct Seen {
    pub caption: Vec<String>,
    /// The translation, and its end.
    pub written: Vec<String>,
    /// A row for each word, from the moment when it is chosen, a column for
    /// each that was read.
    pub weights: Matrix,
}

impl Seen {
    /// Where the article of the coat is, and where its noun: the largest weight
    /// of this row.
    pub fn article(&self) -> (usize, usize) {
        let query = self.written.iter().position(|word| word == "einem");
        let query = query.expect("the coat has an article");
        (query, self.weights.row(query).transpose().argmax().0)
    }
}

/// Translates the caption.
pub fn seen() -> Seen {
    let translator = Translator::captions();
    let tokenizer = &translator.tokenizer;
    let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
    let source = tokenizer.encode_source(CAPTION);
    let target = translator.model.greedy(&source, bos, eos);
    let target = target.expect("finite logits");
    let fed = [&[bos], &target[..]].concat();
    let maps = translator.attention_maps(&source, &fed);
    let (layer, head) = HEAD;
    let words = |tokens: &[u32]| -> Vec<String> {
        let word = |&id: &u32| match tokenizer.decode(&[id]).trim() {
            "" => "end".to_owned(),
            word => word.to_owned(),
        };
        tokens.iter().map(word).collect()
    };
    Seen {
        caption: words(&source),
        written: words(&[&target[..], &[eos]].concat()),
        weights: maps.cross[layer][head].map(f64::from),
    }
}
