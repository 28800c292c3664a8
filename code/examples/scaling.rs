//! How large, and how long: `cargo run --example scaling`

use all_you_need::costs::{Bill, Cost, Shape};
use all_you_need::today::Modern;
use print::log::{self, number};
use print::{
    Fixed, grouped, least, mean as mean_of, most, plus_minus, section, table,
    value,
};

#[macro_use]
#[path = "../../tests/bench/common/changes.rs"]
mod changes;
#[path = "../../tests/bench/common/recipes.rs"]
pub mod recipes;

#[path = "scaling/crossings.rs"]
mod crossings;
#[path = "scaling/laws.rs"]
pub mod laws;
#[path = "scaling/night.rs"]
mod night;

use changes::Sizes;
pub use crossings::between;
use recipes::{BATCH, BUDGETS, WIDTHS, WINDOW, as_wide, vocabulary};

fn main() {
    the_experiment();
    every_run();
    crossings::best_sizes();
    laws::slopes();
    laws::predicted();
}

/// All parameters of the decoder of this width, its table included, and its
/// multiply-adds for a token, the product with the table included.
pub fn size(width: usize) -> [f64; 2] {
    let vocabulary = vocabulary();
    let (config, bill) = (as_wide(width, vocabulary), Bill::default());
    let init = &mut bill.clone();
    with_model!("base", Shape, config, init, |model| {
        let _ = model.forward(&[[0; WINDOW]]);
    });
    let Cost { parameters, multiply_adds, .. } = bill.cost();
    let layers = multiply_adds as f64 / WINDOW as f64;
    [parameters as f64, layers + (vocabulary * width) as f64]
}

/// The parameters beside the table.
pub fn layers(width: usize) -> f64 {
    size(width)[0] - (vocabulary() * width) as f64
}

/// The multiply-adds of a run: forward, and twice as many back.
pub fn work(width: usize, updates: usize) -> f64 {
    3.0 * size(width)[1] * (updates * BATCH * WINDOW) as f64
}

/// What `src/logs/scaling.sh` has found in a column, seed by seed.
fn logged(width: usize, updates: usize, column: usize) -> Vec<f64> {
    let all = log::table(log::read("scaling-runs"));
    let own = all.filter(|row: &[_; 7]| {
        [row[0], row[2]].map(number::<usize>) == [width, updates]
    });
    own.map(|row| number(row[column])).collect()
}

/// The mean loss on what is read, in the last updates.
pub fn on_what_it_reads(width: usize, updates: usize) -> f64 {
    mean_of(&logged(width, updates, 5))
}

/// The losses on held-out captions.
pub fn found(width: usize, updates: usize) -> Vec<f64> {
    logged(width, updates, 6)
}

pub fn mean(width: usize, updates: usize) -> f64 {
    mean_of(&found(width, updates))
}

fn the_experiment() {
    section("The experiment");
    value("tokens of an update", BATCH * WINDOW);
    value("tokens of the shortest", grouped(BUDGETS[0] * BATCH * WINDOW));
    value("tokens of the longest", grouped(BUDGETS[2] * BATCH * WINDOW));
    value("vocabulary", grouped(vocabulary()));
    section("Five sizes");
    let tried = |width: usize, rate: &str| -> f64 {
        let mut rows = log::table(log::read("scaling-rates"));
        let own = rows.find(|row: &[&str; 7]| {
            number::<usize>(row[0]) == width && row[1] == rate
        });
        number(own.expect("a rate")[6])
    };
    let rates = ["0.003", "0.006", "0.012", "0.024", "0.048"];
    let rows = WIDTHS.map(|width| {
        let [parameters, _] = size(width);
        let losses = rates.map(|rate| tried(width, rate));
        (width, grouped(parameters), losses.fixed(3))
    });
    table(("width", "parameters", rates), rows);
    section("One rate for all");
    let best = |width: usize| {
        let losses = rates.map(|rate| (rate, tried(width, rate)));
        let least = losses.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
        least.expect("a rate")
    };
    let [smallest, .., largest] = WIDTHS;
    let (rate, _) = best(smallest);
    value("rate of the smallest", rate);
    value("largest, with this rate", tried(largest, rate).fixed(2));
    value("largest, with its own", best(largest).1.fixed(2));
    value("rows of 64, with their own", best(WIDTHS[2]).1.fixed(2));
}

/// The runs of a size: their work and their loss.
pub fn line_of(width: usize) -> [(f64, f64); 3] {
    BUDGETS.map(|updates| (work(width, updates), mean(width, updates)))
}

/// Every run, by its work, and which cheaper run is better.
fn every_run() {
    section("Every run");
    let all = WIDTHS.map(|width| BUDGETS.map(|n| (width, n)));
    let mut runs = all.concat();
    runs.sort_by(|a, b| work(a.0, a.1).total_cmp(&work(b.0, b.1)));
    let loss = |&(width, updates): &(usize, usize)| mean(width, updates);
    let rows = runs.iter().enumerate().map(|(i, run)| {
        let &(width, updates) = run;
        let cheaper = runs[..i].iter();
        let best = cheaper.min_by(|a, b| loss(a).total_cmp(&loss(b)));
        let beaten = best.filter(|best| loss(best) < loss(run));
        (
            [(work(width, updates) / 1e12).fixed(2), width.to_string()],
            [grouped(updates), a_parameter(width, updates).fixed(1)],
            plus_minus(&found(width, updates), 3),
            beaten.map_or(String::new(), |&(width, updates)| {
                format!("{width}, {} updates", grouped(updates))
            }),
        )
    });
    let names = ["trillions", "rows of", "updates", "tokens a parameter"];
    table((names, ["loss", "cheaper and lower"]), rows);
    section("The work between words");
    let more = WIDTHS.map(|width| {
        let [parameters, multiply_adds] = size(width);
        100.0 * (multiply_adds / parameters - 1.0)
    });
    value("between words, least", least(&more).fixed(0));
    value("between words, most", most(&more).fixed(0));
    section("From the shortest to the longest");
    let longer = WIDTHS.map(|d| mean(d, BUDGETS[0]) - mean(d, BUDGETS[2]));
    value("longer, least gain", least(&longer).fixed(2));
    value("longer, most gain", most(&longer).fixed(2));
    value("longer, gain of the largest", longer[4].fixed(2));
    section("A wrong size");
    let [smaller, right, larger, ..] = WIDTHS;
    let x = work(right, BUDGETS[1]);
    let more = |width| {
        let loss = between(&line_of(width), x).expect("two runs around it");
        (loss - mean(right, BUDGETS[1])).fixed(2)
    };
    value("too small, higher by", more(smaller));
    value("too large, higher by", more(larger));
    section("Read four times");
    let largest = WIDTHS[WIDTHS.len() - 1];
    let tokens = |updates| a_parameter(largest, updates).fixed(1);
    value("fifth, least tokens", tokens(BUDGETS[0]));
    value("fifth, most tokens", tokens(BUDGETS[2]));
    let training = on_what_it_reads(largest, BUDGETS[2]);
    value("largest, on what it reads", training.fixed(2));
    let [_, second, ..] = WIDTHS;
    let training = on_what_it_reads(second, BUDGETS[2]);
    value("second, on what it reads", training.fixed(2));
    let other = mean(second, BUDGETS[2]);
    value("second, on other captions", other.fixed(2));
    value("largest, on other captions", mean(largest, BUDGETS[2]).fixed(2));
}

/// Tokens for each parameter.
fn a_parameter(width: usize, updates: usize) -> f64 {
    (updates * BATCH * WINDOW) as f64 / size(width)[0]
}
