//! The classifier of reviews, and what it is compared with, as tables with
//! tabs:
//!
//! `cargo bench --bench classifier -- learn SEED` trains a classifier, and
//! says which share of each kind of reviews it gets right: on the way of the
//! validation set, and in the end of the test set.
//!
//! `cargo bench --bench classifier -- compare SEED` trains without positions,
//! and with one mean for all reviews of a batch.
//!
//! `cargo bench --bench classifier -- rivals SEED` trains bags of words and
//! runs of neighbours, and tests the classifier with many more reviews.
//!
//! `cargo bench --bench classifier -- exchanged` says how often the verdict
//! changes when one word of a review is exchanged.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "common/runs.rs"]
mod runs;

use all_you_need::attention::Mask;
use all_you_need::classifier::{BLAME, PRAISE, accuracy, config, means};
use all_you_need::classifier::{Classifier, Kind, Labelled, Review, Reviews};
use all_you_need::classifier::{recipe, unzip, vocabulary};
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::layers::LayerOps;
use all_you_need::loss::CrossEntropy;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Token, Vocabulary, words};
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{Trainer, TrainingExample};
use arguments::arguments;
use print::log::number;
use runs::Runs;
use std::collections::HashSet;
use std::iter;
use std::ops::ControlFlow;

fn main() {
    let data = Data::new();
    match arguments()[..] {
        ["learn", seed] => data.learn(number(seed)),
        ["compare", seed] => data.compare(number(seed)),
        ["rivals", seed] => data.rivals(number(seed)),
        ["exchanged"] => data.exchanged(),
        _ => panic!("learn, compare, rivals or exchanged"),
    }
}

type Model = Classifier<Matrix<f32>>;
type OnTape = Classifier<Variable<f32>>;

/// The reviews as tokens. They are the same for every seed.
struct Data {
    vocabulary: Vocabulary,
    training: Vec<Labelled>,
    validation: [Vec<Labelled>; 4],
    test: [Vec<Labelled>; 4],
}

impl Data {
    fn new() -> Self {
        let vocabulary = vocabulary();
        let label = |reviews: Vec<Review>| -> Vec<Labelled> {
            reviews.iter().map(|r| r.label(&vocabulary)).collect()
        };
        let Reviews { training, validation, test } = Reviews::new(1);
        let training = label(training);
        let (validation, test) = (validation.map(label), test.map(label));
        Self { vocabulary, training, validation, test }
    }

    /// A classifier that has learned.
    fn trained<E: TrainingExample<OnTape, Variable<f32>>>(
        &self,
        seed: u64,
        examples: &[E],
        after: impl FnMut(&Trainer<Model>, f32),
    ) -> Model {
        let sizes = config(self.vocabulary.len());
        self.trained_with(recipe(seed), &sizes, examples, after)
    }

    fn trained_with<E: TrainingExample<OnTape, Variable<f32>>>(
        &self,
        recipe: Recipe,
        sizes: &Config,
        examples: &[E],
        mut after: impl FnMut(&Trainer<Model>, f32),
    ) -> Model {
        let new = |rng: &mut _| Classifier::new(sizes, 2, rng);
        let mut learning = Trainer::new(recipe, new);
        let run = learning.run(examples, |now, update| {
            after(now, update.loss);
            ControlFlow::<()>::Continue(())
        });
        assert!(run.is_ok(), "finite losses");
        learning.model
    }

    fn encoder(&self, seed: u64) -> Model {
        self.trained(seed, &self.training, |_, _| ())
    }
}

// How many are right

const HEAD: &str = "what\tupdate\tloss\tplain\tnegated\tdouble\tpair";

/// Updates between two rows of the table.
const EVERY: usize = 50;

fn print_row(
    what: &str,
    (update, loss): (usize, f32),
    sets: &[Vec<Labelled>; 4],
    logits: impl Fn(&[&[Token]]) -> Matrix<f32>,
) {
    print!("{what}\t{update}\t{loss:.4}");
    for set in sets {
        let (texts, classes) = unzip(set);
        print!("\t{:.4}", accuracy(&logits(&texts), &classes));
    }
    println!();
}

/// The mean of the last losses.
struct Mean(Vec<f32>);

impl Mean {
    fn of_last(&self) -> f32 {
        let last = &self.0[self.0.len().saturating_sub(EVERY)..];
        last.iter().sum::<f32>() / last.len() as f32
    }
}

impl Data {
    fn learn(&self, seed: u64) {
        println!("{HEAD}");
        let mut losses = Mean(Vec::new());
        let encoder = self.trained(seed, &self.training, |now, loss| {
            losses.0.push(loss);
            if now.adam.steps % EVERY == 0 {
                let at = (now.adam.steps, losses.of_last());
                let logits = |texts: &[&[Token]]| now.model.logits(texts);
                print_row("validation", at, &self.validation, logits);
            }
        });
        let end = (recipe(seed).updates, losses.of_last());
        let logits = |texts: &[&[Token]]| encoder.logits(texts);
        print_row("encoder", end, &self.test, logits);
        print_row("one clause more", end, &self.longer(), logits);
    }

