//! What each step should save in an update, and what it saves.

use super::logged::{billions_a_second, time};
use super::{
    LENGTH, ROWS_OF_A_PART, SENTENCES, attentions, bill, bytes, parts, round,
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
            .map(|way| time(&format!("{name}, {way}")));
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
    value("times in all", (both / update).fixed(1));
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
    // The products in attention, there and back, that the blocks leave out.
    let shape = ROWS_OF_A_PART as f64;
    let every = shape * shape * Config::tiny().d_model as f64 / 1e9;
    let pass = 2.0 * (attentions() * parts()) as f64 * every;
    let left_out = pass * (1.0 - 1.0 / SENTENCES as f64);
    let seconds = 3.0 * left_out / billions_a_second() / time("threads");
    let [attention, _] = &steps;
    section("In these");
    value("attention by its formula", attention.formula.fixed(1));
    value("attention here", attention.here.fixed(1));
    value("attentions of an update", attention.times);
    value("expected of attention", round(attention.expected()));
    let measured = attention.without() - update;
    value("measured of attention", round(measured));
    value("millions saved in a pass", round(1e3 * left_out));
    value("multiply-adds saved", round(1e3 * seconds));
    let share = 1e5 * seconds / measured;
    value("share of multiply-adds", format!("{share:.0} %"));
    let each: f64 = steps.iter().map(|step| step.without() - update).sum();
    value("more than both", round(both - update - each));
    let heads = attentions() * Config::tiny().heads;
    section("On the tape");
    let kept = heads * ROWS_OF_A_PART * ROWS_OF_A_PART;
    value("weights kept", bytes(kept));
    limit(update);
}

/// What so many small steps should save, from the time of one in nanoseconds.
fn estimate((name, slow, quick): (&str, &str, &str), count: f64) {
    let [slow, quick] =
        [slow, quick].map(|way| time(&format!("{name}, {way}")));
    let saved = count * (slow - quick) / time("threads") / 1e6;
    println!(
        "{name:12} {slow:6.2} ns  {quick:6.2} ns {:>11} {:>10} {:>9}",
        format!("{:.0} million", count / 1e6),
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
    value("billions a second", billions_a_second().fixed(0));
    value("one pass", round(pass));
    value("its products", round(products));
    value("of the limit", format!("{:.0}%", 100.0 * products / update));
}
