//! An encoder without a decoder: a model that classifies texts.
//!
//! ```
//! use all_you_need::classifier::{Classifier, Reviews, accuracy, config};
//! use all_you_need::classifier::{recipe, unzip, vocabulary};
//! use all_you_need::tensor::Matrix;
//! use all_you_need::training::Recipe;
//! use all_you_need::writer::Trainer;
//! use std::ops::ControlFlow;
//!
//! let words = vocabulary();
//! let reviews = Reviews::new(1).training.into_iter();
//! let examples: Vec<_> =
//!     reviews.map(|review| review.label(&words)).collect();
//!
//! let short = Recipe { updates: 2, ..recipe(1) };
//! let sizes = config(words.len());
//! let mut trainer: Trainer<Classifier<Matrix<f32>>> =
//!     Trainer::new(short, |init| Classifier::new(&sizes, 2, init));
//! let end = trainer.run(&examples, |_, update| {
//!     println!("{:.2} nats per review", update.loss);
//!     ControlFlow::<()>::Continue(())
//! });
//! assert!(end.is_ok());
//!
//! let (texts, classes) = unzip(&examples[..10]);
//! let logits = trainer.model.logits(&texts);
//! assert_eq!(logits.shape(), (10, 2));
//! println!("{:.0} % right", 100.0 * accuracy(&logits, &classes));
//! ```

use crate::attention::{Mask, Softmax};
use crate::encoder::Config;
use crate::layers::{LayerOps, Linear};
use crate::loss::CrossEntropy;
use crate::tensor::{Float, Init, Matrix, Tensor, check_size};
use crate::tokens::{Token, Vocabulary, words};
use crate::training::{Recipe, Stream, generator};
use crate::writer::{Half, TrainingExample};
use rand::seq::{IndexedRandom, index};
use rand::{Rng, RngExt};
use std::collections::HashSet;
use std::iter;

/// What is reviewed.
const SUBJECTS: [&str; 12] = [
    "film",
    "plot",
    "ending",
    "music",
    "acting",
    "script",
    "cast",
    "humour",
    "story",
    "dialogue",
    "pace",
    "photography",
];

/// Words that praise.
pub const PRAISE: [&str; 8] =
    ["good", "great", "fine", "clever", "moving", "lively", "funny", "fresh"];

/// Words that blame.
pub const BLAME: [&str; 8] =
    ["bad", "weak", "dull", "clumsy", "boring", "silly", "slow", "stale"];

/// What may come before such a word.
const DEGREES: [&str; 4] = ["", "very ", "really ", "so "];

/// One clause with a verdict, such as *the ending was not bad*, which is
/// good.
fn clause(
    subject: &str,
    not: bool,
    good: bool,
    rng: &mut impl Rng,
) -> String {
    let mut one_of = |words: &[&'static str]| *words.choose(rng).unwrap();
    let degree = one_of(&DEGREES);
    // What is not bad is good.
    let adjective = one_of(if good == not { &BLAME } else { &PRAISE });
    let not = if not { "not " } else { "" };
    format!("the {subject} was {not}{degree}{adjective}")
}

/// How two clauses are joined. The main clause, which decides, is put in the
/// place of M, and the other in the place of O.
const FORMS: [&str; 5] = [
    "M , though O",
    "M , although O",
    "though O , M",
    "although O , M",
    "O , but M",
];

/// A review of a film, and its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// Words with spaces between them.
    pub text: String,
    /// Whether the verdict is good.
    pub good: bool,
}

/// The kinds of reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One clause without *not*.
    Plain,
    /// One clause with *not*.
    Negated,
    /// Two clauses, of which one decides. On average every third clause has
    /// *not*.
    Double,
    /// Two double reviews that have the same words, and opposite verdicts.
    Pair,
}

impl Kind {
    /// All four kinds.
    pub const ALL: [Self; 4] =
        [Self::Plain, Self::Negated, Self::Double, Self::Pair];

    /// A random review of this kind, or a pair of them.
    pub fn draw(self, rng: &mut impl Rng) -> Vec<Review> {
        let subjects = index::sample_array(rng, SUBJECTS.len());
        let [a, b] = subjects.expect("two subjects").map(|i| SUBJECTS[i]);
        let good = rng.random();
        if let Self::Plain | Self::Negated = self {
            let text = clause(a, self == Self::Negated, good, rng);
            return vec![Review { text, good }];
        }
        let pair = self == Self::Pair;
        let other_good = if pair { !good } else { rng.random() };
        let [one, other] = [(a, good), (b, other_good)]
            .map(|(it, good)| clause(it, rng.random_ratio(1, 3), good, rng));
        let form = FORMS.choose(rng).expect("five forms");
        let join = |main: &str, other: &str, good| {
            let text = form.replace('M', main).replace('O', other);
            Review { text, good }
        };
        let mut drawn = vec![join(&one, &other, good)];
        drawn.extend(pair.then(|| join(&other, &one, other_good)));
        drawn
    }
}

/// Reviews to learn from, to choose by, and to test with. No text is there
/// twice.
#[derive(Clone, Debug)]
pub struct Reviews {
    /// To learn from: 200 plain, 200 negated, and 4000 of two clauses.
    pub training: Vec<Review>,
    /// To choose by: [`HELD_OUT`] of each kind.
    pub validation: [Vec<Review>; 4],
    /// To test with: as many.
    pub test: [Vec<Review>; 4],
}

