//! An encoder without a decoder: `cargo run --example classifier`

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
pub use logged::{Added, ENOUGH, HEAD, Map, RUNS, added, curves, from};
use logged::{COMPARED, RIVALS, chosen, heads, losses, right};
pub use logged::{in_the_bag, lowest, map, place, positive};
use print::{
    Fixed, grouped, least, log, mean, plus_minus, section, spread, value,
};
use std::collections::HashSet;

fn main() {
    by_hand::a_bag_by_hand();
    some_reviews();
    the_sets();
    by_hand::by_hand();
    by_hand::even_weights();
    scores();
    when_learned();
    exchanged();
    what_words_add();
    what_heads_look_at();
    one_mean();
    one_clause_more();
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

/// A line for each model, with what it gets right of each kind.
fn print_right(lines: &[(&str, [Vec<f64>; 4])]) {
    let names = Kind::ALL.map(|kind| format!("{:>12}", name(kind))).concat();
    println!("{:20}{names}", "");
    for (name, kinds) in lines {
        let cell = |of: &Vec<f64>| format!("{:>12}", plus_minus(of, 1));
        println!("{name:22}{}", kinds.each_ref().map(cell).concat());
    }
}

fn scores() {
    let bag = right(&RUNS, "bag");
    let encoder = right(&RUNS, "encoder");
    section("Right, in percent");
    print_right(&[
        ("bag of words", bag.clone()),
        ("words and pairs", right(&RIVALS, "bag with pairs")),
        ("up to three words", right(&RIVALS, "bag with triples")),
        ("encoder", encoder.clone()),
    ]);
    section("Without order");
    print_right(&[
        ("encoder, shuffled", right(&RUNS, "shuffled")),
        ("without positions", right(&COMPARED, "no positions")),
    ]);
    section("In the text");
    let percent = |label: &str, percent: f64, decimals: usize| {
        value(label, format!("{percent:.decimals$} %"));
    };
    let [_, every, ..] = log::table::<7>(RUNS[0]).next().expect("a row");
    value("every", every);
    percent("bag, double", mean(&bag[2]), 1);
    percent("bag, pair", mean(&bag[3]), 0);
    let (mean_of_all, deviation) = spread(&encoder.concat());
    percent("encoder, all kinds", mean_of_all, 1);
    assert_eq!(deviation, 0.0, "all seeds have the same share");
    let [told, best, adding] = best_bag();
    value("told by the bag", told.percent(0));
    value("best bag, double", best.percent(0));
    value("adding bag, double", adding.percent(0));
    section("Many more reviews");
    let many = right(&RIVALS, "encoder, many");
    percent("worst, double", least(&many[2]), 2);
    percent("worst, pairs", least(&many[3]), 2);
    let triples = right(&RIVALS, "bag with triples, many");
    percent("triples, double", mean(&triples[2]), 0);
    percent("triples, pairs", mean(&triples[3]), 0);
}

/// In which share of the double reviews the bag tells the verdict, and how
/// many it can get right, if it knows the grammar. Two adjectives of the same
/// kind tell the verdict if none or both are negated; else it is a guess. A
/// bag that only adds adjectives takes those for praise of which both are
/// negated.
fn best_bag() -> [f64; 3] {
    let not = 1.0 / 3.0;
    let alike = 0.5;
    let told = alike * (f64::powi(1.0 - not, 2) + f64::powi(not, 2));
    let guessed = (1.0 - told) / 2.0;
    let wrong = alike * f64::powi(not, 2);
    [told, told + guessed, told - wrong + guessed]
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

fn what_words_add() {
    section("What words add");
    let both = ["0", "1"].map(added);
    for (nth, review) in ["first", "second"].iter().zip(&both) {
        value(nth, review.words.join(" "));
        value(format!("encoder, {nth}"), review.good[1].fixed(4));
        value(format!("rows for good, {nth}"), positive(review));
    }
    let [one, other] = both.each_ref().map(|review| review.good[0]);
    assert_eq!(one, other, "a bag has no order");
    value("bag, both", one.fixed(2));
    let Added { words, adds, .. } = &both[0];
    value("words in it", words.len());
    value("equal share", (1.0 / words.len() as f64).percent(0));
    let bag = adds.column(0);
    for (name, i) in [("lowest", bag.imin()), ("highest", bag.imax())] {
        value(name, words[i]);
        let adds = in_the_bag(&both[0], words[i]);
        value(format!("{name} adds"), grouped(adds.fixed(2)));
    }
}

fn what_heads_look_at() {
    let [first, second] =
        ["first", "second"].map(|decides| heads("test", decides));
    let i = chosen();
    let (layer, head) = (first[i].layer, first[i].head);
    assert_eq!([layer, head], HEAD, "the head of the maps");
    let percent = |share: f64| (100.0 * share).round();
    let cases = [&first[i], &second[i]];
    let [[a, b], [c, d]] = cases.map(|head| head.not.map(percent));
    section("Shares of the two nots");
    println!("                                 not of the      not of the");
    println!("                               first clause   second clause");
    println!("the first clause decides  {a:17} {b:15}");
    println!("the second clause decides {c:17} {d:15}");
    section("The head");
    value("head", format!("{layer}.{head}"));
    value("first, first decides", a);
    value("second, first decides", b);
    value("first, second decides", c);
    value("second, second decides", d);
    value("main not", (a + d) / 2.0);
    value("other not", (b + c) / 2.0);
    let after = percent(second[i].after.iter().sum());
    value("after, second decides", format!("{after} %"));
    let [one, two] = ["0", "1"].map(map);
    value("on not, first", one.on_not);
    value("on not, second", two.on_not);
    value("on though, second", two.on_though);
}

fn one_mean() {
    section("One mean");
    print_right(&[("one mean for all", right(&COMPARED, "one mean"))]);
    section("Its loss");
    let loss = |logs, what| mean(&losses(logs, what)).fixed(3);
    value("one mean, loss", loss(&COMPARED, "one mean"));
    value("guessing", 2f64.ln().fixed(3));
    value("each its own, loss", loss(&RUNS, "encoder"));
    let Recipe { batch_tokens, parts, .. } = recipe(1);
    value("parts", parts);
    value("reviews in a part", batch_tokens / parts);
}

fn one_clause_more() {
    section("One clause more");
    let [_, _, double, pair] = right(&RUNS, "one clause more");
    println!("seed   double    pair");
    for (seed, (double, pair)) in double.iter().zip(&pair).enumerate() {
        println!("{:4} {double:8.1} {pair:7.1}", seed + 1);
    }
}
