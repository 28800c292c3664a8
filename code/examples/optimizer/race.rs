//! What `src/logs/optimizer.sh` has trained: every method with its best
//! learning rate, SGD with more steps, and deeper models.

use super::methods::{
    ADAM, METHODS, Method, SGD, STEPS, WARM_UP, WARMUP, train_by,
};
use super::reverser::{Run, distance, floor};
use all_you_need::optimizer::learning_rate;
use print::log::{self, number, table};
use print::{Fixed, least, median, most, section, value};
use std::ops::Range;

/// The seeds that learning rates are chosen with, and those that results are
/// reported for.
pub const TO_TUNE: Range<u64> = 11..14;
pub const TO_REPORT: Range<u64> = 1..11;

/// After how many steps a loss is written down, again and again.
pub const EACH: usize = 10;

/// A training run of the race.
pub struct Trained {
    method: &'static str,
    lr: f64,
    seed: u64,
    /// How many of a hundred words are right in the end.
    right: f64,
    /// The loss after each ten steps.
    pub losses: [f64; STEPS / EACH],
}

impl Trained {
    fn all(log: &'static str) -> Vec<Self> {
        let run = |row: [&'static str; 4 + STEPS / EACH]| {
            let [method, lr, seed, right, losses @ ..] = row;
            let [lr, right] = [lr, right].map(number);
            let losses = losses.map(number);
            Self { method, lr, seed: number(seed), right, losses }
        };
        table(log).map(run).collect()
    }

    fn end(&self) -> f64 {
        self.losses[self.losses.len() - 1]
    }
}

/// The race, from its log.
pub struct Race(Vec<Trained>);

impl Race {
    pub fn new(log: &'static str) -> Self {
        Self(Trained::all(log))
    }

    pub fn logged() -> Self {
        Self::new(log::read("optimizer-race"))
    }

    fn with(&self, method: Method, lr: f64, of: Range<u64>) -> Vec<&Trained> {
        let this = |one: &&Trained| {
            one.method == method.name
                && one.lr == lr
                && of.contains(&one.seed)
        };
        self.0.iter().filter(this).collect()
    }

    /// The learning rate with the lowest loss in the end, the median of those
    /// runs that it is chosen with.
    pub fn best_lr(&self, method: Method) -> f64 {
        let loss = |lr: f64| {
            let ends = self.with(method, lr, TO_TUNE).into_iter();
            let finite = |loss: f64| match loss.is_finite() {
                true => loss,
                false => f64::INFINITY,
            };
            median(&ends.map(|one| finite(one.end())).collect::<Vec<_>>())
        };
        let tried = method.lrs.into_iter().map(|lr| (lr, loss(lr)));
        let best = tried.min_by(|a, b| a.1.total_cmp(&b.1));
        best.expect("a learning rate").0
    }

    /// The runs with this rate.
    pub fn runs(&self, method: Method) -> Vec<&Trained> {
        self.with(method, self.best_lr(method), TO_REPORT)
    }
}

pub fn race() {
    let race = Race::logged();
    section("Too large a learning rate");
    let warm = race.best_lr(WARM_UP);
    value("best with warm-up", warm);
    value("ln 7", 7f64.ln().fixed(2));
    for Method { name, lrs, .. } in [SGD, ADAM, WARM_UP] {
        let [first @ .., last] = lrs.map(|lr| lr.to_string());
        let rates = format!("{} and {last}", first.join(", "));
        value(format!("rates of {name}"), rates);
    }
    section("Five methods");
    println!(
        "                                 loss              right of 100"
    );
    println!(
        "method         learning rate   median  from–to   median  from–to"
    );
    for method in METHODS {
        let lr = race.best_lr(method);
        let runs = race.runs(method).into_iter();
        let ends = runs.map(|one| (one.end(), one.right));
        let (losses, words): (Vec<_>, Vec<_>) = ends.unzip();
        let range = |all: &[f64], decimals| {
            [least(all), most(all)].fixed(decimals).join("–")
        };
        println!(
            "{:14} {lr:13} {:8.2} {:>10} {:6} {:>8}",
            method.name,
            median(&losses),
            range(&losses, 2),
            median(&words),
            range(&words, 0)
        );
    }
    section("Medians of the race");
    value("steps", STEPS);
    value("floor", floor().fixed(2));
    strides(&train_by(WARM_UP, warm, 100, TO_REPORT.start), warm);
    patient();
}

/// How far the parameters go in one step, in units of its learning rate.
fn strides(run: &Run, peak_lr: f64) {
    section("Strides");
    for step in [1, 2, 10, 100] {
        let far = distance(&run.models[step], &run.models[step - 1]);
        let stride = far / learning_rate(peak_lr, step, WARMUP);
        value(format!("step {step}"), stride.fixed(2));
    }
}

/// The steps after which a patient run of SGD is looked at.
pub const PATIENT: [usize; 3] = [STEPS, 500, 1000];

/// Are the runs of gradient descent stuck? They got more steps.
fn patient() {
    section("More steps of SGD");
    let log = table::<4>(log::read("optimizer-patient"));
    let runs: Vec<[f64; 3]> =
        log.map(|[_, losses @ ..]| losses.map(number)).collect();
    let row = |i: usize| {
        let losses: Vec<f64> = runs.iter().map(|run| run[i]).collect();
        let all = [least(&losses), median(&losses), most(&losses)];
        (PATIENT[i], all.fixed(2))
    };
    print::table(["steps", "best", "median", "worst"], [0, 1, 2].map(row));
}

/// The highest rates of models with two layers.
pub const HIGH: [f64; 2] = [0.01, 0.02];

/// A model of two layers, whose learning rate rises or does not.
pub fn rising() {
    section("With and without warm-up");
    println!("highest rate                loss of four runs");
    let losses = |lr: f64, way: &str| -> Vec<f64> {
        let rows = table::<4>(log::read("optimizer-deeper"));
        let own = rows.filter(|[name, rate, ..]| {
            *name == way && number::<f64>(rate) == lr
        });
        own.map(|[.., loss]| number(loss)).collect()
    };
    for lr in HIGH {
        for way in ["no warm-up", "warm-up"] {
            let cells = losses(lr, way);
            let cells = cells.iter().map(|loss| format!("{loss:6.2}"));
            println!("{lr:12}   {way:10} {}", cells.collect::<String>());
        }
    }
    section("Best and worst of the four");
    let [without, with] =
        ["no warm-up", "warm-up"].map(|way| losses(HIGH[1], way));
    value("0.02, no warm-up, best", least(&without).fixed(2));
    value("0.02, no warm-up, worst", most(&without).fixed(2));
    value("0.02, warm-up, worst", most(&with).fixed(2));
}
