//! What has changed since the paper, one part at a time:
//! `cargo run --example today`

use all_you_need::costs::{Bill, Cost, Shape};
use all_you_need::encoder::Config;
use all_you_need::nalgebra::dmatrix;
use all_you_need::plain::today as plain;
use all_you_need::tensor::Matrix;
use all_you_need::today::{Modern, kept};
use all_you_need::tokens::Tokenizer;
use print::log::{self, number};
use print::{Fixed, grouped, mean, section, spread, table, value};

#[macro_use]
#[path = "../../tests/bench/common/changes.rs"]
mod changes;
#[path = "../../tests/bench/common/recipes.rs"]
pub mod recipes;

use changes::Sizes;
use recipes::{CHANGES, MERGES, WINDOW, config, recipe};

fn main() {
    the_experiment();
    one_change_at_a_time();
    what_they_cost();
    farther_than_trained();
    one_step_of_muon();
    attention_in_blocks();
}

/// The losses of the five models with a change, seed by seed, on windows of
/// the trained length, and on longer ones.
pub struct Trained {
    change: &'static str,
    pub name: &'static str,
    pub short: Vec<f64>,
    pub long: Vec<f64>,
}

impl Trained {
    pub fn new(change: &str) -> Self {
        // Five models, which `src/logs/today.sh` has trained.
        let rows = log::table(log::read("today-changes"))
            .filter(|row: &[_; 7]| row[0] == change);
        let (short, long): (Vec<_>, Vec<_>) = rows
            .map(|[.., short, long]| (number::<f64>(short), long))
            .unzip();
        let long = long.into_iter().filter(|&loss| loss != "-").map(number);
        let name = CHANGES.iter().find(|(own, _)| *own == change);
        let &(change, name) = name.expect("a change of this name");
        Self { change, name, short, long: long.collect() }
    }

    /// Whether this is the decoder of which the others change one part.
    pub fn unchanged(&self) -> bool {
        self.change == "base"
    }

    /// By how much each model loses more than the unchanged one that began
    /// with its seed and saw the same batches.
    pub fn differences(&self) -> Vec<f64> {
        let base = Self::new("base").short;
        self.short.iter().zip(base).map(|(own, base)| own - base).collect()
    }

    /// Whether all five are better, or all worse, or neither.
    fn verdict(&self) -> &'static str {
        let differences = self.differences();
        match () {
            () if differences.iter().all(|d| *d < 0.0) => "better",
            () if differences.iter().all(|d| *d > 0.0) => "worse",
            () => "",
        }
    }
}

/// All decoders, the one that loses least first.
pub fn by_loss() -> Vec<Trained> {
    let mut all = Vec::from(CHANGES.map(|(change, _)| Trained::new(change)));
    all.sort_by(|a, b| mean(&a.short).total_cmp(&mean(&b.short)));
    all
}

fn the_experiment() {
    section("The experiment");
    let recipe = recipe("base", 1);
    value("updates", grouped(recipe.updates));
    value("tokens in a batch", recipe.batch_tokens);
    value("tokens read", grouped(recipe.updates * recipe.batch_tokens));
    let tried = |change| {
        let rows = log::table(log::read("today-rates"))
            .filter(move |row: &[_; 7]| row[0] == change);
        rows.map(|[_, _, rate, _, _, loss, _]| {
            (rate, number::<f64>(loss).fixed(3))
        })
    };
    let rows = tried("base")
        .zip(tried("paper"))
        .map(|(base, paper)| (base.0, base.1, paper.1));
    section("Learning rates");
    table(["rate", "norm before", "norm after"], rows);
    let (loss, deviation) = spread(&Trained::new("base").short);
    section("Without a change");
    value("loss without a change", loss.fixed(3));
    value("deviation without a change", deviation.fixed(3));
    let none = mean(&Trained::new("nowhere").differences());
    value("cost of no positions", none.fixed(3));
}

/// A difference with its sign.
fn signed(by: f64) -> String {
    format!("{by:+.3}").replace('-', "−")
}

fn one_change_at_a_time() {
    section("One change at a time");
    let row = |one: Trained| {
        let (by, deviation) = spread(&one.differences());
        let loss = mean(&one.short).fixed(3);
        (one.name, loss, signed(by), deviation.fixed(3), one.verdict())
    };
    table(
        ["change", "loss", "difference", "±", "all five"],
        by_loss().into_iter().filter(|one| !one.unchanged()).map(row),
    );
    section("Alone and together");
    let by = |change| mean(&Trained::new(change).differences());
    // What `with_model!` and `steps` make of "llama".
    let parts = "rotary rms swiglu unbiased grouped decay clip cosine";
    let sum = parts.split(' ').map(by).sum();
    value("Llama's parts, added", signed(sum));
    value("Llama's parts together", signed(by("llama")));
    value("and Muon, added", signed(by("llama") + by("muon")));
    value("and Muon together", signed(by("llama-muon")));
}

