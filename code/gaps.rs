//! An encoder without a decoder: a model that fills the gaps of sentences.
//!
//! ```
//! use all_you_need::gaps::{Gaps, HIDDEN, config, recipe, sentences};
//! use all_you_need::gaps::{fill, vocabulary};
//! use all_you_need::tensor::Matrix;
//! use all_you_need::training::{Recipe, Stream, generator};
//! use all_you_need::writer::{Half, Trainer};
//! use std::ops::ControlFlow;
//!
//! let (rng, words) = (&mut generator(1, Stream::Data), vocabulary());
//! let texts = sentences(30, &[], rng).into_iter();
//! let tokens = texts.map(|text| text.tokens(&words));
//! let examples: Vec<_> =
//!     tokens.map(|text| Gaps::random(&text, HIDDEN, rng)).collect();
//!
//! let short = Recipe { updates: 2, ..recipe(1) };
//! let mut trainer: Trainer<Half<Matrix<f32>>> =
//!     Trainer::new(short, |init| Half::new(&config(), init));
//! let end = trainer.run(&examples, |_, update| {
//!     println!("{:.2} nats per gap", update.loss);
//!     ControlFlow::<()>::Continue(())
//! });
//! assert!(end.is_ok());
//!
//! let Gaps { text, answers } = &examples[0];
//! assert_eq!(fill(&trainer.model, &[text]).len(), answers.len());
//! ```

use crate::attention::Mask;
use crate::encoder::Config;
use crate::layers::LayerOps;
use crate::loss::TiedCrossEntropy;
use crate::position::sinusoidal;
use crate::tensor::{Float, Matrix};
use crate::tokens::{Token, Vocabulary};
use crate::training::{Recipe, Stream, generator};
use crate::writer::{Half, TrainingExample};
use rand::seq::{IndexedRandom, index};
use rand::{Rng, RngExt};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::iter;

/// The tokens around a place; `None` is beyond the text.
type Context = Vec<Option<Token>>;

/// Counts which word was how often between the same neighbours.
#[derive(Clone, Debug)]
pub struct Neighbours {
    /// How many words before the gap it sees.
    pub before: usize,
    /// How many words after it.
    pub after: usize,
    counts: HashMap<Context, HashMap<Token, usize>>,
}

impl Neighbours {
    /// A model that has counted nothing yet.
    pub fn new(before: usize, after: usize) -> Self {
        Self { before, after, counts: HashMap::new() }
    }

    fn context(&self, text: &[Token], place: usize) -> Context {
        let before = (1..=self.before).map(|i| place.checked_sub(i));
        let after = (1..=self.after).map(|i| Some(place + i));
        let token = |place: Option<usize>| text.get(place?).copied();
        before.chain(after).map(token).collect()
    }

    /// Counts every word of a text.
    pub fn count(&mut self, text: &[Token]) {
        for (place, &word) in text.iter().enumerate() {
            let context = self.context(text, place);
            let between = self.counts.entry(context).or_default();
            *between.entry(word).or_default() += 1;
        }
    }

    /// The most frequent word between the neighbours of a place, or none if
    /// they have not been seen. Of two that are equally frequent it is the
    /// first of the vocabulary.
    pub fn fill(&self, text: &[Token], place: usize) -> Option<Token> {
        let between = self.counts.get(&self.context(text, place))?;
        let best =
            between.iter().max_by_key(|(word, n)| (*n, Reverse(*word)));
        best.map(|(&word, _)| word)
    }
}

