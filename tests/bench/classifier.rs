//! The classifier of reviews, and what it is compared with, as tables with
//! tabs:
//!
//! `cargo bench --bench classifier -- learn SEED` trains a classifier and a
//! bag of words, and says which share of each kind of reviews they get right:
//! on the way of the validation set, and in the end of the test set.
//!
//! `cargo bench --bench classifier -- compare SEED` trains without positions,
//! and with one mean for all reviews of a batch.
//!
//! `cargo bench --bench classifier -- words REVIEW…` says what each word adds
//! to the verdict on a review.
//!
//! `cargo bench --bench classifier -- heads` says which words each head looks
//! at.
//!
//! `cargo bench --bench classifier -- maps LAYER HEAD REVIEW…` has the weights
//! of one head.

use all_you_need::attention::Mask;
use all_you_need::classifier::{Classifier, Labelled, Review, Reviews};
use all_you_need::classifier::{accuracy, config, means};
use all_you_need::classifier::{recipe, unzip, vocabulary};
use all_you_need::encoder::Config;
use all_you_need::gaps::maps;
use all_you_need::gradient::Variable;
use all_you_need::layers::LayerOps;
use all_you_need::loss::CrossEntropy;
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, words};
use all_you_need::training::{Stream, generator};
use all_you_need::writer::{Learning, Lesson};
use plot::log::number;
use rand::seq::SliceRandom;
use std::env;

