//! One update, the loop, and what can go wrong: `cargo run --example training`

use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::layers::Rowwise;
use all_you_need::loss::{CrossEntropy, smoothed};
use all_you_need::optimizer::{Adam, learning_rate};
use all_you_need::parameters::{Parameters, gradient, parameter_count};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::{Example, Recipe, Training, validation_loss};
use all_you_need::transformer::Transformer;
use print::{grouped, section, table, value};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use std::collections::HashSet;

fn main() {
    one_batch();
    learn();
    in_numbers();
    recipes();
    five_peaks();
    without_shuffling();
    by_heart();
    ten_ones();
    one_long_gradient();
}

pub type Model = Transformer<Matrix>;

const LETTERS: &str = "aelnopst*.";
/// The letters, and begin and end, which are written * and a full stop.
const VOCABULARY: usize = 10;
const BEGIN: Token = 8;
const END: Token = 9;

/// A word as ids of its letters.
fn ids(word: &str) -> Vec<Token> {
    let id = |c| LETTERS.find(c).expect("a letter") as Token;
    word.chars().map(id).collect()
}

/// A word, to be written backwards.
pub fn lesson(word: &[Token]) -> Example {
    let reversed: Vec<Token> = word.iter().rev().copied().collect();
    let target = [&[BEGIN], &reversed[..], &[END]].concat();
    Example { source: [word, &[END]].concat(), target }
}

/// Three to six letters.
fn word(rng: &mut ChaCha8Rng) -> Vec<Token> {
    let length = rng.random_range(3..=6);
    (0..length).map(|_| rng.random_range(0..BEGIN)).collect()
}

/// *planet* and 99 more, in no lesson.
pub fn held_out() -> Vec<Example> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let words = std::iter::repeat_with(|| word(rng));
    let words: Vec<_> =
        [ids("planet")].into_iter().chain(words.take(99)).collect();
    words.iter().map(|word| lesson(word)).collect()
}

/// So many random words to learn from.
pub fn lessons(count: usize) -> Vec<Example> {
    let hidden: HashSet<Vec<Token>> =
        held_out().into_iter().map(|example| example.source).collect();
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let words = std::iter::repeat_with(|| lesson(&word(rng)));
    words.filter(|one| !hidden.contains(&one.source)).take(count).collect()
}

/// How a model writes what is read backwards, as letters.
fn written(model: &Model, Example { source, .. }: &Example) -> String {
    let letter = |&id: &Token| LETTERS.as_bytes()[id as usize] as char;
    let word = model.greedy(source, BEGIN, END).expect("finite logits");
    match word.len() {
        0 => "(nothing)".to_string(),
        1..=8 => word.iter().map(letter).collect(),
        _ => word[..8].iter().map(letter).chain(['…']).collect(),
    }
}

/// How many are written without a mistake.
pub fn right(model: &Model, examples: &[Example]) -> usize {
    let said = |one: &Example| one.target[1..one.target.len() - 1].to_vec();
    let right = |one: &&Example| {
        model.greedy(&one.source, BEGIN, END) == Ok(said(one))
    };
    examples.iter().filter(right).count()
}

/// One layer on each side, and two heads.
fn config() -> Config {
    Config {
        vocabulary: VOCABULARY,
        layers: 1,
        d_model: 32,
        d_ff: 64,
        heads: 2,
        d_k: 16,
        d_v: 16,
    }
}

pub fn recipe() -> Recipe {
    let (batch_tokens, updates, peak_lr) = (300, 400, 0.009);
    Recipe { batch_tokens, updates, peak_lr, ..Recipe::toy() }
}

/// A model and its Adam, with nothing learned.
fn newborn() -> (Model, Adam<Model>) {
    let Training { model, adam, .. } = Training::new(&config(), recipe());
    (model, adam)
}

/// One update of a model. Returns the loss before it.
fn one_update(
    model: &mut Model,
    adam: &mut Adam<Model>,
    batch: &[Example],
    lr: f64,
) -> f64 {
    let sources: Vec<_> = batch.iter().map(|one| &one.source).collect();
    let targets: Vec<_> = batch.iter().map(|one| &one.target).collect();
    let (loss, gradient) = gradient(model, |model: &Transformer<_>| {
        model.loss(&sources, &targets, 0.1)
    });
    adam.step(model, &gradient, lr);
    loss
}

