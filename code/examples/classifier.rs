//! An encoder without a decoder: `cargo run --example classifier`

use all_you_need::classifier::{Classifier, HELD_OUT, Kind, Reviews};
use all_you_need::classifier::{config, recipe, vocabulary};
use all_you_need::costs::{Bill, Shape};
use all_you_need::parameters::parameter_count;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Stream, generator};
use plot::log::{number, spread, table};
use plot::print::grouped;
use plot::{Chart, Figure, HeatMaps, Hue, Panel};
use std::collections::HashSet;

fn main() {
    plot::read_arguments();
    a_bag_by_hand();
    some_reviews();
    the_sets();
    scores();
    draw_learning();
    what_words_add();
    what_heads_look_at();
    one_mean();
    one_clause_more();
}

/// What each word adds, in a bag that was made by hand.
const BY_HAND: [(&str, i32); 4] =
    [("good", 2), ("bad", -2), ("not", 0), ("though", 0)];

fn a_bag_by_hand() {
    println!("== A bag by hand");
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

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Plain => "plain",
        Kind::Negated => "negated",
        Kind::Double => "double",
        Kind::Pair => "pair",
    }
}

fn some_reviews() {
    println!("\n== Two of each");
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
    println!("\n== The sets");
    let [plain, negated] = [Kind::Plain, Kind::Negated].map(different);
    let clauses = plain + negated;
    // Five forms, and two different subjects of twelve.
    let doubles = 5 * clauses * clauses * 11 / 12;
    println!("plain reviews = {plain}");
    println!("doubles in millions = {:.0}", doubles as f64 / 1e6);
    let reviews = Reviews::new(1);
    println!("to learn from = {}", grouped(reviews.training.len()));
    println!("held out of each kind = {HELD_OUT}");
    let words = vocabulary().len();
    let sizes = config(words);
    println!("words = {words}");
    println!("layers = {}", sizes.layers);
    println!("heads = {}", sizes.heads);
    println!("d_model = {}", sizes.d_model);
    let model: Classifier<Shape> =
        Classifier::new(&sizes, 2, &mut Bill::default());
    println!("parameters = {}", grouped(parameter_count(&model)));
    println!("updates = {}", grouped(recipe(1).updates));
    println!("reviews in a batch = {}", recipe(1).batch_tokens);
}

// What `src/logs/classifier.sh` has measured

const HEADS: &str = include_str!("../../src/logs/classifier-heads.tsv");
const MAPS: &str = include_str!("../../src/logs/classifier-maps.tsv");
const WORDS: &str = include_str!("../../src/logs/classifier-words.tsv");
const RUNS: [&str; 5] = [
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
    println!("\n== Right, in percent");
    print_kinds();
    print_right("bag of words", &bag);
    print_right("encoder", &encoder);
    println!("\n== Without order");
    print_kinds();
    print_right("encoder, shuffled", &right(RUNS, "shuffled"));
    print_right("without positions", &right(COMPARED, "no positions"));
    println!("\n== In the text");
    println!("bag, pair = {:.0} %", spread(&bag[3]).0);
    let all = encoder.concat();
    let (mean, std) = spread(&all);
    println!("encoder, all kinds = {mean:.1} %");
    assert_eq!(std, 0.0, "all seeds have the same share");
    println!("best bag, double = {:.0} %", 100.0 * best_bag());
    // So many percent that in all pairs of the test none fails, by chance.
    let pairs = HELD_OUT / 2;
    let wrong = 1.0 - f64::powf(0.05, 1.0 / pairs as f64);
    println!("test pairs = {pairs}");
    println!("up to this share wrong = {:.1} %", 100.0 * wrong);
}

/// How many double reviews a bag can get right, if it knows the grammar. Two
/// adjectives of the same kind tell the verdict if none or both are negated;
/// else it is a guess.
fn best_bag() -> f64 {
    let not = 1.0 / 3.0;
    let alike = 0.5;
    let told = alike * (f64::powi(1.0 - not, 2) + f64::powi(not, 2));
    told + (1.0 - told) / 2.0
}

/// Nine of ten, in percent.
const ENOUGH: f64 = 90.0;