/// Parameters, multiply-adds for a token in training and numbers kept, of the
/// decoder with a change.
pub fn costs(change: &str, vocabulary: usize) -> [u64; 3] {
    let bill = Bill::default();
    let config = config(vocabulary);
    let init = &mut bill.clone();
    let kept = with_model!(change, Shape, config, init, |model| {
        let _ = model.forward(&[[0; WINDOW]]);
        kept(&model)
    });
    let Cost { parameters, multiply_adds, .. } = bill.cost();
    [parameters, multiply_adds / WINDOW as u64, kept as u64]
}

fn what_they_cost() {
    section("What they cost");
    let vocabulary = Tokenizer::default().vocabulary() + MERGES;
    let changes = ["base", "grouped", "one-group", "latent"];
    let rows = changes.map(|change| {
        let [parameters, in_training, kept] = costs(change, vocabulary);
        // Where a narrow row is the key and the value of every head, scores
        // and mixtures are as wide as it is.
        let Config { heads, layers, d_k, .. } = config(vocabulary);
        let wider = kept as usize / layers - d_k;
        let wider = if change == "latent" { wider } else { 0 };
        let more = layers * heads * WINDOW * 2 * wider;
        let multiply_adds = in_training + more as u64;
        let (by, _) = spread(&Trained::new(change).differences());
        let name = Trained::new(change).name;
        let name =
            if change == "base" { "four heads, unchanged" } else { name };
        (name, [kept, multiply_adds, parameters].map(grouped), signed(by))
    });
    let names = [
        "",
        "kept a token",
        "multiply-adds a token",
        "parameters",
        "loss, difference",
    ];
    table(names, rows);
    let [[all, work, _], [more, as_much, _]] =
        ["base", "experts"].map(|change| costs(change, vocabulary));
    section("With experts");
    value("vocabulary", grouped(vocabulary));
    value("parameters without a change", grouped(all));
    value("parameters with experts", grouped(more));
    value("multiply-adds without a change", grouped(work));
    value("multiply-adds with experts", grouped(as_much));
}

fn farther_than_trained() {
    section("Windows");
    value("window", WINDOW);
    value("long window", 4 * WINDOW);
    section("Farther than trained");
    let changes = ["base", "learned", "nowhere", "rotary", "distant"];
    let rows = changes.map(|change| {
        let one = Trained::new(change);
        let cell = |losses: &[f64]| match losses {
            [] => "none".to_owned(),
            _ => mean(losses).fixed(3),
        };
        let name =
            if change == "base" { "sines, unchanged" } else { one.name };
        (name, cell(&one.short), cell(&one.long))
    });
    table(["positions", "as trained", "four times as long"], rows);
}

/// A gradient in which one column is a hundred times longer than the other.
fn one_step_of_muon() {
    section("One step of Muon");
    let gradient = dmatrix![50.0, 0.0; 0.0, 0.5];
    let step = plain::muon(&gradient);
    let both = |matrix: &Matrix| {
        [matrix[(0, 0)], matrix[(1, 1)]].fixed(1).join(" and ")
    };
    value("gradient", both(&gradient));
    value("its step", both(&step));
}

/// The keys of a block, and the columns of a query, a key and a value.
pub const BLOCK: usize = 128;
pub const COLUMNS: usize = 64;

/// How many numbers one head keeps at a time beside what it reads and what it
/// returns, for n tokens: all scores; those of a block, with the highest score
/// and the sum of each query; and those of one query at a time. The mixtures
/// are returned.
pub fn held(n: usize) -> [usize; 3] {
    [n * n, n * (BLOCK + 2), BLOCK + 2]
}

/// The queries, keys and values that it reads, and the mixtures.
pub fn read_and_returned(n: usize) -> usize {
    4 * n * COLUMNS
}

/// How many numbers attention needs at a time for a long text.
fn attention_in_blocks() {
    section("Attention in blocks");
    value("keys in a block", BLOCK);
    value("columns", COLUMNS);
    value("as many as it reads", read_and_returned(1));
    value("for one query", held(1)[2]);
    // (Q Kᵀ) V and Q (Kᵀ V), in multiply-adds.
    let (n, d) = (1000, COLUMNS);
    value("rows", grouped(n));
    value("the scores first", grouped(2 * n * n * d));
    value("keys and values first", grouped(2 * n * d * d));
}