/// Trains on 4000 words, and writes *planet* as it goes.
fn learn() {
    let (words, unseen) = (lessons(4000), held_out());
    let (mut model, mut adam) = newborn();
    section("As it learns");
    println!("update  loss  held out  right of 100  planet becomes");
    for (batch, step) in recipe().batches(&words, 0).flatten().zip(1..=400) {
        let lr = learning_rate(0.009, step, 100);
        let loss = one_update(&mut model, &mut adam, &batch, lr);
        if [1, 20, 50, 100, 200, 400].contains(&step) {
            let cost = validation_loss(&model, &unseen);
            let (right, says) =
                (right(&model, &unseen), written(&model, &unseen[0]));
            println!("{step:6} {loss:5.2} {cost:9.2} {right:13}  {says}");
        }
    }
}

/// The sizes of this training.
fn in_numbers() {
    section("In numbers");
    let Recipe { batch_tokens, warmup, peak_lr, .. } = recipe();
    value("parameters", grouped(parameter_count(&newborn().0)));
    value("batch", batch_tokens);
    value("warm-up", warmup);
    value("peak", peak_lr);
    let best = smoothed::<f64>(&[0], VOCABULARY, 0.1).map(f64::ln);
    value("floor", format!("{:.2}", best.cross_entropy(&[0], 0.1)[0]));
    value("evenly", format!("{:.2}", (VOCABULARY as f64).ln()));
    let certainty = smoothed::<f64>(&[0], VOCABULARY, 0.1)[0];
    value("smoothed certainty", format!("{certainty:.2}"));
    value("floor, not smoothed", format!("{:.2}", -certainty.ln()));
    value("by frequency", format!("{:.2}", by_frequency()));
}

/// What a token of the answers costs if nothing is known but how frequent
/// each is: there are 4.5 letters on average, all alike, and an end.
fn by_frequency() -> f64 {
    let (end, letter) = (1.0 / 5.5, 4.5 / 5.5 / 8.0);
    -end * f64::ln(end) - 8.0 * letter * f64::ln(letter)
}

/// The recipes of the crate.
fn recipes() {
    section("Four recipes");
    let all = [Recipe::toy(), Recipe::tiny(), Recipe::base(), Recipe::big()];
    let row = |name: &str, number: fn(&Recipe) -> f64| {
        let [toy, tiny, base, big] = all
            .each_ref()
            .map(number)
            .map(|x| if x < 1.0 { format!("{x:.2}") } else { grouped(x) });
        [name.to_string(), toy, tiny, base, big]
    };
    let rows = [
        row("tokens in a batch", |r| r.batch_tokens as f64),
        row("updates", |r| r.updates as f64),
        row("warm-up", |r| r.warmup as f64),
        row("peak, times 1000", |r| 1000.0 * r.peak_lr),
        row("dropout", |r| r.dropout),
        row("label smoothing", |r| r.label_smoothing),
        row("weight decay", |r| r.weight_decay),
    ];
    table(["", "toy", "tiny", "base", "big"], rows);
}

/// What an update of the drill below minimizes.
type Loss = fn(&Transformer<Variable<f64>>, &[Example]) -> Variable<f64>;

/// The loss as it should be.
fn shifted(
    model: &Transformer<Variable<f64>>,
    batch: &[Example],
) -> Variable<f64> {
    let sources: Vec<_> = batch.iter().map(|one| &one.source).collect();
    let targets: Vec<_> = batch.iter().map(|one| &one.target).collect();
    model.loss(&sources, &targets, 0.0)
}

/// The decoder is fed the very tokens that it is asked for.
fn unshifted(
    model: &Transformer<Variable<f64>>,
    batch: &[Example],
) -> Variable<f64> {
    let sources: Vec<_> = batch.iter().map(|one| &one.source).collect();
    let asked: Vec<_> = batch.iter().map(|one| &one.target[1..]).collect();
    model.forward(&sources, &asked).cross_entropy(&asked.concat(), 0.0)
}

/// Learns one batch by heart. Returns the losses and what is then written.
fn drill(batch: &[Example], loss: Loss, lr: f64) -> (Vec<f64>, String) {
    let (mut model, mut adam) = newborn();
    let mut losses = Vec::new();
    for _ in 0..60 {
        let (nats, gradient) =
            gradient(&model, |model: &Transformer<_>| loss(model, batch));
        adam.step(&mut model, &gradient, lr);
        losses.push(nats);
    }
    let writes: Vec<_> =
        batch.iter().map(|one| written(&model, one)).collect();
    (losses, writes.join(", "))
}

