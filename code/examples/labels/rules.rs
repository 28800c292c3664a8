//! What somebody has right who misses something.

use print::{Fixed, section, value};

#[path = "../shared/bag.rs"]
mod bag;

/// How many reviews of two clauses the best bag of single words has right,
/// and somebody who knows what both clauses say and not which of them
/// decides: half of the reviews say one thing, and the others are a guess.
pub fn of_rules() -> [f64; 2] {
    let [_, bag] = bag::best_bag();
    let agree = 0.5;
    [bag, agree + (1.0 - agree) / 2.0]
}

pub fn what_rules_have_right() {
    section("What rules have right");
    let [bag, both] = of_rules();
    value("bag at best", bag.percent(0));
    value("both clauses known", both.percent(0));
    // The adjectives are opposite with no *not* and with two.
    let opposite = bag::of_one_mind();
    let giving_up = opposite + (1.0 - opposite) / 2.0;
    value("giving up at one not", giving_up.percent(0));
    // Every *not* in the clause that decides is a mistake.
    value("not overlooked", (1.0 - bag::NOT).percent(0));
}
