//! Classifiers of reviews that learn from few labels, as tables with tabs.
//! What is in a file already is not measured again, so a run that was stopped
//! goes on.
//!
//! `cargo bench --bench labels -- SEED LABELS GAPS` trains encoders that fill
//! gaps in three texts. The first two of them get some labels, beside one that
//! has learned nothing yet and a bag of words. *Longer* is with as many updates
//! for the labels as both steps have together, and in *frozen* only the output
//! matrix learns. Of some rates each takes the one that is best for validation
//! reviews, and only with that one it judges the test reviews. All of this goes
//! into the file LABELS. What the three know of words of praise without any
//! label goes into GAPS.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "../../code/examples/labels.rs"]
#[allow(dead_code)] // what it prints
mod example;
#[path = "common/log.rs"]
mod log;
#[path = "common/runs.rs"]
mod runs;

use all_you_need::classifier::{self, Classifier, Kind, Labelled};
use all_you_need::classifier::{BLAME, PRAISE, accuracy, means, unzip};
use all_you_need::encoder::Config;
use all_you_need::gaps::{self, Gaps, HIDDEN, probabilities};
use all_you_need::layers::{LayerOps, Linear};
use all_you_need::loss::CrossEntropy;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{Half, Trainer, TrainingExample};
use arguments::arguments;
use example::{BATCH, CLASSIFIERS, COUNTS, TEXTS, UNLABELLED};
use example::{UPDATES, UnlabelledText, reviews, sizes, vocabulary};
use log::Log;
use print::log::number;
use runs::Runs;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::ControlFlow;

fn main() {
    match arguments()[..] {
        // In a thread of the pool, so that with a single one no update waits
        // for another thread.
        [seed, labels, gaps] => rayon::scope(|_| {
            let trial = Trial::new(number(seed));
            trial.labels(&Log(labels));
            trial.gaps(&Log(gaps));
        }),
        _ => panic!("a seed and two files"),
    }
}

type Filler = Half<Matrix<f32>>;
type Model = Classifier<Matrix<f32>>;

/// Reviews of each set that is held out.
const HELD_OUT: usize = 1000;

/// What is learned from with one seed, and what all seeds are judged by.
struct Trial {
    seed: u64,
    sizes: Config,
    /// Reviews of two clauses to choose a rate by.
    validation: Vec<Labelled>,
    /// Others to test with, and pairs.
    test: [Vec<Labelled>; 2],
    /// Pairs whose gaps are filled.
    filled: Vec<Labelled>,
    labelled: Vec<Labelled>,
    /// The texts of all of these, of which none is read without labels.
    known: HashSet<String>,
    fillers: [OnceCell<Filler>; TEXTS.len()],
}

impl Trial {
    fn new(seed: u64) -> Self {
        let (mut seen, rng) =
            (HashSet::new(), &mut generator(0, Stream::Data));
        let mut draw = |kind| reviews(kind, 1.0, HELD_OUT, &mut seen, rng);
        let test = [Kind::Double, Kind::Pair].map(&mut draw);
        let (validation, filled) = (draw(Kind::Double), draw(Kind::Pair));
        let rng = &mut generator(seed, Stream::Data);
        let most = COUNTS[COUNTS.len() - 1];
        let labelled = reviews(Kind::Double, 1.0, most, &mut seen, rng);
        Self {
            seed,
            sizes: sizes(),
            validation,
            test,
            filled,
            labelled,
            known: seen,
            fillers: Default::default(),
        }
    }
}

// Without labels

impl Trial {
    /// The encoder that has filled gaps in one of the texts.
    fn filler(&self, text: usize) -> &Filler {
        self.fillers[text].get_or_init(|| {
            let UnlabelledText { kind, denied, .. } = TEXTS[text];
            let rng = &mut generator(self.seed, Stream::Data);
            let seen = &mut self.known.clone();
            let texts = reviews(kind, denied, UNLABELLED, seen, rng);
            let texts = texts.iter().map(|review| &review.text);
            let examples: Vec<Gaps> =
                texts.map(|text| Gaps::random(text, HIDDEN, rng)).collect();
            let new = |rng: &mut _| Half::new(&self.sizes, rng);
            let recipe =
                Recipe { updates: UPDATES[0], ..gaps::recipe(self.seed) };
            let mut learning = Trainer::new(recipe, new);
            let run = learning
                .run(&examples, |_, _| ControlFlow::<()>::Continue(()));
            assert!(run.is_ok(), "finite losses");
            learning.model
        })
    }

    fn gaps(&self, log: &Log) {
        for (text, UnlabelledText { name, .. }) in TEXTS.iter().enumerate() {
            let key = format!("{name}\t{}", self.seed);
            if !log.has(&key) {
                let right = self.right_side(self.filler(text));
                log.add("text\tseed\tright", &format!("{key}\t{right:.4}"));
            }
        }
    }

    /// The last adjective of two clauses that contrast is hidden. How much of
    /// the probability of all adjectives is on those that praise, if it was
    /// praise, or blame, if it was blame?
    fn right_side(&self, model: &Filler) -> f64 {
        let words = vocabulary();
        let tokens = |adjectives: [&str; 8]| -> Vec<Token> {
            let adjectives = adjectives.map(str::to_owned);
            words.encode(&adjectives).expect("adjectives")
        };
        let [praise, blame] = [PRAISE, BLAME].map(tokens);
        let shares = self.filled.iter().map(|Labelled { text, .. }| {
            let last = text.len() - 1;
            let p = probabilities(model, &[Gaps::new(text, &[last]).text]);
            let on = |side: &[Token]| -> f32 {
                side.iter().map(|&word| p[word as usize]).sum()
            };
            let (praised, blamed) = (on(&praise), on(&blame));
            let praise_was_there = praise.contains(&text[last]);
            let right = if praise_was_there { praised } else { blamed };
            f64::from(right / (praised + blamed))
        });
        shares.sum::<f64>() / self.filled.len() as f64
    }
}

