//! The machine of this book, from outside: `cargo run --example machine`

use all_you_need::dictionary::softmax;
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::Recipe;
use all_you_need::transformer::Transformer;
use all_you_need::translation::{AttentionMaps, Translator};
use print::{Fixed, grouped, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// It is not among the captions that the translator has learned.
pub const CAPTION: &str = "a woman in a red coat is reading a book .";

/// How many words of the translation are there when we look inside.
pub const WRITTEN: usize = 3;

/// The noun of the caption on which the next word depends.
pub const NOUN: &str = "coat";

/// The written word whose row we read in the first map.
const FOLLOWED: usize = 2;

/// The head of the first page: its layer of the decoder, and which of the
/// heads there that look at the caption, counted from 0.
pub const AHEAD: (usize, usize) = (2, 3);

fn main() {
    let trial = Trial::of(CAPTION, Translator::captions());
    trial.outside();
    trial.halves();
    trial.layers();
    trial.two_heads();
    trial.next_word();
    trial.another_noun();
    trial.untrained();
    trial.elsewhere();
}

/// A caption, and what the machine does with it.
pub struct Trial {
    pub translator: Translator,
    /// The tokens of the caption, and end of sequence.
    pub source: Vec<Token>,
    /// Begin of sequence, and the tokens of the translation.
    pub target: Vec<Token>,
}

impl Trial {
    pub fn of(caption: &str, translator: Translator) -> Self {
        let Translator { model, tokenizer, .. } = &translator;
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let source = tokenizer.encode_source(caption);
        let said = model.greedy(&source, bos, eos).expect("finite logits");
        let target = [vec![bos], said].concat();
        Self { translator, source, target }
    }

    pub fn model(&self) -> &Transformer<Matrix<f32>> {
        &self.translator.model
    }

    /// The names of tokens.
    pub fn words(&self, tokens: &[Token]) -> Vec<String> {
        let name = |&token: &Token| self.translator.tokenizer.name(token);
        tokens.iter().map(name).collect()
    }

    pub fn translation(&self) -> String {
        self.translator.tokenizer.decode(&self.target)
    }

    /// What is chosen, moment by moment: the words, and the end.
    pub fn to_write(&self) -> Vec<String> {
        let end = [self.translator.tokenizer.eos()];
        self.words(&[&self.target[1..], &end].concat())
    }

    /// The words that have been written when we look inside.
    pub fn written(&self) -> String {
        self.words(&self.target[1..=WRITTEN]).join(" ")
    }

    /// The place of the noun in the caption.
    pub fn noun(&self) -> usize {
        let read = self.words(&self.source);
        let noun = read.iter().position(|word| word == NOUN);
        noun.expect("the noun is a word of the caption")
    }

    pub fn maps(&self) -> AttentionMaps {
        self.translator.attention_maps(&self.source, &self.target)
    }

    fn outside(&self) {
        section("From outside");
        value("in", CAPTION);
        value("out", self.translation());
    }

    fn halves(&self) {
        let memory = self.model().encode(&[&self.source]).rows;
        section("Two halves");
        value("rows", memory.nrows());
        value("numbers in a row", memory.ncols());
        value("written", self.written());
        value("next", &self.words(&self.target)[WRITTEN + 1]);
    }

    fn layers(&self) {
        section("Layers");
        value("layers", self.model().encoder.layers.len());
        value("the paper's layers", Config::base().layers);
    }

    /// Two heads of the cross-attention. One looks at the place where the
    /// translator is: it spreads over the most different words of the caption,
    /// and takes most from words that are the same in both languages. The
    /// other is that of the first page.
    pub fn heads(&self, maps: &AttentionMaps) -> [Matrix<f32>; 2] {
        let (read, written) =
            (self.words(&self.source), self.words(&self.target));
        let at_place = |head: &Matrix<f32>| {
            let spread: f32 = head.column_iter().map(|key| key.max()).sum();
            spread + on_same_words(head, &written, &read)
        };
        let heads: Vec<_> = maps.cross.iter().flatten().collect();
        let (layer, head) = AHEAD;
        [most(&heads, at_place), maps.cross[layer][head].clone()]
    }

    fn two_heads(&self) {
        let maps = self.maps();
        let [place, ahead] = self.heads(&maps);
        let (read, written) =
            (self.words(&self.source), self.words(&self.target));
        let (key, weight) = place.row(FOLLOWED).transpose().argmax();
        section("Two heads");
        let (layers, heads) = (maps.cross.len(), maps.cross[0].len());
        value("heads in an attention", heads);
        value("heads between the halves", layers * heads);
        value("row", &written[FOLLOWED + 1]);
        value("its largest weight is on", &read[key]);
        value("largest weight", weight.fixed(2));
        let weight = ahead[(WRITTEN, self.noun())];
        value("weight on the noun", weight.fixed(2));
    }

    /// The probability of every token to come next.
    fn probabilities(&self, source: &[Token], fed: &[Token]) -> Vec<f64> {
        let logits = self.model().forward(&[source], &[fed]);
        let last = logits.row(fed.len() - 1);
        let last: Vec<f64> = last.iter().map(|x| f64::from(*x)).collect();
        softmax(&last)
    }

    /// All tokens and how probable each is to come next, the most probable
    /// first.
    pub fn guesses(&self) -> Vec<(String, f64)> {
        let p = self.probabilities(&self.source, &self.target[..=WRITTEN]);
        let tokens: Vec<Token> = (0..p.len() as Token).collect();
        let mut guesses: Vec<_> =
            self.words(&tokens).into_iter().zip(p).collect();
        guesses.sort_by(|a, b| b.1.total_cmp(&a.1));
        guesses
    }

    fn next_word(&self) {
        let guesses = self.guesses();
        section("The next word");
        value("words to choose from", grouped(guesses.len()));
        value("most probable", &guesses[0].0);
        value("its probability", guesses[0].1.fixed(3));
    }

    /// How probable *einem* and *einer* are, for *coat* and for a noun that
    /// needs the other one.
    fn another_noun(&self) {
        let tokenizer = &self.translator.tokenizer;
        let fed = &self.target[..=WRITTEN];
        section("Another noun");
        let rows = [NOUN, "jacket"].map(|noun| {
            let caption = CAPTION.replace(NOUN, noun);
            let source = tokenizer.encode_source(&caption);
            let p = self.probabilities(&source, fed);
            let share = |word: &str| {
                format!("{:.3}", p[tokenizer.encode(word)[0] as usize])
            };
            (noun, share(" einem"), share(" einer"))
        });
        table(["in the caption", "einem", "einer"], rows);
    }

    /// What it makes of a subject that no photograph had.
    fn elsewhere(&self) {
        let Translator { model, tokenizer, .. } = &self.translator;
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let source = tokenizer.encode_source(ELSEWHERE);
        let said = model.greedy(&source, bos, eos).expect("finite logits");
        section("Elsewhere");
        value("a subject it does not know", ELSEWHERE);
        value("its guess", tokenizer.decode(&said));
    }

    /// The same machine before its first lesson.
    fn untrained(&self) {
        let Translator { config, tokenizer, .. } = &self.translator;
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let random: Transformer<Matrix<f32>> = Transformer::new(config, rng);
        let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
        let said = tokenizer.decode(
            &random.greedy(&self.source, bos, eos).expect("finite logits"),
        );
        let begun: Vec<&str> = said.split_whitespace().take(5).collect();
        section("Where the numbers come from");
        value("parameters", grouped(parameter_count(self.model())));
        value("steps", grouped(Recipe::tiny().updates));
        value("before training", format!("{} …", begun.join(" ")));
    }
}

/// A sentence that is nobody's caption.
const ELSEWHERE: &str = "the president signs a new law .";

/// How much the rows of words take from the same words.
fn on_same_words(
    head: &Matrix<f32>,
    written: &[String],
    read: &[String],
) -> f32 {
    let mut sum = 0.0;
    for (i, writes) in written.iter().enumerate() {
        for (j, reads) in read.iter().enumerate() {
            sum += if writes == reads { head[(i, j)] } else { 0.0 };
        }
    }
    sum
}

/// The head of which `measure` is the largest.
fn most(
    heads: &[&Matrix<f32>],
    measure: impl Fn(&Matrix<f32>) -> f32,
) -> Matrix<f32> {
    let heads = heads.iter().copied();
    let most = heads.max_by(|a, b| measure(a).total_cmp(&measure(b)));
    most.expect("a model has heads").clone()
}
