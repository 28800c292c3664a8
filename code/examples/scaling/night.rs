//! What a night of this machine buys.

use super::recipes::{BUDGETS, WIDTHS};
use super::work;
use all_you_need::encoder::Config;
use all_you_need::training::Recipe;
use print::log::{number, read};
use print::{Fixed, grouped, least, most, section, value};

/// The tokens for each parameter that Hoffmann and others found best.
const HOFFMANN: f64 = 20.0;

/// The size for which so much work is so many tokens a parameter, at three
/// multiply-adds for a parameter and a token: work = 3 · N · (share · N).
fn affordable(work: f64, share: f64) -> f64 {
    (work / (3.0 * share)).sqrt()
}

/// The seconds that the training of the book's translator took.
fn seconds() -> f64 {
    let last = read("translation-run-1").lines().last().expect("a row");
    number(last.split('\t').next_back().expect("a time"))
}

/// What a night buys by Hoffmann's rule, beside the book's translator, and
/// what a power of the work buys that goes through the last of our crossings.
pub fn a_night(crossing: [f64; 3], power: f64, powers: &[f64]) {
    section("The translator");
    let parameters = Config::tiny().parameters() as f64;
    let recipe = Recipe::tiny();
    let tokens = (recipe.updates * recipe.batch_tokens) as f64;
    let trained = 3.0 * parameters * tokens;
    // Rounded, so that whoever computes with what is printed gets the same.
    let billions = (trained / seconds() / 1e9).round();
    value("its minutes", (seconds() / 60.0).fixed(0));
    value("its trillions", (trained / 1e12).fixed(0));
    value("billions a second", billions);
    value("its millions of parameters", (parameters / 1e6).fixed(1));
    value("its millions of tokens", (tokens / 1e6).fixed(0));
    let size = affordable(trained, HOFFMANN);
    value("the rule's millions of parameters", (size / 1e6).fixed(1));
    value("the rule's millions of tokens", (HOFFMANN * size / 1e6).fixed(0));
    section("A night");
    let night = 8.0 * 3600.0 * billions * 1e9;
    let [.., largest] = WIDTHS;
    let times = night / work(largest, BUDGETS[2]);
    value("trillions of a night", grouped((night / 1e12).round()));
    value("times our longest run", times.fixed(0));
    let size = affordable(night, HOFFMANN);
    value("millions of parameters", (size / 1e6).fixed(1));
    value("millions of tokens", (HOFFMANN * size / 1e6).fixed(0));
    let grown =
        |power: f64| crossing[1] * (night / crossing[0]).powf(power) / 1e6;
    value("millions by our crossings", grown(power).fixed(0));
    value("millions at least", grown(least(powers)).fixed(0));
    value("millions at most", grown(most(powers)).fixed(0));
    section("The small runs");
    let all = WIDTHS.map(|width| BUDGETS.map(|n| work(width, n)));
    let one_seed: f64 = all.concat().iter().sum();
    value("trillions of a seed", (one_seed / 1e12).fixed(1));
    // Half an hour of a core, as `src/logs/scaling.sh` says.
    value("billions of a core", (one_seed / 1800.0 / 1e9).fixed(0));
}