/// Two words again and again, in the right way and in four wrong ones.
fn one_batch() {
    let batch = ["tea", "stop"].map(|word| lesson(&ids(word)));
    let [tea, stop] = batch.clone();
    let exchanged = [
        Example { target: stop.target, ..tea },
        Example { target: tea.target, ..stop },
    ];
    let ways: [(&str, &[Example], Loss, f64); 5] = [
        ("as it should be", &batch, shifted, 0.003),
        ("uphill", &batch, shifted, -0.003),
        ("a rate of 0.00003", &batch, shifted, 0.00003),
        ("fed what is asked", &batch, unshifted, 0.003),
        ("answers exchanged", &exchanged, shifted, 0.003),
    ];
    section("One batch");
    table(
        ["", "1", "10", "60", "tea, stop become"],
        ways.map(|(name, batch, loss, lr)| {
            let (losses, writes) = drill(batch, loss, lr);
            let at = |update: usize| format!("{:.2}", losses[update - 1]);
            [name.to_string(), at(1), at(10), at(60), writes]
        }),
    );
}

/// What is left of a training run.
pub struct Run {
    /// The loss of every update.
    pub losses: Vec<f64>,
    /// The model before the first update, and after every tenth.
    pub models: Vec<Model>,
}

impl Run {
    /// The model at the end.
    pub fn last(&self) -> &Model {
        &self.models[self.models.len() - 1]
    }

    /// Every tenth update, and what is true of the model then.
    pub fn curve(&self, value: impl Fn(&Model) -> f64) -> Vec<(f64, f64)> {
        let models = self.models.iter().enumerate();
        models.map(|(i, model)| (10.0 * i as f64, value(model))).collect()
    }

    /// The means of ten losses after another, each with its last update.
    pub fn in_training(&self) -> Vec<(f64, f64)> {
        let tens = self.losses.chunks(10).enumerate();
        let mean = |ten: &[f64]| ten.iter().sum::<f64>() / ten.len() as f64;
        tens.map(|(i, ten)| (10.0 * (i + 1) as f64, mean(ten))).collect()
    }
}

/// Trains a new model with these batches.
fn follow(
    recipe: Recipe,
    batches: impl Iterator<Item = Vec<Example>>,
) -> Run {
    let mut training = Training::new(&config(), recipe);
    let mut run =
        Run { losses: Vec::new(), models: vec![training.model.clone()] };
    for batch in batches {
        run.losses.push(training.update(&batch).expect("a finite loss"));
        if run.losses.len().is_multiple_of(10) {
            run.models.push(training.model.clone());
        }
    }
    run
}

/// Trains a new model by each recipe, all at the same time.
pub fn train(recipes: &[Recipe], examples: &[Example]) -> Vec<Run> {
    let run = |recipe: &Recipe| {
        let batches =
            recipe.batches(examples, 0).flatten().take(recipe.updates);
        follow(recipe.clone(), batches)
    };
    recipes.par_iter().map(run).collect()
}

/// Learning rates, one of which is to be chosen.
pub const PEAKS: [f64; 5] = [0.0001, 0.001, 0.009, 0.03, 0.1];

/// Runs of 200 updates, each with one of these learning rates at its peak.
pub fn runs_to_choose_from() -> Vec<Run> {
    let recipes =
        PEAKS.map(|peak_lr| Recipe { peak_lr, updates: 200, ..recipe() });
    train(&recipes, &lessons(4000))
}

fn five_peaks() {
    let unseen = held_out();
    section("Five learning rates");
    let rows = PEAKS.iter().zip(runs_to_choose_from()).map(|(peak, run)| {
        let (_, loss) = run.in_training()[19];
        let cost = validation_loss(run.last(), &unseen);
        let right = right(run.last(), &unseen);
        let cells = [format!("{loss:.2}"), format!("{cost:.2}")];
        let [loss, cost] = cells;
        [peak.to_string(), loss, cost, right.to_string()]
    });
    table(["peak", "loss", "held out", "right of 100"], rows);
}

/// The lessons in alphabetical order, batch after batch.
pub fn sorted() -> Run {
    let mut examples = lessons(4000);
    examples.sort_by(|a, b| a.source.cmp(&b.source));
    let batches = examples.chunks(55).map(<[Example]>::to_vec);
    follow(recipe(), batches.cycle().take(200))
}

fn without_shuffling() {
    let shuffled = &runs_to_choose_from()[2];
    section("In alphabetical order");
    value("shuffled, right", right(shuffled.last(), &held_out()));
    value("sorted, right", right(sorted().last(), &held_out()));
}

/// Sixty words are learned in these ways: names, and shares of smoothing,
/// dropout and decay.
pub const WAYS: [(&str, [f64; 3]); 5] = [
    ("nothing", [0.0, 0.0, 0.0]),
    ("smoothing", [0.1, 0.0, 0.0]),
    ("smoothing + dropout", [0.1, 0.1, 0.0]),
    ("smoothing + decay", [0.1, 0.0, 0.5]),
    ("all three", [0.1, 0.1, 0.5]),
];

