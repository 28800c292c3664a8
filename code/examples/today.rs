//! What has changed since the paper, one part at a time:
//! `cargo run --example today`

use print::log::{self, number};
use print::{Fixed, grouped, least, mean, section, spread, table, value};

#[macro_use]
#[path = "../../tests/bench/common/changes.rs"]
mod changes;
#[path = "../../tests/bench/common/recipes.rs"]
pub mod recipes;

#[path = "today/costs.rs"]
mod costs;
#[path = "today/heads.rs"]
pub mod heads;
#[path = "today/muon.rs"]
pub mod muon;

use recipes::{CHANGES, WINDOW, recipe, steps};

fn main() {
    the_experiment();
    learning_rates();
    one_change_at_a_time();
    alone_and_together();
    farther_than_trained();
    costs::what_they_cost();
    heads::how_alibi_weighs();
    heads::attention_in_blocks();
    muon::two_directions();
    muon::round_by_round();
}

/// The losses of the five models with a change, seed by seed.
pub struct Trained {
    change: &'static str,
    pub name: &'static str,
    pub short: Vec<f64>,
}

impl Trained {
    pub fn new(change: &str) -> Self {
        // Five models, which `src/logs/today.sh` has trained.
        let rows = log::table(log::read("today-changes"))
            .filter(|row: &[_; 6]| row[0] == change);
        let short = rows.map(|[.., loss]| number(loss)).collect();
        let name = CHANGES.iter().find(|(own, _)| *own == change);
        let &(change, name) = name.expect("a change of this name");
        Self { change, name, short }
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
    let tokens = recipe.updates * recipe.batch_tokens;
    value("updates", grouped(recipe.updates));
    value("tokens in a batch", recipe.batch_tokens);
    value("tokens read", grouped(tokens));
    value("warm-up", recipe.warmup);
    value("highest rate", recipe.peak_lr);
    value("decay", recipe.weight_decay);
    value("window", WINDOW);
    value("long window", 4 * WINDOW);
    let (loss, deviation) = spread(&Trained::new("base").short);
    section("Without a change");
    value("loss without a change", loss.fixed(3));
    value("deviation without a change", deviation.fixed(3));
}

/// The rates that were tried for a change, with one seed, and their losses.
fn tried(change: &str) -> impl Iterator<Item = (&str, String)> {
    let rows = log::table(log::read("today-rates"))
        .filter(move |row: &[_; 6]| row[0] == change);
    rows.map(|[_, _, rate, .., loss]| (rate, number::<f64>(loss).fixed(3)))
}

fn learning_rates() {
    let rows = tried("base")
        .zip(tried("paper"))
        .map(|(base, paper)| (base.0, base.1, paper.1));
    section("Learning rates");
    table(["rate", "norm before", "norm after"], rows);
    let losses: Vec<f64> =
        tried("base").map(|(_, loss)| number(&loss)).collect();
    // Of rates that double, the one before the best.
    let best = losses.iter().position(|&loss| loss == least(&losses));
    let half = losses[best.expect("a loss") - 1];
    section("A worse rate");
    value("half the rate", (half - least(&losses)).fixed(3));
    section("Rates of Muon");
    table(["rate", "Muon"], tried("muon"));
    section("The rate of Muon");
    value("Muon's rate", steps("muon").muon.expect("a rate"));
    value("rate of the norm after", self::recipe("paper", 1).peak_lr);
}

/// A difference with its sign.
pub fn signed(by: f64) -> String {
    let plus = if by >= 0.0005 { "+" } else { "" };
    format!("{plus}{}", grouped(by.fixed(3)))
}

/// The mean of some differences, and its standard error.
fn with_error(differences: &[f64]) -> (f64, f64) {
    let (by, deviation) = spread(differences);
    (by, deviation / (differences.len() as f64).sqrt())
}

/// How often chance alone makes the mean of five differences at least so
/// many of its standard errors, in either direction: Student's distribution
/// with four degrees of freedom.
fn by_chance(errors: f64) -> f64 {
    let s = errors / (4.0 + errors * errors).sqrt();
    1.0 - 1.5 * s + 0.5 * s.powi(3)
}

fn one_change_at_a_time() {
    section("One change at a time");
    let row = |one: Trained| {
        let (by, error) = with_error(&one.differences());
        let loss = mean(&one.short).fixed(3);
        let errors = (by.abs() / error).fixed(1);
        (one.name, loss, signed(by), error.fixed(4), errors)
    };
    table(
        ["change", "loss", "difference", "its error", "in errors"],
        by_loss().into_iter().filter(|one| !one.unchanged()).map(row),
    );
    section("By chance");
    value("three errors, once in", (1.0 / by_chance(3.0)).fixed(0));
    value("six errors, once in", (1.0 / by_chance(6.0)).fixed(0));
}

fn alone_and_together() {
    section("Alone and together");
    let by = |change| mean(&Trained::new(change).differences());
    // What `with_model!` and `steps` make of "llama".
    let parts = "rotary rms swiglu unbiased grouped decay clip cosine";
    let sum = parts.split(' ').map(by).sum();
    value("Llama's parts, added", signed(sum));
    value("Llama's parts together", signed(by("llama")));
    value("rotary alone", signed(by("rotary")));
    let more = (-by("rotary")).exp() - 1.0;
    value("more probable", more.percent(0));
    value("and Muon, added", signed(by("llama") + by("muon")));
    value("and Muon together", signed(by("llama-muon")));
    value("decay alone", signed(by("decay")));
    value("no positions alone", signed(by("nowhere")));
}

fn farther_than_trained() {
    section("Farther than trained");
    let losses = |change: &str| -> Vec<[f64; 2]> {
        let all = log::table(log::read("today-far"));
        let own = all.filter(|row: &[_; 4]| row[0] == change);
        own.map(|[.., short, long]| [short, long].map(number)).collect()
    };
    let rows = ["base", "nowhere", "rotary", "distant"].map(|change| {
        let name = Trained::new(change).name;
        let name = if change == "base" { "sines, unchanged" } else { name };
        let losses = losses(change);
        let both = [0, 1].map(|i| {
            mean(&losses.iter().map(|both| both[i]).collect::<Vec<_>>())
        });
        let more = losses.iter().map(|[short, long]| long - short);
        let (by, error) = with_error(&more.collect::<Vec<_>>());
        (name, both.fixed(3), signed(by), error.fixed(4))
    });
    table(("positions", ["short", "long"], "difference", "its error"), rows);
    section("Compared");
    value("compared", WINDOW / 2);
}
