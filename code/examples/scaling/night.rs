//! What a night of this machine buys.

use super::recipes::{BATCH, BUDGETS, WINDOW, vocabulary};
use all_you_need::encoder::Config;
use all_you_need::training::Recipe;
use print::log::{number, read};
use print::{Fixed, grouped, section, table, value};

/// The tokens for each parameter that Hoffmann and others found best.
const HOFFMANN: f64 = 20.0;

/// The size for which so much work is so many tokens a parameter, at three
/// multiply-adds for a parameter and a token: work = 3 · N · (share · N).
fn affordable(work: f64, share: f64) -> f64 {
    (work / (3.0 * share)).sqrt()
}

/// The seconds that the training of the book's translator took.
fn seconds() -> f64 {
    let last = read("translation-run-1").lines().last().expect("a row");
    number(last.split('\t').next_back().expect("a time"))
}

/// The multiply-adds a second of the machine, by the training of the translator.
fn pace() -> f64 {
    section("The translator");
    let parameters = Config::tiny().parameters() as f64;
    let recipe = Recipe::tiny();
    let tokens = (recipe.updates * recipe.batch_tokens) as f64;
    let trained = 3.0 * parameters * tokens;
    // Rounded, so that whoever computes with what is printed gets the same.
    let billions = (trained / seconds() / 1e9).round();
    value("its minutes", (seconds() / 60.0).fixed(0));
    value("its trillions", (trained / 1e12).fixed(0));
    value("billions a second", billions);
    billions * 1e9
}

/// What a night buys by Hoffmann's rule, and by powers of the work that go
/// through the last of our crossings, each with its name. The last power is
/// that of the layers alone, to which their table is added.
pub fn a_night(
    ours: [(&str, [f64; 3], f64); 2],
    (alone, power): ([f64; 3], f64),
) {
    let night = 8.0 * 3600.0 * pace();
    section("A night");
    value("trillions of a night", grouped((night / 1e12).round()));
    let [(_, crossing, _), ..] = ours;
    let times = (night / crossing[0] / 100.0).round() * 100.0;
    value("times the last crossing", grouped(times));
    // The longest runs read the captions about four times.
    let text = (WINDOW * BATCH * BUDGETS[2]) as f64 / 4.0;
    let size = affordable(night, HOFFMANN);
    value("times the captions", (HOFFMANN * size / text).fixed(0));
    let of_an_hour = affordable(night / 8.0, HOFFMANN);
    value("size of an hour", (of_an_hour / 1e6).fixed(1));
    value("size of a night", (size / 1e6).fixed(1));
    let captions = HOFFMANN * of_an_hour / text;
    value("times the captions, an hour", captions.fixed(0));
    // The width d of four layers with their table: 48 d² + V d = size.
    let v = vocabulary() as f64;
    let width = ((v * v + 4.0 * 48.0 * size).sqrt() - v) / (2.0 * 48.0);
    value("width of a night", width.fixed(0));
    section("What a night buys");
    let grown =
        |[work, size, _]: [f64; 3], power| size * (night / work).powf(power);
    let layers = grown(alone, power);
    let table_too = layers + v * (layers / 48.0).sqrt();
    let sizes = [("twenty tokens a parameter", size)].into_iter();
    let ours = ours.map(|(rule, at, power)| (rule, grown(at, power)));
    let sizes = sizes.chain(ours);
    let sizes = sizes.chain([("by the layers alone", table_too)]);
    let rows = sizes.map(|(rule, size)| {
        let tokens = night / 3.0 / size;
        let millions = [size / 1e6, tokens / 1e6];
        (rule, millions.fixed(1), (tokens / size).fixed(1))
    });
    table(
        ["", "million parameters", "million tokens", "tokens a parameter"],
        rows,
    );
}
