//! Where the work of an update lies, and what need not be done:
//! `cargo run --example speed`

use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::speed::ROWS;
use all_you_need::tensor::Float;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use plot::print::grouped;
use plot::{Bars, HeatMaps, Hue, Panel};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::f32::consts::LN_2;

fn main() {
    plot::read_arguments();
    where_the_work_is();
    blocks();
    logits_in_blocks();
    exponentials();
    strands();
    steps();
    rival();
}

/// A batch of sentences of 8 to 22 tokens, about 2750 in all.
fn lengths() -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    (0..183).map(|_| rng.random_range(8..=22)).collect()
}

/// What one pass over the batch costs, part by part, in multiply-adds.
fn where_the_work_is() {
    let bill = Bill::default();
    let model: Transformer<Shape> =
        Transformer::new(&Config::tiny(), &mut bill.clone());
    let sentences: Vec<Vec<Token>> =
        lengths().into_iter().map(|n| vec![0; n]).collect();
    let mut paid = 0;
    let mut since = || {
        let before = std::mem::replace(&mut paid, bill.cost().multiply_adds);
        (paid - before) as f64 / 1e6
    };
    let memory = model.encode(&sentences);
    let encoder = since();
    let z = model.decode(&sentences, &memory);
    let decoder = since();
    let _ = model.logits(&z);
    let vocabulary = since();
    let n: f64 = lengths().iter().map(|&n| n as f64).sum();
    // Scores of all rows with all rows, and the values taken by them.
    let square = 4.0 * 2.0 * n * n * 128.0 / 1e6;
    println!("== One pass, in millions of multiply-adds");
    println!("tokens = {}", grouped(n as usize));
    let parts = [
        ("encoder, without attending", encoder - square),
        ("decoder, without attending", decoder - 2.0 * square),
        ("the vocabulary", vocabulary),
        ("attending, every row to every row", 3.0 * square),
        ("attending, each to its own sentence", 3.0 * square * own()),
    ];
    for (part, millions) in parts {
        println!("{part} = {}", grouped(millions.round() as usize));
    }
    draw_work(&parts);
}

fn draw_work(parts: &[(&str, f64)]) {
    let [_, _, vocabulary, every, own] = parts else { unreachable!() };
    let description = format!(
        "Bars. Attention of every row to every \
         row takes {:.0}, the vocabulary {:.0}, and attention within the \
         sentences {:.0}.",
        every.1, vocabulary.1, own.1
    );
    let title = "Multiply-adds of one pass over a batch";
    let bars = Bars::new(title, &description)
        .heading("millions of multiply-adds")
        .decimals(0);
    let bars = parts.iter().enumerate().fold(bars, |bars, (i, part)| {
        let hue = if i == 3 { Hue::Orange } else { Hue::Blue };
        bars.bar_in(hue, part.0, part.1)
    });
    plot::save("speed-work", &bars.draw());
}

/// The part of all pairs of rows that lie in one sentence.
fn own() -> f64 {
    let all: usize = lengths().iter().sum();
    let own: usize = lengths().iter().map(|n| n * n).sum();
    own as f64 / (all * all) as f64
}

/// Which pairs of rows a batch has to look at.
fn blocks() {
    let all: usize = lengths().iter().sum();
    let own: usize = lengths().iter().map(|n| n * n).sum();
    println!("\n== Pairs of rows");
    println!("all pairs = {}", grouped(all * all));
    println!("pairs in one sentence = {}", grouped(own));
    println!("one in = {:.0}", (all * all) as f64 / own as f64);
    let Config { layers, heads, .. } = Config::tiny();
    // Each decoder layer has two attentions.
    let pieces = 3 * layers * heads * lengths().len();
    println!("pieces in a batch = {}", grouped(pieces));
    draw_blocks();
}

fn draw_blocks() {
    let lengths = [4, 7, 3, 5];
    let n: usize = lengths.iter().sum();
    let packed = Mask::packed(&lengths, &lengths);
    let causal = packed.and(&Mask::causal(n));
    let panel = |mask: &Mask, title: &str| {
        let seen = mask.matrix().map(|x| if x == 0.0 { 1.0 } else { 0.0 });
        Panel::new(&seen).title(title).axes("queries", "keys")
    };
    let [a, b, c, d] = lengths;
    let description = format!(
        "Two square maps of {n} by {n} cells. In the left one four full \
         squares lie on the diagonal, {a}, {b}, {c} and {d} wide, in the right \
         one four triangles. All other cells are empty."
    );
    let maps = HeatMaps::new("Four sentences in one batch", &description);
    let maps = maps.panel(panel(&packed, "the encoder, across"));
    let maps = maps.panel(panel(&causal, "the decoder, its past"));
    plot::save("speed-blocks", &maps.draw());
}

