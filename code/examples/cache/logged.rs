//! What the logs say of searches.

use print::log::{self, number};
use print::{Fixed, section, table, value};

/// What a search costs that ends sooner, from the log.
pub fn patience() {
    let log = log::read("search-patience");
    let rows: Vec<[&str; 5]> = log::table(log).collect();
    section("Patience");
    let ways = rows.chunks(4).flat_map(|ways| {
        let all: f64 = number(ways[0][4]);
        ways.iter().map(move |&[alpha, patience, bleu, changed, rows]| {
            let rows = (number::<f64>(rows) / all).fixed(2);
            (alpha, patience.replace("inf", "∞"), bleu, changed, rows)
        })
    });
    table(["α", "patience", "BLEU", "changed", "rows"], ways);
}

/// How long a step takes with a cache and without, from the log.
pub fn times() {
    let times: Vec<(&str, f64)> = log::table::<2>(log::read("search-times"))
        .map(|[what, milliseconds]| (what, number(milliseconds)))
        .collect();
    let of = |what: &str| {
        let found = times.iter().find(|(name, _)| *name == what);
        found.expect("a row of the log").1
    };
    section("Times");
    for what in ["greedy", "token of a writer"] {
        let (kept, anew) = (of(what), of(&format!("{what}, all anew")));
        value(format!("{what}, cached"), kept.fixed(2));
        value(format!("{what}, all anew"), anew.fixed(2));
    }
    value("fifty together", of("greedy, together").fixed(2));
}
