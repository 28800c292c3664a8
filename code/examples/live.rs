//! One caption on its way through the translator, as the page "Try it" shows it without a script: `cargo run --example live`

#[path = "live/changed.rs"]
mod changed;

use all_you_need::dictionary::softmax;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::translation::{AttentionMaps, Translator};
use print::{Fixed, grouped, section, value};

/// The first of the captions that the page offers.
const CAPTION: &str = "a black cat sleeps on a red sofa .";

/// What the page loads after its reader asks for it.
const LOADED: [&[u8]; 4] = [
    include_bytes!("../../tools/live/live.wasm"),
    include_bytes!("../models/captions/config.toml"),
    include_bytes!("../models/captions/merges.txt"),
    include_bytes!("../models/captions/model.safetensors"),
];

/// How many columns of the rows are drawn, and how many bars.
pub const COLUMNS: usize = 24;
pub const BARS: usize = 10;

/// The widest beam of the page.
const WIDTH: usize = 5;

fn main() {
    size();
    let trial = Trial::new();
    trial.tokens();
    trial.encoder();
    trial.next();
    trial.search();
    trial.changes();
    trial.to_try();
}

/// The scripts hold the bytes as base64, four letters for each three of them.
/// Most of the bytes are the numbers of the model.
fn size() {
    let letters = |bytes: &[u8]| 4 * bytes.len().div_ceil(3);
    let all: usize = LOADED.into_iter().map(letters).sum();
    let [.., numbers] = LOADED;
    let megabytes = |bytes: usize| (bytes as f64 / 1e6).fixed(1);
    value("megabytes", megabytes(all));
    value("megabytes of numbers", megabytes(numbers.len()));
    value("caption", CAPTION);
}

/// The caption, and what the translator makes of it.
pub struct Trial {
    pub translator: Translator,
    /// The tokens of the caption, and end of sequence.
    pub source: Vec<Token>,
    /// Begin of sequence, and the tokens of the translation.
    pub target: Vec<Token>,
    pub maps: AttentionMaps,
}

impl Default for Trial {
    fn default() -> Self {
        Self::new()
    }
}

impl Trial {
    pub fn new() -> Self {
        Self::of(CAPTION)
    }

    /// The same of another caption.
    pub fn of(caption: &str) -> Self {
        let translator = Translator::captions();
        let Translator { model, tokenizer, .. } = &translator;
        let source = tokenizer.encode_source(caption);
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let said = model.greedy(&source, bos, eos).expect("finite logits");
        let target = [vec![bos], said].concat();
        let maps = translator.attention_maps(&source, &target);
        Self { translator, source, target, maps }
    }

    pub fn label(&self, token: Token) -> String {
        self.translator.tokenizer.label(token)
    }

    pub fn labels(&self, tokens: &[Token]) -> Vec<String> {
        tokens.iter().map(|&token| self.label(token)).collect()
    }

    fn tokens(&self) {
        section("Tokens");
        for &token in &self.source {
            println!("{:10}{token:6}", self.label(token));
        }
        section("Sizes");
        let vocabulary = self.translator.tokenizer.vocabulary();
        value("vocabulary", grouped(vocabulary));
        value("numbers in a row", self.translator.config.d_model);
        value("columns shown", COLUMNS);
        value("width of the beam", WIDTH);
    }

    /// The head of the encoder that looks hardest from the cat to its colour.
    pub fn at_colour(&self) -> (Place, &Matrix<f32>) {
        let names = self.labels(&self.source);
        let cell = (place(&names, "·cat"), place(&names, "·black"));
        strongest(&self.maps.encoder, cell)
    }

    fn encoder(&self) {
        section("Encoder");
        self.at_colour().0.print("encoder");
    }

    /// The step after the preposition, where an article depends on a noun
    /// which comes later, and the place of this noun in the caption.
    pub fn article(&self) -> (usize, usize) {
        let step = place(&self.labels(&self.target), "·auf");
        (step, place(&self.labels(&self.source), "·sofa"))
    }