fn main() {
    // Cargo itself adds a flag.
    let all = env::args().skip(1).filter(|word| word != "--bench");
    let all: Vec<String> = all.collect();
    let data = Data::new();
    match all.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["learn", seed] => data.learn(number(seed)),
        ["compare", seed] => data.compare(number(seed)),
        ["words", ref reviews @ ..] => data.words(reviews),
        ["heads"] => data.heads(),
        ["maps", layer, head, ref reviews @ ..] => {
            data.maps(number(layer), number(head), reviews);
        }
        _ => panic!("learn or compare or words or heads or maps"),
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

    /// A classifier that has learned. Without layers it is a bag of words.
    fn trained<E: Lesson<OnTape, Variable<f32>>>(
        &self,
        seed: u64,
        layers: usize,
        lessons: &[E],
        after: impl FnMut(&Learning<Model>, f32),
    ) -> Model {
        let sizes = Config { layers, ..config(self.vocabulary.len()) };
        let new = |rng: &mut _| Classifier::new(&sizes, 2, rng);
        let mut learning = Learning::new(recipe(seed), new);
        learning.run(lessons, after).expect("finite losses");
        learning.model
    }

    fn encoder(&self, seed: u64) -> Model {
        self.trained(seed, 2, &self.training, |_, _| ())
    }

    fn bag(&self, seed: u64) -> Model {
        self.trained(seed, 0, &self.training, |_, _| ())
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
        let encoder = self.trained(seed, 2, &self.training, |now, loss| {
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
        print_row("shuffled", end, &self.shuffled(), logits);
        print_row("one clause more", end, &self.longer(), logits);
        self.tested("bag", seed, 0, &self.training, |model, texts| {
            model.logits(texts)
        });
    }

    /// Trains a model, and says how much of the test set it gets right.
    fn tested<E: Lesson<OnTape, Variable<f32>>>(
        &self,
        what: &str,
        seed: u64,
        layers: usize,
        lessons: &[E],
        logits: fn(&Model, &[&[Token]]) -> Matrix<f32>,
    ) {
        let mut losses = Mean(Vec::new());
        let model = self.trained(seed, layers, lessons, |_, loss| {
            losses.0.push(loss);
        });
        let end = (recipe(seed).updates, losses.of_last());
        print_row(what, end, &self.test, |texts| logits(&model, texts));
    }

    /// The reviews to test with, each with its words in a random order.
    fn shuffled(&self) -> [Vec<Labelled>; 4] {
        let rng = &mut generator(1, Stream::Order(0));
        let mut sets = self.test.clone();
        let all = sets.iter_mut().flatten();
        all.for_each(|review| review.text.shuffle(rng));
        sets
    }

    /// The same with one more clause, which says the opposite and is conceded.
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
        let lessons: Vec<_> = each.clone().map(Unordered).collect();
        self.tested("no positions", seed, 2, &lessons, unordered);
        let lessons: Vec<_> = each.map(OneMean).collect();
        self.tested("one mean", seed, 2, &lessons, |model, texts| {
            model.logits(texts)
        });
    }
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

impl<T: LayerOps + CrossEntropy> Lesson<Classifier<T>, T> for Unordered {
    fn answers(&self) -> usize {
        1
    }

    fn loss(model: &Classifier<T>, lessons: &[Self], smoothing: f64) -> T {
        let reviews = lessons.iter().map(|Self(review)| review);
        loss(reviews, smoothing, |texts| unordered(model, texts))
    }
}

/// A review whose class is to be read from the mean of all rows, its own and
/// those of the others.
#[derive(Clone)]
struct OneMean(Labelled);

impl<T: LayerOps + CrossEntropy> Lesson<Classifier<T>, T> for OneMean {
    fn answers(&self) -> usize {
        1
    }

    fn loss(model: &Classifier<T>, lessons: &[Self], smoothing: f64) -> T {
        let reviews = lessons.iter().map(|Self(review)| review);
        loss(reviews, smoothing, |texts| {
            let rows = model.half.bidirectional(texts);
            let mean = means(&rows, &[rows.shape().0]);
            model.output.forward(&mean.gather(&vec![0; texts.len()]))
        })
    }
}

// What it does with the words

impl Data {
    fn tokens(&self, review: &str) -> Vec<Token> {
        let tokens = self.vocabulary.encode(&words(review));
        tokens.unwrap_or_else(|| panic!("a word is not in the vocabulary"))
    }

    fn words(&self, reviews: &[&str]) {
        println!("review\tplace\tword\tbag\tencoder");
        let models = [self.bag(1), self.encoder(1)];
        for (i, review) in reviews.iter().enumerate() {
            let text = self.tokens(review);
            let [bag, encoder] = models.each_ref().map(|m| adds(m, &text));
            for (place, word) in words(review).iter().enumerate() {
                let (bag, encoder) = (bag[place], encoder[place]);
                println!("{i}\t{place}\t{word}\t{bag:.4}\t{encoder:.4}");
            }
            let [bag, encoder] = models.each_ref().map(|m| says(m, &text));
            println!("{i}\t{}\t= good\t{bag:.4}\t{encoder:.4}", text.len());
        }
    }

    /// How much weight each kind of words gets from all rows, as a multiple of
    /// an equal share, in the reviews of two clauses.
    fn heads(&self) {
        println!("set\tlayer\thead\t{}", ROLES.join("\t"));
        let model = self.encoder(1);
        for (sets, name) in
            [(&self.validation, "validation"), (&self.test, "test")]
        {
            let texts = sets[2..].iter().flatten().map(|lesson| &lesson.text);
            let texts: Vec<_> = texts
                .map(|text| (self.roles(text), maps(&model.half, text)))
                .collect();
            for (i, layer) in model.half.stack.layers.iter().enumerate() {
                for head in 0..layer.attention.heads {
                    let mut sums = [[0.0; 2]; ROLES.len()];
                    for (roles, weights) in &texts {
                        let n = roles.len() as f32;
                        let keys = weights[i][head].column_iter();
                        for (&role, key) in roles.iter().zip(keys) {
                            sums[role][0] += n * key.mean();
                            sums[role][1] += 1.0;
                        }
                    }
                    print!("{name}\t{}\t{}", i + 1, head + 1);
                    sums.iter().for_each(|[a, b]| print!("\t{:.3}", a / b));
                    println!();
                }
            }
        }
    }

    /// What each word of a review of two clauses is, as an index into ROLES.
    fn roles(&self, text: &[Token]) -> Vec<usize> {
        let [not, comma, but, though, although] =
            ["not", ",", "but", "though", "although"]
                .map(|w| self.tokens(w)[0]);
        let comma =
            text.iter().position(|&t| t == comma).expect("two clauses");
        let conceded = [though, although].contains(&text[comma + 1]);
        let role = |i: usize| {
            let other = usize::from((i < comma) != conceded);
            match text[i] {
                word if word == not => other,
                _ if i + 1 == comma || i + 1 == text.len() => 2 + other,
                word if [but, though, although].contains(&word) => 4,
                _ => 5,
            }
        };
        (0..text.len()).map(role).collect()
    }

    fn maps(&self, layer: usize, head: usize, reviews: &[&str]) {
        println!("review\tquery\tkey\tweight");
        let model = self.encoder(1);
        for (n, review) in reviews.iter().enumerate() {
            let map =
                &maps(&model.half, &self.tokens(review))[layer - 1][head - 1];
            for (i, row) in map.row_iter().enumerate() {
                for (j, weight) in row.iter().enumerate() {
                    println!("{n}\t{i}\t{j}\t{weight:.4}");
                }
            }
        }
    }
}

/// What a word can be in a review of two clauses.
const ROLES: [&str; 6] = [
    "not of the main clause",
    "not of the other",
    "adjective of the main clause",
    "adjective of the other",
    "conjunction",
    "other words",
];

/// What the row of each word adds to the logit of good minus that of bad.
fn adds(model: &Model, text: &[Token]) -> Vec<f32> {
    let rows = model.half.bidirectional(&[text]);
    let logits = rows.matmul(&model.output.weight) / text.len() as f32;
    logits.row_iter().map(|row| row[1] - row[0]).collect()
}

/// The probability that a review is good.
fn says(model: &Model, text: &[Token]) -> f32 {
    let logits = model.logits(&[text]);
    1.0 / (1.0 + (logits[0] - logits[1]).exp())
}