fn draw_learning() {
    let runs = RUNS.map(|log| -> Vec<[f64; 7]> {
        let rows = table::<7>(log).filter(|row| row[0] == "validation");
        rows.map(|row| row.map(|cell| cell.parse().unwrap_or(0.0))).collect()
    });
    let mean = |kind: usize| -> Vec<(f64, f64)> {
        let each = 0..runs[0].len();
        let mean = |row: usize| {
            let sum: f64 = runs.iter().map(|run| run[row][3 + kind]).sum();
            (runs[0][row][1], 100.0 * sum / runs.len() as f64)
        };
        each.map(mean).collect()
    };
    let lines = [0, 1, 2, 3].map(mean);
    // The first update from which a line stays above this.
    let from = |line: &[(f64, f64)]| {
        let below = line.iter().rposition(|(_, right)| *right < ENOUGH);
        line[below.map_or(0, |row| row + 1)].0
    };
    let lowest = lines[1].iter().map(|at| at.1).fold(100.0, f64::min);
    let ends = lines.iter().flat_map(|line| line.last());
    let end = ends.map(|at| at.1).fold(100.0, f64::min).floor();
    println!("\n== Nine of ten right from update");
    println!("negated at worst = {lowest:.0} %");
    let mut told = Vec::new();
    for (kind, line) in Kind::ALL.iter().zip(&lines) {
        println!("{} = {}", name(*kind), grouped(from(line)));
        told.push(format!("{} from update {}", name(*kind), from(line)));
    }
    let text = format!(
        "The share of validation reviews judged rightly, in percent, by the \
         number of updates, as the mean over {} seeds, with a line for each \
         kind. Negated reviews fall to {lowest:.0} at first; all end at \
         {end:.0} percent. They stay above {ENOUGH} one after the other: {}.",
        RUNS.len(),
        told.join(", ")
    );
    let mut chart = Chart::new("What is learned when", &text)
        .size(470.0, 300.0)
        .x("updates")
        .y("right, in percent");
    for (kind, line) in Kind::ALL.iter().zip(lines) {
        chart = chart.line(name(*kind), line);
    }
    plot::save("classifier-learning", &chart.draw());
}

/// A review of the log: its words, what each adds to the verdict of the bag
/// and of the encoder, and how probably they call it good.
struct Added {
    words: Vec<&'static str>,
    adds: Matrix,
    good: [f64; 2],
}

fn added(review: &str) -> Added {
    let rows = table::<5>(WORDS).filter(|row| row[0] == review);
    let mut rows: Vec<_> =
        rows.map(|row| (row[2], [row[3], row[4]].map(number))).collect();
    let (_, good) = rows.pop().expect("what both say");
    let words = rows.iter().map(|row| row.0).collect();
    let adds = Matrix::from_fn(rows.len(), 2, |i, j| rows[i].1[j]);
    Added { words, adds, good }
}

fn what_words_add() {
    println!("\n== What words add");
    let both = ["0", "1"].map(added);
    let mut figure = HeatMaps::new(
        "What each word adds",
        &format!(
            "Two maps, one for each review, with a row for each word and two \
             columns, bag and encoder. In the bag, {} has the lowest number of \
             the first review, {:.2}, and {} the highest, {:.2}; in the \
             second they have {:.2} and {:.2}. In the encoder, \
             {} of {} words are positive in the first review, and {} in the \
             second.",
            both[0].words[both[0].adds.column(0).imin()],
            both[0].adds.column(0).min(),
            both[0].words[both[0].adds.column(0).imax()],
            both[0].adds.column(0).max(),
            in_the_bag(&both[1], "bad"),
            in_the_bag(&both[1], "good"),
            positive(&both[0]),
            both[0].words.len(),
            positive(&both[1]),
        ),
    );
    for (nth, review) in ["first", "second"].iter().zip(&both) {
        println!("{nth} = {}", review.words.join(" "));
        println!("bag, {nth} = {:.2}", review.good[0]);
        println!("though, {nth} = {:.2}", in_the_bag(review, "though"));
        println!("encoder, {nth} = {:.4}", review.good[1]);
        println!("rows for good, {nth} = {}", positive(review));
        let panel = Panel::new(&review.adds).title(&format!("{nth} review"));
        let panel = panel.rows(&review.words).columns(&["bag", "encoder"]);
        let panel = panel.numbers(2).full(1.0).cell(46.0, 20.0);
        figure = figure.panel(panel);
    }
    println!("words in it = {}", both[0].words.len());
    println!("bad in the bag = {:.1}", in_the_bag(&both[0], "bad"));
    println!("good in the bag = {:.1}", in_the_bag(&both[0], "good"));
    plot::save("classifier-words", &figure.draw());
}

