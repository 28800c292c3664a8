//! An encoder without a decoder: `cargo run --example classifier`

use all_you_need::classifier::{Classifier, HELD_OUT, Kind, Reviews};
use all_you_need::classifier::{config, means, recipe, vocabulary};
use all_you_need::costs::{Bill, Shape};
use all_you_need::dictionary::softmax;
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Recipe, Stream, generator};
use nalgebra::dmatrix;
use print::log::{number, spread, table};
use print::{grouped, section, value};
use std::collections::HashSet;

fn main() {
    a_bag_by_hand();
    some_reviews();
    the_sets();
    by_hand();
    even_weights();
    scores();
    when_learned();
    exchanged();
    what_words_add();
    what_heads_look_at();
    one_mean();
    one_clause_more();
}

/// What each word adds, in a bag that was made by hand.
const BY_HAND: [(&str, i32); 4] =
    [("good", 2), ("bad", -2), ("not", 0), ("though", 0)];

fn a_bag_by_hand() {
    section("A bag by hand");
    for review in [
        "the film was good",
        "the film was bad",
        "the film was not bad",
        "the film was good , though the ending was bad",
        "the film was bad , though the ending was good",
    ] {
        let adds = |word| BY_HAND.iter().find(|(known, _)| *known == word);
        let added = review.split(' ').filter_map(adds);
        println!("{review:50} {:2}", added.map(|(_, n)| n).sum::<i32>());
    }
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
    value("doubles in millions", format!("{:.0}", doubles as f64 / 1e6));
    let reviews = Reviews::new(1);
    value("to learn from", grouped(reviews.training.len()));
    value("held out of each kind", HELD_OUT);
    let words = vocabulary().len();
    let sizes = config(words);
    value("layers", sizes.layers);
    value("heads", sizes.heads);
    value("d_model", sizes.d_model);
    let model: Classifier<Shape> =
        Classifier::new(&sizes, 2, &mut Bill::default());
    value("parameters", grouped(parameter_count(&model)));
    value("updates", grouped(recipe(1).updates));
    let Recipe { batch_tokens, updates, .. } = recipe(1);
    value("reviews in a batch", batch_tokens);
    let read = (batch_tokens * updates) as f64;
    value(
        "each read",
        format!("{:.0}", read / reviews.training.len() as f64),
    );
}

/// A text of three words with rows of two numbers, and the output matrix.
pub const THREE: [&str; 3] = ["not", "very", "bad"];

/// The rows of the three words, and W.
pub fn rows_and_w() -> [Matrix; 2] {
    [dmatrix![3.0, 0.0; 1.0, 2.0; 2.0, 1.0], dmatrix![1.0, 2.0; 0.0, -1.0]]
}

/// What becomes of the rows: their mean, and the logits.
pub fn mean_and_logits() -> [Matrix; 2] {
    let [rows, w] = rows_and_w();
    let mean = means(&rows, &[rows.nrows()]);
    let logits = &mean * w;
    [mean, logits]
}

fn by_hand() {
    let ([rows, w], [mean, logits]) = (rows_and_w(), mean_and_logits());
    let [bad, good] = [logits[0], logits[1]];
    section("Three rows by hand");
    value("first mean", format!("{:.0}", mean[0]));
    value("second mean", format!("{:.0}", mean[1]));
    value("logit of bad", format!("{bad:.0}"));
    value("logit of good", format!("{good:.0}"));
    value("good by hand", format!("{:.2}", softmax(&[bad, good])[1]));
    for (word, row) in THREE.iter().zip((rows * w).row_iter()) {
        let adds = (row[1] - row[0]) / THREE.len() as f64;
        value(&format!("{word} adds"), grouped(format!("{adds:.2}")));
    }
}

/// The weights by which the means of two packed texts are made: what becomes
/// of rows of which each has its 1 at another place.
fn even_weights() {
    section("Weights of two means");
    let rows: Matrix = Matrix::identity(5, 5);
    for row in means(&rows, &[2, 3]).row_iter() {
        let cells = row.iter().map(|weight| format!("{weight:.2}"));
        println!("{}", cells.collect::<Vec<_>>().join("   "));
    }
}

