//! An encoder without a decoder: `cargo run --example classifier`

#[path = "shared/bag.rs"]
mod bag;
#[path = "classifier/by_hand.rs"]
mod by_hand;
#[path = "classifier/logged.rs"]
mod logged;

use all_you_need::classifier::{Classifier, HELD_OUT, Kind, Reviews};
use all_you_need::classifier::{config, recipe, vocabulary};
use all_you_need::costs::{Bill, Shape};
use all_you_need::parameters::parameter_count;
use all_you_need::training::{Recipe, Stream, generator};
pub use by_hand::{THREE, mean_and_logits, rows_and_w};
use logged::{COMPARED, RIVALS, losses, right};
pub use logged::{ENOUGH, RUNS, curves, from, lowest};
use print::{Fixed, grouped, least, log, mean, plus_minus, section, value};
use std::collections::HashSet;

fn main() {
    by_hand::a_bag_by_hand();
    by_hand::by_hand();
    by_hand::even_weights();
    some_reviews();
    the_sets();
    scores();
    when_learned();
    exchanged();
    one_mean();
}

pub fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Plain => "plain",
        Kind::Negated => "negated",
        Kind::Double => "double",
        Kind::Pair => "pair",
    }
}

fn some_reviews() {
    section("Two of each");
    let rng = &mut generator(1, Stream::Data);
    for kind in Kind::ALL {
        let reviews = [(); 2].map(|()| kind.draw(rng));
        for review in reviews.iter().flatten().take(2) {
            let verdict = if review.good { "good" } else { "bad" };
            println!("{:8} {verdict:5} {}", name(kind), review.text);
        }
    }
}

/// How many different reviews of a kind there are: enough are drawn to have
/// all of them.
fn different(kind: Kind) -> usize {
    let rng = &mut generator(1, Stream::Data);
    let drawn = (0..20_000).flat_map(|_| kind.draw(rng));
    drawn.map(|review| review.text).collect::<HashSet<_>>().len()
}

fn the_sets() {
    section("The sets");
    let [plain, negated] = [Kind::Plain, Kind::Negated].map(different);
    let clauses = plain + negated;
    // Five forms, and two different subjects of twelve.
    let doubles = 5 * clauses * clauses * 11 / 12;
    value("plain reviews", plain);
    value("doubles in millions", (doubles as f64 / 1e6).fixed(0));
    let reviews = Reviews::new(1);
    value("to learn from", grouped(reviews.training.len()));
    value("held out of each kind", HELD_OUT);
    let sizes = config(vocabulary().len());
    value("layers", sizes.layers);
    value("heads", sizes.heads);
    value("d_model", sizes.d_model);
    let model: Classifier<Shape> =
        Classifier::new(&sizes, 2, &mut Bill::default());
    value("parameters", grouped(parameter_count(&model)));
    let Recipe { batch_tokens, updates, .. } = recipe(1);
    value("updates", grouped(updates));
    value("reviews in a batch", batch_tokens);
    let read = (batch_tokens * updates) as f64;
    value("each read", (read / reviews.training.len() as f64).fixed(0));
}

/// What each model gets right of each kind.
fn scores() {
    section("Right, in per cent");
    let encoder = right(&RUNS, "encoder");
    let lines = [
        ("bag of words", right(&RIVALS, "bag")),
        ("runs up to two", right(&RIVALS, "bag with pairs")),
        ("runs up to three", right(&RIVALS, "bag with triples")),
        ("without positions", right(&COMPARED, "no positions")),
        ("encoder", encoder.clone()),
        ("one clause more", right(&RUNS, "one clause more")),
    ];
    println!(
        "{:18}{}",
        "",
        Kind::ALL.map(|kind| format!("{:>13}", name(kind))).concat()
    );
    for (name, kinds) in &lines {
        let cell = |of: &Vec<f64>| format!("{:>13}", plus_minus(of, 1));
        println!("{name:18}{}", kinds.each_ref().map(cell).concat());
    }
    assert!(encoder.iter().flatten().all(|share| *share == 100.0));
    section("In the text");
    let [told, best] = bag::best_bag();
    value("told by the bag", told.percent(0));
    value("best bag, double", best.percent(0));
    // It is wrong where both adjectives have a *not*.
    let sum = best - 0.5 * bag::NOT.powi(2);
    value("best sum, double", sum.percent(0));
    let [.., double, _] = right(&RIVALS, "bag, many");
    value("bag, double", format!("{:.1} %", mean(&double)));
    let [.., pairs] = right(&RIVALS, "encoder, many");
    value("worst, pairs", format!("{:.2} %", least(&pairs)));
    let [.., pairs] = right(&RIVALS, "bag with triples, many");
    value("triples, pairs", format!("{:.0} %", mean(&pairs)));
}

fn when_learned() {
    let curves = curves();
    section("Nine of ten right from update");
    value("negated at worst", format!("{:.0} %", lowest(&curves[1])));
    for (kind, curve) in Kind::ALL.iter().zip(&curves) {
        if *kind != Kind::Double {
            value(name(*kind), grouped(from(curve)));
        }
    }
}

fn exchanged() {
    section("One adjective exchanged");
    println!("adjective of              a different verdict");
    let rows: Vec<[&str; 3]> =
        log::table(log::read("classifier-exchanged")).collect();
    let names = ["the clause that decides", "the other clause"];
    for (name, [_, reviews, other]) in names.iter().zip(&rows) {
        println!("{name:28} {other:>5} of {reviews}");
    }
    section("Exchanged");
    value("reviews of two clauses", rows[0][1]);
}

fn one_mean() {
    section("One mean");
    let [plain, _, double, _] = right(&COMPARED, "one mean");
    value("one mean, plain", format!("{:.0} %", mean(&plain)));
    value("one mean, double", format!("{:.0} %", mean(&double)));
    let loss = |logs, what| mean(&losses(logs, what)).fixed(3);
    value("one mean, loss", loss(&COMPARED, "one mean"));
    value("guessing", 2f64.ln().fixed(3));
    value("each its own, loss", loss(&RUNS, "encoder"));
}