/// What a word adds in the bag, where it is.
fn in_the_bag(review: &Added, word: &str) -> f64 {
    let place = review.words.iter().position(|other| *other == word);
    review.adds[(place.expect("a word of the review"), 0)]
}

/// How many words add to good in the encoder.
fn positive(review: &Added) -> usize {
    review.adds.column(1).iter().filter(|x| **x > 0.0).count()
}

/// The layer and the head that on the validation set most prefer the *not* of
/// the main clause to that of the other.
fn main_head() -> [&'static str; 2] {
    let rows = table::<9>(HEADS).filter(|row| row[0] == "validation");
    let ratio =
        |row: &[&str; 9]| number::<f64>(row[3]) / number::<f64>(row[4]);
    let best = rows.max_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let row = best.expect("a head");
    [row[1], row[2]]
}

fn what_heads_look_at() {
    let [layer, head] = main_head();
    assert_eq!([layer, head], ["2", "1"], "the head of the maps");
    println!("\n== The head");
    println!("layer = {layer}");
    println!("head = {head}");
    let mut rows = table::<9>(HEADS).filter(|row| row[0] == "test");
    let row = rows.find(|row| row[1..3] == [layer, head]).expect("the head");
    let names = ["main not", "other not"];
    for (name, share) in names.iter().zip(&row[3..]) {
        println!("{name} = {:.1}", number::<f64>(share));
    }
    let first = table::<9>(HEADS)
        .filter(|row| row[0] == "test" && row[1] == "1")
        .map(|row| [row[3], row[4], row[8]].map(number::<f64>));
    let first: Vec<[f64; 3]> = first.collect();
    let mean = |i: usize| {
        first.iter().map(|row| row[i]).sum::<f64>() / first.len() as f64
    };
    println!("main not, layer 1 = {:.1}", mean(0));
    println!("other not, layer 1 = {:.1}", mean(1));
    let frames = ["0", "1"].map(|review| map(review, layer, head));
    plot::save_frames("classifier-looks", &frames);
}

/// The weights of the head in a review.
fn map(review: &'static str, layer: &str, head: &str) -> Figure {
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
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by(|&a, &b| gets[b].total_cmp(&gets[a]));
    let nth = if review == "0" { "first" } else { "second" };
    let most = |i: usize| (words[order[i]], order[i] + 1, gets[order[i]]);
    let ((one, at, share), (two, two_at, two_share)) = (most(0), most(1));
    println!("most, {nth} = {one}");
    println!("its share, {nth} = {share:.2}");
    println!("then, {nth} = {two}");
    println!("share of that, {nth} = {two_share:.2}");
    let panel = Panel::new(&weights).rows(&words).columns(&words).full(1.0);
    let panel = panel.hue(Hue::WEIGHTS).axes("queries", "keys");
    HeatMaps::new(
        &format!("Layer {layer}, head {head}: the {nth} review"),
        &format!(
            "A map with a row for each query and a column for each key, the \
             words of: {}. The key with the most weight on average is {one} in \
             column {at}, with {share:.2} of each row; then comes {two} in \
             column {two_at} with {two_share:.2}.",
            words.join(" ")
        ),
    )
    .panel(panel.cell(20.0, 20.0))
    .draw()
}

fn one_mean() {
    let numbers = right(COMPARED, "one mean");
    println!("\n== One mean");
    print_kinds();
    print_right("one mean for all", &numbers);
    println!("\n== Its loss");
    let (mean, _) = spread(&losses(COMPARED, "one mean"));
    println!("one mean, loss = {mean:.3}");
    println!("guessing = {:.3}", 2f64.ln());
    println!(
        "each its own, loss = {:.3}",
        spread(&losses(RUNS, "encoder")).0
    );
    println!(
        "reviews in a part = {}",
        recipe(1).batch_tokens / recipe(1).parts
    );
}

fn one_clause_more() {
    println!("\n== One clause more");
    let [_, _, double, pair] = right(RUNS, "one clause more");
    println!("seed   double    pair");
    for (seed, (double, pair)) in double.iter().zip(&pair).enumerate() {
        println!("{:4} {double:8.1} {pair:7.1}", seed + 1);
    }
}