/// How many reviews of each kind are in each set that is held out.
pub const HELD_OUT: usize = 200;

impl Reviews {
    /// Random reviews. Those that are held out are drawn first.
    pub fn new(seed: u64) -> Self {
        let rng = &mut generator(seed, Stream::Data);
        let mut seen = HashSet::new();
        let mut some = |kind: Kind, count| -> Vec<Review> {
            let new = |drawn: &Vec<Review>| {
                drawn.iter().all(|review| seen.insert(review.text.clone()))
            };
            let drawn = iter::repeat_with(|| kind.draw(rng)).filter(new);
            drawn.flatten().take(count).collect()
        };
        let [test, validation] =
            [HELD_OUT; 2].map(|n| Kind::ALL.map(|kind| some(kind, n)));
        let counts =
            [(Kind::Plain, 200), (Kind::Negated, 200), (Kind::Double, 4000)];
        let training = counts.map(|(kind, n)| some(kind, n)).concat();
        Self { training, validation, test }
    }
}

/// All words of all reviews, and the comma.
pub fn vocabulary() -> Vocabulary {
    let parts = [&FORMS[..], &SUBJECTS, &PRAISE, &BLAME, &DEGREES];
    let all = format!("the was not {}", parts.concat().join(" "));
    let mut all = words(&all);
    all.retain(|word| word != "M" && word != "O");
    Vocabulary::of(&all)
}

/// A text as tokens, and its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// The tokens of the text.
    pub text: Vec<Token>,
    /// The class, counted from 0.
    pub class: Token,
}

impl Review {
    /// The review as an example: class 1 is a good film, and 0 a bad one.
    ///
    /// # Panics
    /// If a word is not in the vocabulary.
    pub fn label(&self, vocabulary: &Vocabulary) -> Labelled {
        let text = vocabulary.encode(&words(&self.text));
        let text = text.expect("a review of words from the vocabulary");
        Labelled { text, class: Token::from(self.good) }
    }
}

/// The mean of the rows of each text: n × d_model, where the texts lie end to
/// end, becomes one row per text.
///
/// # Panics
/// If the texts do not have as many rows together.
#[must_use]
pub fn means<T: Tensor>(rows: &T, lengths: &[usize]) -> T {
    let own = Mask::packed(&vec![1; lengths.len()], lengths);
    check_size((own.queries(), own.keys()));
    let even = Matrix::zeros(own.queries(), own.keys()).softmax(&own);
    rows.constant(&even).matmul(rows)
}

/// An encoder that says which class a text is of.
#[derive(Clone, Debug)]
pub struct Classifier<T> {
    /// Reads the text.
    pub half: Half<T>,
    /// From the mean of a text's rows to a logit for each class:
    /// d_model × classes.
    pub output: Linear<T>,
}

parameters!(Classifier, [], [half output], []);

impl<T: LayerOps> Classifier<T> {
    /// A random model of these sizes.
    ///
    /// # Panics
    /// If [no model can have them](Config::check).
    pub fn new(
        config: &Config,
        classes: usize,
        init: &mut impl Init<T>,
    ) -> Self {
        Self {
            half: Half::new(config, init),
            output: Linear::new(config.d_model, classes, init),
        }
    }

    /// A logit for each class of each text: texts × classes.
    ///
    /// # Panics
    /// If a token is not in the vocabulary.
    #[must_use]
    pub fn logits<S: AsRef<[Token]>>(&self, texts: &[S]) -> T {
        let lengths = texts.iter().map(|text| text.as_ref().len());
        let lengths: Vec<usize> = lengths.collect();
        let rows = self.half.bidirectional(texts);
        self.output.forward(&means(&rows, &lengths))
    }
}

impl<T: LayerOps + CrossEntropy> TrainingExample<Classifier<T>, T>
    for Labelled
{
    fn answers(&self) -> usize {
        1
    }

    fn loss(
        model: &Classifier<T>,
        examples: &[Self],
        label_smoothing: f64,
    ) -> T {
        let (texts, classes) = unzip(examples);
        model.logits(&texts).cross_entropy(&classes, label_smoothing)
    }
}

/// The texts of some examples, and their classes.
pub fn unzip(examples: &[Labelled]) -> (Vec<&[Token]>, Vec<Token>) {
    examples.iter().map(|example| (&example.text[..], example.class)).unzip()
}

/// The share of rows of logits in which the right class has the largest.
///
/// # Panics
/// If there are no rows, or not as many classes as rows.
pub fn accuracy<F: Float>(logits: &Matrix<F>, classes: &[Token]) -> f64 {
    let (rows, n) = (logits.nrows(), classes.len());
    assert!(rows == n, "{rows} rows of logits for {n} classes");
    assert!(n > 0, "no rows, no accuracy");
    let hit = logits.row_iter().zip(classes).filter(|(row, class)| {
        row.transpose().argmax().0 == **class as usize
    });
    hit.count() as f64 / n as f64
}

/// The sizes of a small classifier.
pub fn config(vocabulary: usize) -> Config {
    Config { vocabulary, heads: 4, d_k: 16, d_v: 16, ..Config::toy() }
}

/// How a small classifier learns.
pub fn recipe(seed: u64) -> Recipe {
    Recipe {
        batch_tokens: 64,
        updates: 1500,
        warmup: 100,
        peak_lr: 0.002,
        dropout: 0.1,
        label_smoothing: 0.0,
        seed,
        ..Recipe::toy()
    }
}