/// A noun or a verb: for one, and for more than one.
type Forms = [&'static str; 2];

/// Nouns.
const NOUNS: [Forms; 10] = [
    ["bird", "birds"],
    ["boy", "boys"],
    ["cat", "cats"],
    ["cow", "cows"],
    ["dog", "dogs"],
    ["girl", "girls"],
    ["horse", "horses"],
    ["king", "kings"],
    ["queen", "queens"],
    ["sister", "sisters"],
];

/// 0 for a noun that means one, 1 for a noun that means more, `None` for
/// other words.
pub fn number(word: &str) -> Option<usize> {
    NOUNS.iter().find_map(|forms| forms.iter().position(|form| *form == word))
}

/// What one of them does to another.
const VERBS: [Forms; 4] = [
    ["follows", "follow"],
    ["hears", "hear"],
    ["likes", "like"],
    ["sees", "see"],
];

/// What they are.
const ADJECTIVES: [&str; 8] =
    ["big", "calm", "happy", "hungry", "old", "small", "tired", "young"];

/// Where they are.
const PREPOSITIONS: [&str; 4] = ["above", "behind", "near", "with"];

/// When it is, and the verb that goes with it.
const TIMES: [(&str, Forms); 2] =
    [("today", ["is", "are"]), ("yesterday", ["was", "were"])];

/// What is between the subject of a sentence and its verb, or before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The cats are tired.
    Plain,
    /// Near the dog the cats are tired.
    PhraseBefore,
    /// The cats near the dog are tired.
    Phrase,
    /// The cats near the dog behind the horse are tired.
    TwoPhrases,
    /// The cats that the dog sees are tired.
    Clause,
    /// The cats near the dog behind the horse with the king are tired.
    ThreePhrases,
    /// The cats that the dog near the horse sees are tired.
    PhraseInClause,
}

impl Form {
    /// Two that are not among the sentences to learn from.
    pub const OUTSIDE: [Self; 2] = [Self::ThreePhrases, Self::PhraseInClause];

    /// The five forms of the sentences to learn from.
    pub const ALL: [Self; 5] = [
        Self::Plain,
        Self::PhraseBefore,
        Self::Phrase,
        Self::TwoPhrases,
        Self::Clause,
    ];
}

/// A sentence, and where its parts are, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its words, and the full stop.
    pub words: Vec<String>,
    /// Its form.
    pub form: Form,
    /// Its nouns, from the left.
    pub nouns: Vec<usize>,
    /// The noun of which it says something.
    pub subject: usize,
    /// *is*, *are*, *was* or *were*.
    pub verb: usize,
    /// *today* or *yesterday*.
    pub time: usize,
}

/// A sentence that is not complete yet.
struct Draft<'a, R> {
    words: Vec<String>,
    nouns: Vec<usize>,
    rng: &'a mut R,
}

impl<R: Rng> Draft<'_, R> {
    fn say(&mut self, word: &str) {
        self.words.push(word.to_owned());
    }

    fn one_of(&mut self, words: &[&str]) {
        let word = words.choose(self.rng).expect("a word to choose");
        self.say(word);
    }

    /// *the cat* or *the old cats*. Returns 0 for one, 1 for more.
    fn noun(&mut self) -> usize {
        self.say("the");
        if self.rng.random_bool(0.5) {
            self.one_of(&ADJECTIVES);
        }
        self.nouns.push(self.words.len());
        let number = self.rng.random_range(0..2);
        self.one_of(&NOUNS.map(|forms| forms[number]));
        number
    }

    /// *near the old cats*.
    fn phrase(&mut self) {
        self.one_of(&PREPOSITIONS);
        self.noun();
    }

    /// *that the old cats see*, and perhaps a phrase before *see*.
    fn clause(&mut self, with_phrase: bool) {
        self.say("that");
        let number = self.noun();
        if with_phrase {
            self.phrase();
        }
        self.one_of(&VERBS.map(|forms| forms[number]));
    }
}

impl Sentence {
    /// A random sentence of one of the [five forms](Form::ALL).
    pub fn random(rng: &mut impl Rng) -> Self {
        let form = *Form::ALL.choose(rng).expect("a form to choose");
        Self::of(form, rng)
    }