    /// Trains a model, and says how much of the test set it gets right.
    fn tested<E: TrainingExample<OnTape, Variable<f32>>>(
        &self,
        what: &str,
        seed: u64,
        examples: &[E],
        logits: fn(&Model, &[&[Token]]) -> Matrix<f32>,
    ) {
        let mut losses = Mean(Vec::new());
        let model = self.trained(seed, examples, |_, loss| {
            losses.0.push(loss);
        });
        let end = (recipe(seed).updates, losses.of_last());
        print_row(what, end, &self.test, |texts| logits(&model, texts));
    }

    /// The test reviews with one more clause, which says the opposite and is
    /// conceded.
    fn longer(&self) -> [Vec<Labelled>; 4] {
        let more =
            [", though the pace was lively", ", though the pace was slow"];
        let more = more.map(|clause| self.tokens(clause));
        let mut sets = self.test.clone();
        for Labelled { text, class } in sets.iter_mut().flatten() {
            text.extend(&more[*class as usize]);
        }
        sets
    }

    fn compare(&self, seed: u64) {
        println!("{HEAD}");
        let each = self.training.iter().cloned();
        let examples: Vec<_> = each.clone().map(Unordered).collect();
        self.tested("no positions", seed, &examples, unordered);
        let examples: Vec<_> = each.map(OneMean).collect();
        self.tested("one mean", seed, &examples, |model, texts| {
            model.logits(texts)
        });
    }
}

/// The rates with which bags are tried, and how many times the updates of the
/// others they make: most runs of words are rare.
const RATES: [f64; 4] = [0.002, 0.01, 0.05, 0.2];
const MORE: usize = 4;

/// How many more reviews of two clauses, and as many of pairs.
const MANY: usize = 20_000;

impl Data {
    fn rivals(&self, seed: u64) {
        println!("{HEAD}");
        let many = self.many();
        for (name, longest) in
            [("bag", 1), ("bag with pairs", 2), ("bag with triples", 3)]
        {
            let runs =
                Runs::new(self.vocabulary.len(), &self.training, longest);
            let [training, validation, test, many] = [
                &[self.training.clone()][..],
                &self.validation,
                &self.test,
                &many,
            ]
            .map(|sets| with_runs(&runs, sets));
            let sizes = Config { layers: 0, ..config(runs.vocabulary()) };
            let learned = RATES.map(|peak_lr| {
                let updates = MORE * recipe(seed).updates;
                let recipe = Recipe { peak_lr, updates, ..recipe(seed) };
                let mut losses = Mean(Vec::new());
                let after = |_: &Trainer<Model>, loss| losses.0.push(loss);
                let bag =
                    self.trained_with(recipe, &sizes, &training[0], after);
                // Nothing is learned from pairs.
                let right = validation[..3].iter().map(|set| {
                    let (texts, classes) = unzip(set);
                    accuracy(&in_parts(&bag, &texts), &classes)
                });
                (right.sum::<f64>(), (updates, losses.of_last()), bag)
            });
            let best = learned.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
            let (_, end, bag) = best.expect("a rate");
            let logits = |texts: &[&[Token]]| in_parts(&bag, texts);
            print_row(name, end, &array_of(test), logits);
            print_row(&format!("{name}, many"), end, &array_of(many), logits);
        }
        let mut losses = Mean(Vec::new());
        let encoder = self.trained(seed, &self.training, |_, loss| {
            losses.0.push(loss);
        });
        let end = (recipe(seed).updates, losses.of_last());
        let logits = |texts: &[&[Token]]| in_parts(&encoder, texts);
        print_row("encoder, many", end, &many, logits);
    }

    /// The test set with many more reviews of two clauses. None of them was
    /// learned from.
    fn many(&self) -> [Vec<Labelled>; 4] {
        let learned: HashSet<&[Token]> =
            self.training.iter().map(|review| &review.text[..]).collect();
        let rng = &mut generator(2, Stream::Data);
        let mut draw = |kind: Kind| -> Vec<Labelled> {
            let drawn = iter::repeat_with(|| kind.draw(rng)).flatten();
            let drawn = drawn.map(|review| review.label(&self.vocabulary));
            let new =
                drawn.filter(|review| !learned.contains(&review.text[..]));
            new.take(MANY).collect()
        };
        let [plain, negated, _, _] = self.test.clone();
        [plain, negated, draw(Kind::Double), draw(Kind::Pair)]
    }
}

/// These sets with the runs of their reviews.
fn with_runs(runs: &Runs, sets: &[Vec<Labelled>]) -> Vec<Vec<Labelled>> {
    let of = |set: &Vec<Labelled>| set.iter().map(|r| runs.of(r)).collect();
    sets.iter().map(of).collect()
}

/// The four kinds.
fn array_of(sets: Vec<Vec<Labelled>>) -> [Vec<Labelled>; 4] {
    sets.try_into().expect("four kinds of reviews")
}