    /// The head of the cross-attention that looks hardest at the noun.
    pub fn at_noun(&self) -> (Place, &Matrix<f32>) {
        strongest(&self.maps.cross, self.article())
    }

    /// What may follow the preposition, and which head looks at the noun.
    fn next(&self) {
        let (step, sofa) = self.article();
        let cat = place(&self.labels(&self.source), "·cat");
        let (place, head) = self.at_noun();
        section("Nouns");
        value("start to cat", head[(0, cat)].fixed(2));
        value("preposition to sofa", head[(step, sofa)].fixed(2));
        let heads = self.maps.cross.iter().flatten();
        let mut hardest: Vec<f32> =
            heads.map(|map| map[(step, sofa)]).collect();
        hardest.sort_by(|a, b| b.total_cmp(a));
        value("another to sofa", hardest[1].fixed(2));
        section("Decoder");
        place.print("cross");
        section("The next word");
        for (word, step) in [("eine", 0), ("schwarze", 1), ("einem", step)] {
            value(format!("at {word}"), self.likely(step)[0].1.fixed(2));
        }
        let likely = self.likely(step);
        let drawn = likely.iter().take(BARS).map(|(_, share)| share);
        value("bars", BARS);
        value("drawn together", drawn.sum::<f64>().fixed(2));
        let ratio = likely[0].1 / likely[1].1;
        value("first to second", ratio.fixed(0));
        value("first to second at 2", ratio.sqrt().fixed(0));
    }

    /// The tokens that have been written before a step.
    pub fn written(&self, step: usize) -> String {
        self.translator.tokenizer.decode(&self.target[..=step])
    }

    /// All tokens with the probabilities that they come next, the most
    /// probable first.
    pub fn likely(&self, step: usize) -> Vec<(Token, f64)> {
        let model = &self.translator.model;
        let logits = model.forward(&[&self.source], &[&self.target[..=step]]);
        let last = logits.row(step);
        let last: Vec<f64> = last.iter().map(|x| f64::from(*x)).collect();
        let mut likely: Vec<_> = (0..).zip(softmax(&last)).collect();
        likely.sort_by(|a, b| b.1.total_cmp(&a.1));
        likely
    }

    /// What a beam finds.
    fn search(&self) {
        let alpha = Translator::CAPTIONS_ALPHA;
        let beam = self.translator.beam(WIDTH, alpha, WIDTH);
        let found = self.translator.n_best(&[CAPTION], &beam);
        section("Search");
        println!(" score   translation");
        for best in &found.expect("the model's numbers are finite")[0] {
            println!("{:7.3}  {}", best.score, best.text);
        }
    }

    pub fn translation(&self) -> String {
        self.translator.tokenizer.decode(&self.target)
    }
}

/// Where a token is in a sentence.
pub fn place(tokens: &[String], label: &str) -> usize {
    let place = tokens.iter().position(|token| token == label);
    place.expect("it is a token of the sentence")
}

/// Which of the heads of an attention it is, counted from 0.
pub struct Place {
    pub layer: usize,
    pub head: usize,
}

impl Place {
    /// The page counts from 1.
    fn print(&self, attention: &str) {
        value(format!("{attention} layer"), self.layer + 1);
        value(format!("{attention} head"), self.head + 1);
    }
}

/// The head whose weight in this cell is the largest.
fn strongest(
    layers: &[Vec<Matrix<f32>>],
    cell: (usize, usize),
) -> (Place, &Matrix<f32>) {
    let heads = layers.iter().enumerate().flat_map(|(layer, heads)| {
        let place = move |(head, map)| (Place { layer, head }, map);
        heads.iter().enumerate().map(place)
    });
    let most = heads.max_by(|(_, a), (_, b)| a[cell].total_cmp(&b[cell]));
    most.expect("a model has heads")
}