/// Memory for all logits of a batch, and for those of some rows.
fn logits_in_blocks() {
    let megabytes = |rows: usize| (rows * 10_000 * 4) as f64 / 1e6;
    let all: usize = lengths().iter().sum();
    println!("\n== Logits, in megabytes");
    println!("all of the batch = {:.0}", megabytes(all));
    println!("rows at a time = {ROWS}");
    println!("these = {:.1}", megabytes(ROWS));
}

/// How far the exponential is off, at a million places.
fn exponentials() {
    let places: Vec<f32> =
        (0..1_000_000).map(|i| -40.0 * i as f32 / 1_000_000.0).collect();
    let mut powers = places.clone();
    f32::exp_all(&mut powers);
    let off = |powers: Vec<f32>| {
        let off = places.iter().zip(powers).map(|(&x, power)| {
            let exact = f64::from(x).exp();
            ((f64::from(power) - exact) / exact).abs()
        });
        off.fold(0.0, f64::max)
    };
    // With ln 2 in one part, rounded once, r is off by what n makes of it.
    let rest = |x: f32| x - (x / LN_2).round() * LN_2;
    let one_part = |x: f32| (x / LN_2).round().exp2() * rest(x).exp();
    let (worst, careless) =
        (off(powers), off(places.iter().map(|&x| one_part(x)).collect()));
    println!("\n== Exponentials");
    println!("millions of exponentials = {:.0}", exponentials_taken() / 1e6);
    println!("worst of a million = {:.1}", worst * 1e7);
    println!("with one part = {:.0}", careless * 1e7);
    println!("at minus 40 = {:.0e}", (-40f64).exp());
    println!("smallest = {:.1e}", f32::MIN_POSITIVE);
}

/// How many exponentials an update with the batch takes: one for each token
/// of the vocabulary in each row, and one for each pair in each head.
fn exponentials_taken() -> f64 {
    let Config { vocabulary, layers, heads, .. } = Config::tiny();
    let lengths = lengths();
    let rows: usize = lengths.iter().sum();
    let pairs: usize = lengths.iter().map(|n| n * n).sum();
    let seen: usize = lengths.iter().map(|n| n * (n + 1) / 2).sum();
    // Encoder and cross-attention see all pairs, the decoder its past.
    let attention = layers * heads * (2 * pairs + seen);
    (rows * vocabulary + attention) as f64
}

/// A hundred thousand times a tenth, one after the other and in strands.
fn strands() {
    let tenths = vec![0.1f32; 100_000];
    let in_a_row = tenths.iter().fold(0.0, |sum, x| sum + x);
    let mut strands = [0.0f32; 16];
    for (i, x) in tenths.iter().enumerate() {
        strands[i % 16] += x;
    }
    let in_strands = strands.iter().fold(0.0, |sum, x| sum + x);
    println!("\n== A hundred thousand tenths");
    println!("in a row = {in_a_row:.2}");
    println!("in sixteen strands = {in_strands:.2}");
}

/// What `cargo bench --bench speed` printed on the machine of the authors.
const STEPS: &str = include_str!("../../src/logs/speed-steps.tsv");

/// What it timed: sentences of one length, so many in each part of a batch.
const SENTENCES: usize = 46;
const LENGTH: usize = 15;
const PART_ROWS: usize = SENTENCES * LENGTH;
const PARTS: usize = 4;

/// A line of it: what was timed, how often an update does it, and the
/// milliseconds it takes in two ways.
struct Step<'a> {
    what: &'a str,
    times: f64,
    slow: f64,
    quick: f64,
}

fn measured() -> Vec<Step<'static>> {
    let line = |line: &'static str| {
        let (what, numbers) = line.split_once('\t').expect("numbers");
        let numbers = numbers.split('\t').map(|x| x.parse().unwrap());
        match *numbers.collect::<Vec<f64>>() {
            [times, slow, quick] => Step { what, times, slow, quick },
            _ => panic!("three numbers, not {line}"),
        }
    };
    STEPS.lines().skip(1).map(line).collect()
}