/// The logits of many texts, some at a time.
fn in_parts(model: &Model, texts: &[&[Token]]) -> Matrix<f32> {
    let parts: Vec<_> =
        texts.chunks(200).map(|part| model.logits(part)).collect();
    let rows = parts.iter().flat_map(|part| part.row_iter());
    Matrix::from_rows(&rows.collect::<Vec<_>>())
}

/// The loss of some reviews, by these logits.
fn loss<'a, T: CrossEntropy>(
    reviews: impl Iterator<Item = &'a Labelled>,
    label_smoothing: f64,
    logits: impl Fn(&[&[Token]]) -> T,
) -> T {
    let reviews: Vec<Labelled> = reviews.cloned().collect();
    let (texts, classes) = unzip(&reviews);
    logits(&texts).cross_entropy(&classes, label_smoothing)
}

/// A review that is read without positions.
#[derive(Clone)]
struct Unordered(Labelled);

fn unordered<T: LayerOps>(model: &Classifier<T>, texts: &[&[Token]]) -> T {
    let Classifier { half, output } = model;
    let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
    let rows = half.embedding.embed(&texts.concat()).dropout();
    let rows = half.stack.forward(&rows, &Mask::packed(&lengths, &lengths));
    output.forward(&means(&rows, &lengths))
}

impl<T: LayerOps + CrossEntropy> TrainingExample<Classifier<T>, T>
    for Unordered
{
    fn answers(&self) -> usize {
        1
    }

    fn loss(model: &Classifier<T>, examples: &[Self], smoothing: f64) -> T {
        let reviews = examples.iter().map(|Self(review)| review);
        loss(reviews, smoothing, |texts| unordered(model, texts))
    }
}

/// A review whose class is to be read from the mean of all rows, its own and
/// those of the others.
#[derive(Clone)]
struct OneMean(Labelled);

impl<T: LayerOps + CrossEntropy> TrainingExample<Classifier<T>, T>
    for OneMean
{
    fn answers(&self) -> usize {
        1
    }

    fn loss(model: &Classifier<T>, examples: &[Self], smoothing: f64) -> T {
        let reviews = examples.iter().map(|Self(review)| review);
        loss(reviews, smoothing, |texts| {
            let rows = model.half.bidirectional(texts);
            let mean = means(&rows, &[rows.shape().0]);
            model.output.forward(&mean.gather(&vec![0; texts.len()]))
        })
    }
}

// What the verdict depends on

impl Data {
    fn tokens(&self, review: &str) -> Vec<Token> {
        let tokens = self.vocabulary.encode(&words(review));
        tokens.unwrap_or_else(|| panic!("a word is not in the vocabulary"))
    }

    /// How often the verdict on a test review of two clauses changes with one
    /// of its words.
    fn exchanged(&self) {
        println!("exchanged\treviews\tother verdict");
        let model = self.encoder(1);
        let verdict =
            |text: &[Token]| model.logits(&[text]).row(0).transpose().imax();
        let [first, second] = self.by_decision(&self.test);
        for (what, clauses) in
            [("adjective that decides", [0, 1]), ("other adjective", [1, 0])]
        {
            let texts = [(&first, clauses[0]), (&second, clauses[1])];
            let pairs = texts.into_iter().flat_map(|(texts, clause)| {
                texts.iter().map(move |text| {
                    (text.to_vec(), self.with_opposite(text, clause))
                })
            });
            let pairs: Vec<_> = pairs.collect();
            let other =
                pairs.iter().filter(|(a, b)| verdict(a) != verdict(b));
            println!("{what}\t{}\t{}", pairs.len(), other.count());
        }
    }

    /// A review of two clauses, in one of which, 0 or 1, praise becomes blame,
    /// or blame praise.
    fn with_opposite(&self, text: &[Token], clause: usize) -> Vec<Token> {
        let [praise, blame] =
            [PRAISE, BLAME].map(|words| self.tokens(&words.join(" ")));
        // The adjective is the last word of its clause.
        let at = [self.comma(text), text.len()][clause] - 1;
        let opposites = praise.iter().zip(&blame);
        let opposite = |(&good, &bad): (&Token, &Token)| match text[at] {
            word if word == good => Some(bad),
            word if word == bad => Some(good),
            _ => None,
        };
        let mut other = text.to_vec();
        other[at] = opposites.filter_map(opposite).next().expect("opposite");
        other
    }

    /// The reviews whose first clause decides, and those whose second does.
    fn by_decision<'a>(
        &self,
        set: &'a [Vec<Labelled>; 4],
    ) -> [Vec<&'a Vec<Token>>; 2] {
        let texts = set[2..].iter().flatten().map(|review| &review.text);
        let conceding = self.tokens("though although");
        texts
            .partition(|text| conceding.contains(&text[self.comma(text) + 1]))
            .into()
    }

    fn comma(&self, text: &[Token]) -> usize {
        let comma = self.tokens(",")[0];
        text.iter().position(|&t| t == comma).expect("two clauses")
    }
}
