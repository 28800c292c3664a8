//! What `src/logs/gaps.sh` has measured.

use all_you_need::gaps::config;
use print::log::{self, number, table};
use std::sync::LazyLock;

#[path = "../../../tests/bench/common/forms.rs"]
mod forms;

pub use forms::name;

pub static RUNS: LazyLock<[&str; 5]> =
    LazyLock::new(|| log::seeds("gaps-run"));

/// Update, seconds, loss, set, form, gap, nearest, time, right, of.
pub type Row = [&'static str; 10];

pub fn last(log: &'static str) -> Row {
    table(log).last().expect("a row of a run")
}

/// Right answers and all answers of the test, in those rows of a log.
pub fn right(log: &'static str, which: impl Fn(&Row) -> bool) -> (f64, f64) {
    let rows = table(log).filter(|row: &Row| row[3] == "test" && which(row));
    rows.fold((0.0, 0.0), |sum, row| {
        (sum.0 + number::<f64>(row[8]), sum.1 + number::<f64>(row[9]))
    })
}

/// The same in per cent.
pub fn percent(log: &'static str, which: impl Fn(&Row) -> bool) -> f64 {
    let (right, of) = right(log, which);
    assert!(of > 0.0, "no such rows");
    100.0 * right / of
}

pub fn is_verb(row: &Row) -> bool {
    row[5] == "verb"
}

/// What, of, which, where, number.
pub type Look = [&'static str; 5];

pub fn looked(what: &str) -> impl Iterator<Item = Look> {
    table(log::read("gaps-look")).filter(move |row: &Look| row[0] == what)
}

/// The share of a gap's weight that goes to a group of words, on average over
/// the forms for which this is so.
pub fn share(head: &str, group: &str, form: impl Fn(&str) -> bool) -> f64 {
    let rows = looked("share").filter(|[_, of, at, which, _]| {
        form(of) && *at == head && *which == group
    });
    let shares: Vec<f64> = rows.map(|row| number(row[4])).collect();
    // A group that no sentence of a form has is not in the log.
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

/// All heads, from the first layer up.
fn heads() -> Vec<String> {
    let sizes = config();
    let layer = |i| (1..=sizes.heads).map(move |j| format!("{i}.{j}"));
    (1..=sizes.layers).flat_map(layer).collect()
}

/// The head that gives a group the most weight, and how much.
pub fn most(
    group: &str,
    form: impl Fn(&str) -> bool + Copy,
) -> (String, f64) {
    let weight = |head: String| {
        let weight = share(&head, group, form);
        (head, weight)
    };
    heads()
        .into_iter()
        .map(weight)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .expect("a head")
}

/// Between the subject and its verb are other words.
pub fn is_far(form: &str) -> bool {
    ["phrase", "two phrases", "clause"].contains(&form)
}