    /// A random sentence of this form.
    pub fn of(form: Form, rng: &mut impl Rng) -> Self {
        let (time, verbs) = *TIMES.choose(rng).expect("a time to choose");
        let time_first = rng.random_bool(0.5);
        let mut draft = Draft { words: Vec::new(), nouns: Vec::new(), rng };
        if time_first {
            draft.say(time);
        }
        if form == Form::PhraseBefore {
            draft.phrase();
        }
        let number = draft.noun();
        let subject = draft.words.len() - 1;
        match form {
            Form::Plain | Form::PhraseBefore => (),
            Form::Phrase => draft.phrase(),
            Form::TwoPhrases => (0..2).for_each(|_| draft.phrase()),
            Form::ThreePhrases => (0..3).for_each(|_| draft.phrase()),
            Form::Clause => draft.clause(false),
            Form::PhraseInClause => draft.clause(true),
        }
        let verb = draft.words.len();
        draft.say(verbs[number]);
        draft.one_of(&ADJECTIVES);
        if !time_first {
            draft.say(time);
        }
        let time = if time_first { 0 } else { draft.words.len() - 1 };
        draft.say(".");
        let Draft { words, nouns, .. } = draft;
        Self { words, form, nouns, subject, verb, time }
    }
}

/// The gap and all words of the grammar, each a token.
pub fn vocabulary() -> Vocabulary {
    let (times, be): (Vec<_>, Vec<_>) = TIMES.into_iter().unzip();
    let forms = NOUNS.iter().chain(&VERBS).chain(&be).flatten();
    let others = ["___", ".", "the", "that"].iter().chain(&times);
    let words = others.chain(&ADJECTIVES).chain(&PREPOSITIONS).chain(forms);
    Vocabulary::of(&words.map(|word| word.to_string()).collect::<Vec<_>>())
}

impl Sentence {
    /// Its words as tokens.
    ///
    /// # Panics
    /// If one of them is not in the vocabulary.
    pub fn tokens(&self, vocabulary: &Vocabulary) -> Vec<Token> {
        vocabulary.encode(&self.words).expect("words of the vocabulary")
    }
}

/// The token of a gap.
pub const GAP: Token = 0;

/// A text with gaps. The task is to predict what was there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gaps {
    /// The text as the model reads it.
    pub text: Vec<Token>,
    /// What was in each gap, from left to right.
    pub answers: Vec<Token>,
}

impl Gaps {
    /// A text with gaps at some places.
    ///
    /// # Panics
    /// If there is no place, or one that the text does not have.
    pub fn new(text: &[Token], places: &[usize]) -> Self {
        assert!(!places.is_empty(), "a text without a gap asks for nothing");
        let n = text.len();
        if let Some(place) = places.iter().find(|&&place| place >= n) {
            panic!("no place {place} in a text of {n} tokens");
        }
        let (mut gaps, mut answers) = (text.to_vec(), Vec::new());
        for place in (0..n).filter(|place| places.contains(place)) {
            answers.push(text[place]);
            gaps[place] = GAP;
        }
        Self { text: gaps, answers }
    }

    /// A text in which this part of the tokens, and at least one, is hidden.
    ///
    /// # Panics
    /// If the text is empty, or the part is not between 0 and 1.
    pub fn random(text: &[Token], part: f64, rng: &mut impl Rng) -> Self {
        let gaps = (part * text.len() as f64).round().max(1.0) as usize;
        Self::new(text, &index::sample(rng, text.len(), gaps).into_vec())
    }
}

/// The rows of all gaps, one text after the other: gaps × d_model.
fn rows<T: LayerOps, S: AsRef<[Token]>>(model: &Half<T>, texts: &[S]) -> T {
    let tokens = texts.iter().flat_map(AsRef::as_ref).enumerate();
    let gaps = tokens.filter(|(_, token)| **token == GAP);
    let gaps: Vec<_> = gaps.map(|(row, _)| row).collect();
    model.bidirectional(texts).gather(&gaps)
}

impl<T: LayerOps + TiedCrossEntropy> TrainingExample<Half<T>, T> for Gaps {
    fn answers(&self) -> usize {
        self.answers.len()
    }