// What `src/logs/classifier.sh` has measured

const EXCHANGED: &str =
    include_str!("../../src/logs/classifier-exchanged.tsv");
const HEADS: &str = include_str!("../../src/logs/classifier-heads.tsv");
const MAPS: &str = include_str!("../../src/logs/classifier-maps.tsv");
const WORDS: &str = include_str!("../../src/logs/classifier-words.tsv");
pub const RUNS: [&str; 5] = [
    include_str!("../../src/logs/classifier-run-1.tsv"),
    include_str!("../../src/logs/classifier-run-2.tsv"),
    include_str!("../../src/logs/classifier-run-3.tsv"),
    include_str!("../../src/logs/classifier-run-4.tsv"),
    include_str!("../../src/logs/classifier-run-5.tsv"),
];
const COMPARED: [&str; 5] = [
    include_str!("../../src/logs/classifier-compared-1.tsv"),
    include_str!("../../src/logs/classifier-compared-2.tsv"),
    include_str!("../../src/logs/classifier-compared-3.tsv"),
    include_str!("../../src/logs/classifier-compared-4.tsv"),
    include_str!("../../src/logs/classifier-compared-5.tsv"),
];

const RIVALS: [&str; 5] = [
    include_str!("../../src/logs/classifier-rivals-1.tsv"),
    include_str!("../../src/logs/classifier-rivals-2.tsv"),
    include_str!("../../src/logs/classifier-rivals-3.tsv"),
    include_str!("../../src/logs/classifier-rivals-4.tsv"),
    include_str!("../../src/logs/classifier-rivals-5.tsv"),
];