// With labels

const HEAD: &str = "classifier\tlabels\tseed\trate\tvalidation\ttest\tpairs";

/// Learning rates that encoders are tried with, and models without layers
/// that learn.
const RATES: [f64; 2] = [0.001, 0.003];
const RATES_OF_SUMS: [f64; 2] = [0.02, 0.1];

impl Trial {
    fn labels(&self, log: &Log) {
        for count in COUNTS {
            for name in CLASSIFIERS {
                let key = format!("{name}\t{count}\t{}", self.seed);
                if !log.has(&key) {
                    let row = self.best(name, &self.labelled[..count]);
                    log.add(HEAD, &format!("{key}\t{row}"));
                }
            }
        }
    }

    /// The best rate and what the classifier has right with it, of the
    /// validation reviews and of both kinds of test reviews.
    fn best(&self, name: &str, labelled: &[Labelled]) -> String {
        let bag = name == "runs";
        let runs = bag.then(|| Runs::new(vocabulary().len(), labelled, 3));
        let read = |set: &[Labelled]| match &runs {
            Some(runs) => set.iter().map(|review| runs.of(review)).collect(),
            None => set.to_vec(),
        };
        let (examples, validation) = (read(labelled), read(&self.validation));
        let vocabulary =
            runs.as_ref().map_or(self.sizes.vocabulary, Runs::vocabulary);
        let linear = bag || name.ends_with(" frozen");
        let rates = if linear { RATES_OF_SUMS } else { RATES };
        let tried = rates.map(|rate| {
            let model = self.learned(name, rate, vocabulary, &examples);
            (right(&model, &validation), rate, model)
        });
        let best = tried.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let (chosen_by, rate, model) = best.expect("a rate");
        let [test, pairs] =
            self.test.each_ref().map(|set| right(&model, &read(set)));
        format!("{rate}\t{chosen_by:.4}\t{test:.4}\t{pairs:.4}")
    }

    fn learned(
        &self,
        name: &str,
        peak_lr: f64,
        vocabulary: usize,
        labelled: &[Labelled],
    ) -> Model {
        let (name, how) = name.split_once(' ').unwrap_or((name, ""));
        let long = name == "runs" || !how.is_empty();
        let updates = if long { UPDATES.iter().sum() } else { UPDATES[1] };
        let recipe = Recipe {
            batch_tokens: BATCH,
            updates,
            warmup: updates / 10,
            peak_lr,
            ..classifier::recipe(self.seed)
        };
        let bag = Config { vocabulary, layers: 0, ..self.sizes.clone() };
        let text = TEXTS.iter().position(|text| text.name == name);
        if how == "frozen" {
            let half = self.filler(text.expect("a text")).clone();
            let output = frozen(&half, recipe, labelled);
            return Model { half, output };
        }
        let mut learning = Trainer::new(recipe, |rng| match text {
            Some(text) => {
                let half = self.filler(text).clone();
                Model {
                    half,
                    output: Linear::new(self.sizes.d_model, 2, rng),
                }
            }
            None if name == "runs" => Model::new(&bag, 2, rng),
            None => Model::new(&self.sizes, 2, rng),
        });
        let run =
            learning.run(labelled, |_, _| ControlFlow::<()>::Continue(()));
        assert!(run.is_ok(), "finite losses");
        learning.model
    }
}

/// The mean of the rows of a review, which does not change any more.
#[derive(Clone)]
struct Mean {
    row: Matrix,
    class: Token,
}

impl<T: LayerOps + CrossEntropy> TrainingExample<Linear<T>, T> for Mean {
    fn answers(&self) -> usize {
        1
    }

    fn loss(model: &Linear<T>, examples: &[Self], smoothing: f64) -> T {
        let rows: Vec<_> = examples.iter().map(|it| it.row.row(0)).collect();
        let rows = model.weight.constant(&Matrix::from_rows(&rows));
        let classes: Vec<_> = examples.iter().map(|it| it.class).collect();
        model.forward(&rows).cross_entropy(&classes, smoothing)
    }
}

/// The output matrix that learns while the encoder stays as it is.
fn frozen(
    half: &Filler,
    recipe: Recipe,
    labelled: &[Labelled],
) -> Linear<Matrix<f32>> {
    let examples = labelled.iter().map(|Labelled { text, class }| {
        let rows = half.bidirectional(&[text]).map(f64::from);
        Mean { row: means(&rows, &[text.len()]), class: *class }
    });
    let examples: Vec<_> = examples.collect();
    let columns = examples[0].row.ncols();
    let mut learning =
        Trainer::new(recipe, |rng| Linear::new(columns, 2, rng));
    let run = learning.run(&examples, |_, _| ControlFlow::<()>::Continue(()));
    assert!(run.is_ok(), "finite losses");
    learning.model
}

/// The share of reviews that a classifier has right.
fn right(model: &Model, reviews: &[Labelled]) -> f64 {
    let parts = reviews.chunks(200).map(|part| {
        let (texts, classes) = unzip(part);
        accuracy(&model.logits(&texts), &classes) * part.len() as f64
    });
    parts.sum::<f64>() / reviews.len() as f64
}