    fn loss(model: &Half<T>, examples: &[Self], label_smoothing: f64) -> T {
        let texts: Vec<_> = examples.iter().map(|gaps| &gaps.text).collect();
        let answers = examples.iter().flat_map(|gaps| &gaps.answers);
        let answers: Vec<_> = answers.copied().collect();
        let (z, table) = (rows(model, &texts), &model.embedding.table);
        z.tied_cross_entropy(table, &answers, label_smoothing)
    }
}

/// Sentences that are not among `others`.
pub fn sentences(
    count: usize,
    others: &[Sentence],
    rng: &mut impl Rng,
) -> Vec<Sentence> {
    let others: HashSet<_> = others.iter().map(|s| &s.words).collect();
    let new = iter::repeat_with(|| Sentence::random(rng));
    new.filter(|s| !others.contains(&s.words)).take(count).collect()
}

/// The sentences of an experiment. None of one set is in another.
#[derive(Clone, Debug)]
pub struct Sets {
    /// To learn from.
    pub training: Vec<Sentence>,
    /// The training sentences with random gaps.
    pub examples: Vec<Gaps>,
    /// To choose sizes and a recipe by.
    pub validation: Vec<Sentence>,
    /// To judge by.
    pub test: Vec<Sentence>,
}

/// The part of a training sentence that is hidden.
pub const HIDDEN: f64 = 0.2;

impl Sets {
    /// The seed is for the training sentences and their gaps. The others are
    /// always the same.
    pub fn new(seed: u64, vocabulary: &Vocabulary) -> Self {
        let rng = &mut generator(0, Stream::Data);
        let test = sentences(2000, &[], rng);
        let validation = sentences(500, &test, rng);
        let others = [&test[..], &validation].concat();
        let rng = &mut generator(seed, Stream::Data);
        let training = sentences(180_000, &others, rng);
        let tokens = training.iter().map(|s| s.tokens(vocabulary));
        let examples = tokens.map(|text| Gaps::random(&text, HIDDEN, rng));
        let examples = examples.collect();
        Self { training, examples, validation, test }
    }
}

/// The sizes of a model that fills the gaps of our sentences.
pub fn config() -> Config {
    let vocabulary = vocabulary().len();
    Config { vocabulary, heads: 4, d_k: 16, d_v: 16, ..Config::toy() }
}

/// How it learns: nearly every sentence is read once, and a few twice.
pub fn recipe(seed: u64) -> Recipe {
    Recipe {
        batch_tokens: 256,
        updates: 1500,
        peak_lr: 0.006,
        label_smoothing: 0.0,
        seed,
        ..Recipe::toy()
    }
}

/// The probability of each word in each gap: gaps × V.
///
/// # Panics
/// If there are no texts, or a token is not in the vocabulary.
pub fn probabilities<T: LayerOps, S: AsRef<[Token]>>(
    model: &Half<T>,
    texts: &[S],
) -> T {
    let logits = rows(model, texts).matmul_t(&model.embedding.table);
    let (gaps, vocabulary) = logits.shape();
    logits.softmax(&Mask::none(gaps, vocabulary))
}

/// The most probable word in each gap.
///
/// # Panics
/// As [`probabilities`].
pub fn fill<F: Float, S: AsRef<[Token]>>(
    model: &Half<Matrix<F>>,
    texts: &[S],
) -> Vec<Token> {
    let p = probabilities(model, texts);
    p.row_iter().map(|row| row.transpose().argmax().0 as Token).collect()
}

/// For each layer, the attention weights of every head, n × n.
///
/// # Panics
/// If a token is not in the vocabulary.
pub fn maps<T: LayerOps>(model: &Half<T>, text: &[Token]) -> Vec<Vec<T>> {
    let rows = model.embedding.embed(text);
    let (n, d_model) = rows.shape();
    let positions = sinusoidal(&(0..n).collect::<Vec<_>>(), d_model);
    let mut x = rows.add(&rows.constant(&positions));
    let (all, mut maps) = (Mask::none(n, n), Vec::new());
    for layer in &model.stack.layers {
        maps.push(layer.attention.weights(&x, &x, &all));
        x = layer.forward(&x, &all);
    }
    maps
}