/// Five hundred updates in each of these ways.
pub fn runs_on_sixty_words() -> Vec<Run> {
    let recipes =
        WAYS.map(|(_, [label_smoothing, dropout, weight_decay])| Recipe {
            batch_tokens: 150,
            updates: 500,
            label_smoothing,
            dropout,
            weight_decay,
            ..recipe()
        });
    train(&recipes, &lessons(60))
}

/// Where a curve is lowest, and how low.
pub fn lowest(curve: &[(f64, f64)]) -> (f64, f64) {
    let lowest = curve.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    *lowest.expect("a curve has points")
}

fn by_heart() {
    let (learned, unseen) = (lessons(60), held_out());
    let runs = runs_on_sixty_words();
    section("Sixty words");
    let rows = WAYS.iter().zip(&runs).map(|((name, _), run)| {
        let cost = |examples: &[Example]| {
            format!("{:.2}", validation_loss(run.last(), examples))
        };
        let (update, least) =
            lowest(&run.curve(|model| validation_loss(model, &unseen)));
        let right = right(run.last(), &unseen).to_string();
        let least = format!("{least:.2}");
        let update = update.to_string();
        [
            name.to_string(),
            cost(&learned),
            cost(&unseen),
            right,
            least,
            update,
        ]
    });
    table(["", "learned", "held out", "right of 100", "least", "at"], rows);
    section("By heart");
    let hard = &runs[0];
    let (stop, least) =
        lowest(&hard.curve(|model| validation_loss(model, &unseen)));
    value("stop at", stop);
    value("held out then", format!("{least:.2}"));
    let then = &hard.models[(stop / 10.0) as usize];
    value("right then", right(then, &unseen));
    let end = validation_loss(hard.last(), &unseen);
    value("held out in the end", format!("{end:.2}"));
    value("right in the end", right(hard.last(), &unseen));
}

fn ten_ones() {
    let tape = Tape::with_dropout(0.3, ChaCha8Rng::seed_from_u64(1));
    let ones = tape.variable(Matrix::<f64>::from_element(1, 10, 1.0));
    let row = ones.dropout();
    let cells = row.value().iter().map(|x| format!("{x:.2}"));
    section("Ten ones, a dropout of 0.3");
    println!("{}", cells.collect::<Vec<_>>().join("  "));
    let dropped = row.value().iter().filter(|&&x| x == 0.0).count();
    let many = tape.variable(Matrix::<f64>::from_element(100, 100, 1.0));
    section("Ten thousand ones");
    value("mean", format!("{:.2}", many.dropout().value().mean()));
    value("dropped of ten", dropped);
}

/// Shortens a gradient that is longer than `limit`. Returns how long it was.
fn clip(gradient: &mut Model, limit: f64) -> f64 {
    let leaves = gradient.leaves().into_iter();
    let squares: f64 = leaves.map(|(_, leaf)| leaf.norm_squared()).sum();
    let length = squares.sqrt();
    if length > limit {
        let leaves = gradient.leaves_mut().into_iter();
        leaves.for_each(|leaf| *leaf *= limit / length);
    }
    length
}

/// The steps of Adam, in units of the learning rate, when the hundredth of
/// its gradients is `longest` and all others are 1.
fn steps(longest: f64) -> Vec<f64> {
    let one = |x| Embedding { table: Matrix::from_element(1, 1, x) };
    let mut parameter = one(0.0);
    let mut adam = Adam::new(&parameter);
    let step = |i: usize| {
        let before = parameter.table[0];
        let gradient = one(if i == 100 { longest } else { 1.0 });
        adam.step(&mut parameter, &gradient, 1.0);
        before - parameter.table[0]
    };
    (1..=400).map(step).collect()
}

fn one_long_gradient() {
    section("One long gradient");
    let shown = [99, 100, 101, 110, 150, 200, 300];
    let (whole, clipped) = (steps(100.0), steps(1.0));
    let row = |i: usize| {
        [
            i.to_string(),
            format!("{:.2}", whole[i - 1]),
            format!("{:.2}", clipped[i - 1]),
        ]
    };
    table(["update", "as it is", "clipped"], shown.map(row));
    let (mut model, _) = newborn();
    let length = clip(&mut model, 1.0);
    let short = clip(&mut model, 1.0);
    section("Clipped");
    value("length before", format!("{length:.1}"));
    value("length after", format!("{short:.1}"));
}
