//! What each step should save in an update, and what it saves.

use super::logged::time;
use super::pace::billions_a_second;
use super::{
    LENGTH, ROWS_OF_A_PART, SENTENCES, attentions, bill, parts, round,
};
use all_you_need::encoder::Config;
use print::{Fixed, section, value};

/// How many exponentials an update takes: one for each token of the
/// vocabulary in each row, and one for each pair in each head.
pub fn exponentials_taken() -> f64 {
    let Config { vocabulary, layers, heads, .. } = Config::tiny();
    let (pairs, seen) = (LENGTH * LENGTH, LENGTH * (LENGTH + 1) / 2);
    // Encoder and cross-attention see all pairs, the decoder its past.
    let attention = layers * heads * (2 * pairs + seen);
    let sentence = LENGTH * vocabulary + attention;
    (parts() * SENTENCES * sentence) as f64
}

/// How many numbers the loss adds or compares: each logit in the sum of all,
/// in the maximum, and in the sum of exponentials.
fn additions_taken() -> f64 {
    (3 * parts() * ROWS_OF_A_PART * Config::tiny().vocabulary) as f64
}

/// A number with as many decimals as are printed, so that a reader who
/// computes with it gets what is printed.
fn shown(number: f64, decimals: i32) -> f64 {
    let unit = 10f64.powi(decimals);
    (number * unit).round() / unit
}

/// A step of an update that has a formula, and how often an update takes it.
pub struct Step {
    name: &'static str,
    times: usize,
    formula: f64,
    here: f64,
}

impl Step {
    fn new(name: &'static str, times: usize) -> Self {
        let [formula, here] = ["by its formula", "as it is"]
            .map(|way| shown(time(&format!("{name}, {way}")), 1));
        Self { name, times, formula, here }
    }

    /// What it should save in an update, from what it saves alone.
    fn expected(&self) -> f64 {
        self.times as f64 * (self.formula - self.here) / time("threads")
    }

    /// An update with the formula.
    pub fn without(&self) -> f64 {
        time(&format!("update, {} by its formula", self.name))
    }
}

/// The two steps that have a formula.
pub fn steps() -> [Step; 2] {
    [
        Step::new("attention", attentions() * parts()),
        Step::new("loss", parts()),
    ]
}

/// An update as it is and with formulas, in milliseconds.
pub fn update() {
    let update = time("update, as it is");
    let both = time("update, both by their formulas");
    let steps = steps();
    section("An update");
    value("threads", time("threads"));
    value("an update", round(update));
    value("with the formulas", (both / 1e3).fixed(1));
    section("What each saves");
    println!(
        "                 once       once               expected  measured"
    );
    println!(
        "              formula       here    how many    ms less   ms less"
    );
    for step in &steps {
        println!(
            "{:12} {:6.1} ms  {:6.1} ms {:11} {:>10} {:>9}",
            step.name,
            step.formula,
            step.here,
            step.times,
            round(step.expected()),
            round(step.without() - update)
        );
    }
    estimate(
        ("exponential", "of the standard library", "as it is"),
        exponentials_taken(),
    );
    estimate(("addition", "in a row", "in strands"), additions_taken());
    let [attention, _] = &steps;
    section("In these");
    value("attention by its formula", attention.formula.fixed(1));
    value("attention here", attention.here.fixed(1));
    value("attentions of an update", attention.times);
    value("expected of attention", round(attention.expected()));
    let measured = attention.without() - update;
    value("measured of attention", round(measured));
    limit(update);
}

/// What so many small steps should save, from the time of one in nanoseconds.
fn estimate((name, slow, quick): (&str, &str, &str), count: f64) {
    let [slow, quick] =
        [slow, quick].map(|way| shown(time(&format!("{name}, {way}")), 2));
    let millions = (count / 1e6).round();
    let saved = millions * (slow - quick) / time("threads");
    println!(
        "{name:12} {slow:6.2} ns  {quick:6.2} ns {:>11} {:>10} {:>9}",
        format!("{millions} million"),
        round(saved),
        "–"
    );
}

/// One pass over a batch, in millions of multiply-adds.
fn pass() -> f64 {
    bill(1).iter().sum::<f64>() * (parts() * SENTENCES) as f64
}

/// How long the products of an update take at best, in milliseconds.
pub fn products() -> f64 {
    3.0 * pass() / billions_a_second() / time("threads")
}

/// What is left to gain.
fn limit(update: f64) {
    let (pass, products) = (pass(), products());
    section("The limit");
    value("billions a second", billions_a_second().fixed(1));
    value("one pass", round(pass));
    value("its products", round(products));
    value("of the limit", format!("{:.0}%", 100.0 * products / update));
}
