//! Words written backwards with attention and without, as
//! `src/logs/rival.sh backwards` has measured them.

use print::log::{self, number};
use print::{Fixed, grouped, mean, section, table, value};
use std::collections::BTreeSet;

#[path = "../../../tests/bench/rival/sizes.rs"]
mod sizes;

use sizes::{D, TESTED, UPDATES};

/// Kind, seed, rate, loss, and of how many words of each length how many are
/// right.
type Row = [&'static str; 11];

fn rows(kind: &str) -> impl Iterator<Item = Row> {
    log::table(log::read("rival-backwards"))
        .filter(move |row: &Row| row[0] == kind)
}

/// The learning rates that were tried.
fn rates(kind: &str) -> BTreeSet<&'static str> {
    rows(kind).map(|row| row[2]).collect()
}

/// The rows of the rate after which the mean loss is lowest.
fn best(kind: &str) -> Vec<Row> {
    let of = |rate: &&str| -> Vec<Row> {
        rows(kind).filter(|row| row[2] == *rate).collect()
    };
    let loss = |rows: &Vec<Row>| {
        mean(&rows.iter().map(|row| number(row[3])).collect::<Vec<_>>())
    };
    let all = rates(kind).iter().map(of).collect::<Vec<_>>();
    all.into_iter()
        .min_by(|a, b| loss(a).total_cmp(&loss(b)))
        .expect("a rate")
}

pub fn words_backwards() {
    section("Words backwards");
    let kinds =
        [("last state", "the last states"), ("all states", "all states")];
    let cells = kinds.map(|(kind, name)| {
        let rows = best(kind);
        let right = [0, 1, 2, 3, 4, 5].map(|length| {
            let percent = rows.iter().map(|row| {
                let [right, of] =
                    [row[5 + length], row[4]].map(number::<f64>);
                100.0 * right / of
            });
            mean(&percent.collect::<Vec<f64>>()).fixed(0)
        });
        (name, right)
    });
    table(("the writer has", TESTED.map(|n| n.to_string())), cells);
    section("Words to write backwards");
    let first = rows("all states").next().expect("a row");
    value("words of each length", first[4]);
    value("rates for each", rates("all states").len());
    value("numbers of a state", D);
    value("updates backwards", grouped(UPDATES));
}