/// How many percent of each kind a model of each seed gets right.
fn right(logs: [&'static str; 5], what: &str) -> [Vec<f64>; 4] {
    let rows = logs.map(|log| {
        let mut rows = table::<7>(log);
        let row = rows.find(|row| row[0] == what).expect("a row of this");
        row.map(|cell| 100.0 * cell.parse().unwrap_or(f64::NAN))
    });
    [3, 4, 5, 6].map(|column| rows.iter().map(|row| row[column]).collect())
}

fn print_right(name: &str, numbers: &[Vec<f64>; 4]) {
    print!("{name:22}");
    for numbers in numbers {
        let (mean, std) = spread(numbers);
        print!("{:>12}", format!("{mean:.1} ± {std:.1}"));
    }
    println!();
}

fn print_kinds() {
    print!("{:20}", "");
    Kind::ALL.iter().for_each(|kind| print!("{:>12}", name(*kind)));
    println!();
}

/// The loss at the end, for each seed.
fn losses(logs: [&'static str; 5], what: &str) -> Vec<f64> {
    let find = |log| {
        let row = table::<7>(log).find(|row| row[0] == what);
        number(row.expect("a row of this")[2])
    };
    logs.map(find).to_vec()
}

fn scores() {
    let bag = right(RUNS, "bag");
    let encoder = right(RUNS, "encoder");
    section("Right, in percent");
    print_kinds();
    print_right("bag of words", &bag);
    print_right("words and pairs", &right(RIVALS, "bag with pairs"));
    print_right("up to three words", &right(RIVALS, "bag with triples"));
    print_right("encoder", &encoder);
    section("Without order");
    print_kinds();
    print_right("encoder, shuffled", &right(RUNS, "shuffled"));
    print_right("without positions", &right(COMPARED, "no positions"));
    section("In the text");
    let [_, every, ..] = table::<7>(RUNS[0]).next().expect("a row");
    value("every", every);
    value("bag, double", format!("{:.1} %", spread(&bag[2]).0));
    value("bag, pair", format!("{:.0} %", spread(&bag[3]).0));
    let all = encoder.concat();
    let (mean, std) = spread(&all);
    value("encoder, all kinds", format!("{mean:.1} %"));
    assert_eq!(std, 0.0, "all seeds have the same share");
    let [told, best, adding] = best_bag();
    value("told by the bag", format!("{:.0} %", 100.0 * told));
    value("best bag, double", format!("{:.0} %", 100.0 * best));
    value("adding bag, double", format!("{:.0} %", 100.0 * adding));
    section("Many more reviews");
    let many = right(RIVALS, "encoder, many");
    let worst = |kind: &[f64]| kind.iter().copied().fold(100.0, f64::min);
    value("worst, double", format!("{:.2} %", worst(&many[2])));
    value("worst, pairs", format!("{:.2} %", worst(&many[3])));
    let triples = right(RIVALS, "bag with triples, many");
    value("triples, double", format!("{:.0} %", spread(&triples[2]).0));
    value("triples, pairs", format!("{:.0} %", spread(&triples[3]).0));
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

/// Nine of ten, in percent.
pub const ENOUGH: f64 = 90.0;

/// The points of a curve: a share in percent after so many updates.
pub type Curve = Vec<(f64, f64)>;

/// The share of validation reviews that are right, for each kind, as the mean
/// of all runs.
pub fn curves() -> [Curve; 4] {
    let runs = RUNS.map(|log| -> Vec<[f64; 7]> {
        let rows = table::<7>(log).filter(|row| row[0] == "validation");
        rows.map(|row| row.map(|cell| cell.parse().unwrap_or(0.0))).collect()
    });
    [0, 1, 2, 3].map(|kind| {
        let each = 0..runs[0].len();
        let mean = |row: usize| {
            let sum: f64 = runs.iter().map(|run| run[row][3 + kind]).sum();
            (runs[0][row][1], 100.0 * sum / runs.len() as f64)
        };
        each.map(mean).collect()
    })
}

/// The first update from which a curve stays at [`ENOUGH`] or above.
pub fn from(curve: &Curve) -> f64 {
    let below = curve.iter().rposition(|(_, right)| *right < ENOUGH);
    curve[below.map_or(0, |row| row + 1)].0
}

/// The lowest point of a curve.
pub fn lowest(curve: &Curve) -> f64 {
    curve.iter().map(|at| at.1).fold(100.0, f64::min)
}

fn when_learned() {
    let curves = curves();
    section("Nine of ten right from update");
    value("negated at worst", format!("{:.0} %", lowest(&curves[1])));
    for (kind, curve) in Kind::ALL.iter().zip(&curves) {
        value(name(*kind), grouped(from(curve)));
    }
}

/// A review of the log: its words, what each adds to the verdict of the bag
/// and of the encoder, and how probably they call it good.
pub struct Added {
    pub words: Vec<&'static str>,
    pub adds: Matrix,
    pub good: [f64; 2],
}

pub fn added(review: &str) -> Added {
    let rows = table::<5>(WORDS).filter(|row| row[0] == review);
    let mut rows: Vec<_> =
        rows.map(|row| (row[2], [row[3], row[4]].map(number))).collect();
    let (_, good) = rows.pop().expect("what both say");
    let words = rows.iter().map(|row| row.0).collect();
    let adds = Matrix::from_fn(rows.len(), 2, |i, j| rows[i].1[j]);
    Added { words, adds, good }
}

fn exchanged() {
    section("One adjective exchanged");
    println!("adjective of              a different verdict");
    let names = ["the clause that decides", "the other clause"];
    for (name, [_, reviews, other]) in names.iter().zip(table(EXCHANGED)) {
        println!("{name:28} {other:>5} of {reviews}");
    }
    let first: Option<[&str; 3]> = table(EXCHANGED).next();
    section("Exchanged");
    value("reviews of two clauses", first.expect("a row")[1]);
}

fn what_words_add() {
    section("What words add");
    let both = ["0", "1"].map(added);
    let bag = both[0].adds.column(0);
    let (low, high) = (both[0].words[bag.imin()], both[0].words[bag.imax()]);
    for (nth, review) in ["first", "second"].iter().zip(&both) {
        value(nth, review.words.join(" "));
        value(&format!("encoder, {nth}"), format!("{:.4}", review.good[1]));
        value(&format!("rows for good, {nth}"), positive(review));
    }
    let [one, other] = both.each_ref().map(|review| review.good[0]);
    assert_eq!(one, other, "a bag has no order");
    value("bag, both", format!("{one:.2}"));
    let words = &both[0].words;
    value("words in it", words.len());
    value("equal share", format!("{:.0} %", 100.0 / words.len() as f64));
    for (name, word) in [("lowest", low), ("highest", high)] {
        let adds = format!("{:.2}", in_the_bag(&both[0], word));
        value(name, word);
        value(&format!("{name} adds"), grouped(adds));
    }
}

/// Where a word is first, counted from 0.
pub fn place(words: &[&str], word: &str) -> usize {
    let place = words.iter().position(|other| *other == word);
    place.expect("a word of the review")
}

/// What a word adds in the bag, where it is.
pub fn in_the_bag(review: &Added, word: &str) -> f64 {
    review.adds[(place(&review.words, word), 0)]
}

/// How many words add to good in the encoder.
pub fn positive(review: &Added) -> usize {
    review.adds.column(1).iter().filter(|x| **x > 0.0).count()
}

/// What a head does with the reviews of two clauses of which the first
/// decides, or the second.
struct Head {
    layer: &'static str,
    head: &'static str,
    /// How much of all weight goes to the *not* of the first clause and to
    /// that of the second, on average.
    not: [f64; 2],
    /// How much goes to the conjunction, and to the word after it.
    after: [f64; 2],
}

fn heads(set: &str, decides: &str) -> Vec<Head> {
    let rows = table::<11>(HEADS);
    let rows = rows.filter(|row| row[..2] == [set, decides]);
    let head = |row: [&'static str; 11]| Head {
        layer: row[2],
        head: row[3],
        not: [row[4], row[5]].map(number),
        after: [row[8], row[9]].map(number),
    };
    rows.map(head).collect()
}

/// Which head's weight on the *not* of the first clause depends most on
/// whether this clause decides, by the validation set.
fn chosen() -> usize {
    let [first, second] =
        ["first", "second"].map(|decides| heads("validation", decides));
    let apart = |&i: &usize| (first[i].not[0] - second[i].not[0]).abs();
    let all = 0..first.len();
    all.max_by(|i, j| apart(i).total_cmp(&apart(j))).expect("a head")
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
    for (nth, review) in [("first", "0"), ("second", "1")] {
        let Map { on_not, on_though, .. } = map(review);
        value(&format!("on not, {nth}"), on_not);
        value(&format!("on though, {nth}"), on_though);
    }
}

/// The layer and the number of the head whose maps are in the log.
pub const HEAD: [&str; 2] = ["2", "1"];

/// The weights of the head in a review, and what share of them goes to the
/// first *not*, and to *though* and the word after it.
pub struct Map {
    pub weights: Matrix,
    pub on_not: String,
    pub on_though: String,
}

pub fn map(review: &str) -> Map {
    let words = added(review).words;
    let mut weights: Matrix = Matrix::zeros(words.len(), words.len());
    for [which, query, key, weight] in table(MAPS) {
        if which == review {
            let at: (usize, usize) = (number(query), number(key));
            weights[at] = number(weight);
        }
    }
    // What each key gets from all rows.
    let gets = weights.row_mean();
    let [not, though] = ["not", "though"].map(|word| place(&words, word));
    let percent = |weight: f64| format!("{:.0} %", 100.0 * weight);
    let on_not = percent(gets[not]);
    let on_though = percent(gets[though] + gets[though + 1]);
    Map { weights, on_not, on_though }
}

fn one_mean() {
    let numbers = right(COMPARED, "one mean");
    section("One mean");
    print_kinds();
    print_right("one mean for all", &numbers);
    section("Its loss");
    let (mean, _) = spread(&losses(COMPARED, "one mean"));
    value("one mean, loss", format!("{mean:.3}"));
    value("guessing", format!("{:.3}", 2f64.ln()));
    value(
        "each its own, loss",
        format!("{:.3}", spread(&losses(RUNS, "encoder")).0),
    );
    let Recipe { batch_tokens, parts, .. } = recipe(1);
    value("parts", parts);
    value("reviews in a part", batch_tokens / parts);
}

fn one_clause_more() {
    section("One clause more");
    let [_, _, double, pair] = right(RUNS, "one clause more");
    println!("seed   double    pair");
    for (seed, (double, pair)) in double.iter().zip(&pair).enumerate() {
        println!("{:4} {double:8.1} {pair:7.1}", seed + 1);
    }
}
