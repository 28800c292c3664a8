//! One caption through the complete model: `cargo run --example transformer`

use all_you_need::parameters::parameter_count;
use all_you_need::plain::{Model, decode, embed, encode, greedy, softmax};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::translation::Translator;
use nalgebra::dmatrix;
use print::{Fixed, grouped, section, table, value};

#[path = "transformer/noun.rs"]
mod noun;
#[path = "shared/whole.rs"]
mod whole;

use whole::{ends, text, tokens};

fn main() {
    three_words();
    let trace = Trace::of(CAPTION);
    trace.caption();
    trace.shapes();
    trace.which_row_knows();
    trace.who_looks_there();
    trace.who_decides();
    trace.next_token();
    trace.writing();
}

/// The translator has not learned from it.
pub const CAPTION: &str = "a woman in a red coat is reading a book .";

/// The word of the caption that we follow.
pub const WORD: &str = "coat";

/// How many tokens the decoder has written when we stop it.
pub const WRITTEN: usize = 3;

/// One row of the decoder against a table of three words.
fn three_words() {
    let names = ["Mir", "gut", "schlecht"];
    let rows = dmatrix![2.0, 0.0; 0.0, 2.0; 0.0, -2.0];
    let logits = dmatrix![1.0, 1.5] * rows.transpose();
    let shares = softmax(&logits);
    let line = |i: usize| {
        let row = format!("({}, {})", rows[(i, 0)], rows[(i, 1)]);
        let (logit, share) = (logits[i].fixed(1), shares[i].fixed(3));
        (names[i], row.replace('-', "−"), logit, share)
    };
    section("One row, three words");
    table(["word", "its row", "y·row", "probability"], [0, 1, 2].map(line));
}

/// A caption on its way through the model, and what has been written of its
/// translation when we stop.
pub struct Trace {
    pub translator: Translator,
    model: Model,
    /// The tokens of the caption, and end of sequence.
    pub source: Vec<usize>,
    /// The tokens of the translation.
    said: Vec<usize>,
    /// Begin of sequence, and the tokens that have been written.
    pub fed: Vec<usize>,
}

/// A token, its logit and its probability.
type Guess = (usize, f64, f64);

impl Trace {
    pub fn of(caption: &str) -> Self {
        let translator = Translator::captions();
        let model = whole::model(&translator);
        let source = tokens(&translator, caption);
        let ends = ends(&translator);
        let said = greedy(&model, &source, ends);
        let fed = [&ends[..1], &said[..WRITTEN]].concat();
        Self { translator, model, source, said, fed }
    }

    pub fn word(&self, token: usize) -> String {
        self.translator.tokenizer.name(token as Token)
    }

    fn caption(&self) {
        section("The caption");
        value("caption", CAPTION);
        value("written", text(&self.translator, &self.fed[1..]));
        value("translation", text(&self.translator, &self.said));
        value("in all", grouped(parameter_count(&self.translator.model)));
    }

    fn shapes(&self) {
        let Self { model, source, fed, .. } = self;
        let z = encode(model, source);
        let size =
            |m: &Matrix| [m.nrows(), m.ncols()].map(grouped).join(" × ");
        section("Shapes");
        let steps = [
            ("source tokens", "the tokenizer", source.len().to_string()),
            ("source rows", "embed", size(&embed(&model.0, source))),
            ("memory", "encode", size(&z)),
            ("target tokens", "what is written", fed.len().to_string()),
            ("target rows", "embed", size(&embed(&model.0, fed))),
            ("logits", "decode", size(&decode(model, fed, &z))),
        ];
        table(["", "made by", "shape"], steps);
    }

    /// What may come next, the most probable first.
    fn guesses(&self, fed: &[usize]) -> Vec<Guess> {
        let logits =
            decode(&self.model, fed, &encode(&self.model, &self.source));
        let last: Matrix = logits.rows(fed.len() - 1, 1).into();
        let shares = softmax(&last);
        let guess = |token| (token, last[token], shares[token]);
        let mut guesses: Vec<_> = (0..last.len()).map(guess).collect();
        guesses.sort_by(|a, b| b.2.total_cmp(&a.2));
        guesses
    }

    fn next_token(&self) {
        let guesses = self.guesses(&self.fed);
        let line = |&(token, logit, share): &Guess| {
            (self.word(token), logit.fixed(2), share.fixed(3))
        };
        section("The next token");
        table(
            ["token", "logit", "probability"],
            guesses[..4].iter().map(line),
        );
    }

    /// All steps of greedy decoding, each with the second best choice.
    fn writing(&self) {
        let [begin, end] = ends(&self.translator);
        let mut fed = vec![begin];
        let line = |&next: &usize| {
            let guesses = self.guesses(&fed);
            assert_eq!(guesses[0].0, next);
            fed.push(next);
            let best = [guesses[0], guesses[1]]
                .map(|(token, _, share)| (self.word(token), share.fixed(2)));
            (fed.len() - 1, best)
        };
        section("Writing");
        let lines: Vec<_> =
            self.said.iter().chain([&end]).map(line).collect();
        table(["step", "writes", "p", "second", "p"], lines);
    }
}
