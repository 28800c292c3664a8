//! The numbers that the text of the page says.

use super::{FEW, LONG, SHORT, right};
use print::{Fixed, log, section, value};
use std::collections::BTreeSet;

/// What a classifier has right of the two clauses, 0, or of the pairs, 1.
fn said(
    of: &[(&str, &str)],
    updates: &str,
    name: &str,
    counts: &[usize],
    kind: usize,
) {
    let named = of.iter().find(|(_, other)| *other == name);
    let (classifier, _) = named.expect("a classifier");
    let pairs = ["", " in pairs"][kind];
    for &count in counts {
        let (mean, _) = right(classifier, count, kind);
        value(format!("{name}, {count}{pairs}{updates}"), mean.percent(0));
    }
}

pub fn in_the_text() {
    section("In the text");
    let long = |name, counts, kind| said(&LONG, "", name, counts, kind);
    let short = |name, counts| said(&SHORT, ", few updates", name, counts, 0);
    long("from scratch", &[100, 300, 1000], 0);
    long("mixed", &[100, 300], 0);
    long("contrasts", &[100, 300, 1000], 0);
    long("frozen", &[100, 1000], 0);
    for name in ["from scratch", "mixed", "contrasts"] {
        long(name, &[300], 1);
    }
    long("contrasts", &[100], 1);
    long("runs", &[1000], 0);
    long("runs", &[1000], 1);
    short("from scratch", &[300, 1000]);
    short("contrasts", &[1000]);
    section("Learning rates");
    let rates = |classifier: &str| {
        let own = log::table(FEW).filter(|row: &[_; 7]| row[0] == classifier);
        let all: BTreeSet<_> = own.map(|row| row[3]).collect();
        all.into_iter().collect::<Vec<_>>().join(" and ")
    };
    value("rates of sums", rates("runs"));
    value("rates of the encoders", rates("new"));
}