/// What each quick way saves, and how far it still is to the limit.
fn steps() {
    let steps = measured();
    let find = |what: &str| {
        let step = steps.iter().find(|step| step.what.starts_with(what));
        step.expect("it was timed")
    };
    let (update, product) = (find("update"), find("product"));
    let threads = (update.what.split(' ').nth(2)).expect("a number");
    let threads: f64 = threads.parse().expect("a number");
    println!("\n== Each step, in milliseconds");
    println!("{:14} formula     here     times  saved", "");
    let saved = |step: &Step| step.times * (step.slow - step.quick) / threads;
    let named = [
        ("attention", "attending"),
        ("the loss", "loss"),
        ("products", "product"),
        ("exponentials", "exponentials"),
    ];
    for (name, what) in named {
        let step = find(what);
        println!(
            "{name:14} {:7.2} {:8.2} {:9.1} {:6.0}",
            step.slow,
            step.quick,
            step.slow / step.quick,
            saved(step)
        );
    }
    println!("\n== An update, in milliseconds");
    let small = find("subnormal");
    println!("too small, as slow = {:.0}", small.slow / small.quick);
    println!("one thread = {:.0}", update.slow);
    println!("threads = {threads}");
    println!("an update = {:.0}", update.quick);
    let saved_in_all: f64 =
        named.iter().map(|(_, what)| saved(find(what))).sum();
    println!("saved in all = {}", grouped(saved_in_all.round()));
    let formulas = update.quick + saved_in_all;
    println!("with the formulas = {:.1}", formulas / 1e3);
    println!("times in all = {:.1}", formulas / update.quick);
    // Multiply-adds of the product that was timed, a millisecond.
    let d_model = Config::tiny().d_model;
    let rate = (PART_ROWS * d_model * d_model) as f64 / product.quick;
    println!("billions a second = {:.0}", rate / 1e6);
    let limit = 3.0 * pass() / rate / threads;
    println!("its products = {limit:.0}");
    println!("of the limit = {:.0}%", 100.0 * limit / update.quick);
    let without = named.map(|(name, what)| {
        (format!("without: {name}"), update.quick + saved(find(what)))
    });
    draw_steps(limit, update.quick, &without);
}

/// Multiply-adds of one pass over a batch, each sentence for itself.
fn pass() -> f64 {
    let bill = Bill::default();
    let model: Transformer<Shape> =
        Transformer::new(&Config::tiny(), &mut bill.clone());
    let sentence = [vec![0; LENGTH]];
    let _ = model.forward(&sentence, &sentence);
    (bill.cost().multiply_adds as usize * PARTS * SENTENCES) as f64
}

fn draw_steps(limit: f64, update: f64, without: &[(String, f64)]) {
    let description = format!(
        "Bars, in milliseconds. The products alone would take {:.0} % of what \
         an update takes. Without the fast attention it would take {:.1} times \
         as long, without the fast loss {:.1} times.",
        100.0 * limit / update,
        without[0].1 / update,
        without[1].1 / update
    );
    let bars = Bars::new("An update, in milliseconds", &description);
    let bars = bars.heading("milliseconds per update").decimals(0);
    let bars = bars.bar_in(Hue::Green, "its products, at best", limit);
    let bars = bars.bar("as it is", update);
    let bars = without.iter().fold(bars, |bars, (name, milliseconds)| {
        bars.bar_in(Hue::Orange, name, *milliseconds)
    });
    plot::save("speed-steps", &bars.draw());
}

/// What `src/logs/speed.sh` found when both did the same in turn.
const RIVAL: &str = include_str!("../../src/logs/speed-rival.tsv");

fn rival() {
    println!("\n== Target tokens a second");
    println!("  ours   PyTorch   times as fast");
    let pairs = |what: &str| -> Vec<(f64, f64)> {
        let lines = RIVAL.lines().filter_map(|line| line.strip_prefix(what));
        let pair = |line: &str| {
            let (ours, theirs) = line.trim().split_once('\t').unwrap();
            (ours.parse().unwrap(), theirs.parse().unwrap())
        };
        lines.map(pair).collect()
    };
    let training = pairs("training");
    for &(ours, theirs) in &training {
        let ratio = ours / theirs;
        println!("{:>6} {:>9} {ratio:15.2}", grouped(ours), grouped(theirs));
    }
    let mut ratios: Vec<f64> =
        training.iter().map(|(ours, theirs)| ours / theirs).collect();
    ratios.sort_by(f64::total_cmp);
    println!("\n== Next to PyTorch");
    println!("times as fast = {:.1}", ratios[ratios.len() / 2]);
}
