//! Trainings with other rates, in another order, and of too few words.

use super::{Model, config, held_out, lessons, recipe, right};
use all_you_need::training::{Example, Recipe, Training, validation_loss};
use print::{Fixed, section, table, value};
use rayon::prelude::*;

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

pub fn five_peaks() {
    let unseen = held_out();
    section("Five learning rates");
    let rows = PEAKS.iter().zip(runs_to_choose_from()).map(|(peak, run)| {
        let (_, loss) = run.in_training()[19];
        let cost = validation_loss(run.last(), &unseen);
        let right = right(run.last(), &unseen);
        (peak, [loss, cost].fixed(2), right)
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

pub fn without_shuffling() {
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

pub fn by_heart() {
    let (learned, unseen) = (lessons(60), held_out());
    let runs = runs_on_sixty_words();
    section("Sixty words");
    let rows = WAYS.iter().zip(&runs).map(|((name, _), run)| {
        let cost = |examples: &[Example]| {
            validation_loss(run.last(), examples).fixed(2)
        };
        let (update, least) =
            lowest(&run.curve(|model| validation_loss(model, &unseen)));
        let right = right(run.last(), &unseen);
        let costs = [cost(&learned), cost(&unseen)];
        (name, costs, right, least.fixed(2), update)
    });
    table(["", "learned", "held out", "right of 100", "least", "at"], rows);
    section("By heart");
    let hard = &runs[0];
    let (stop, least) =
        lowest(&hard.curve(|model| validation_loss(model, &unseen)));
    value("stop at", stop);
    value("held out then", least.fixed(2));
    let then = &hard.models[(stop / 10.0) as usize];
    value("right then", right(then, &unseen));
    let end = validation_loss(hard.last(), &unseen);
    value("held out in the end", end.fixed(2));
    value("right in the end", right(hard.last(), &unseen));
}
