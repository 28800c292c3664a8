//! Where the work of an update lies, and what need not be done:
//! `cargo run --example speed`

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::speed::ROWS;
use all_you_need::tensor::Float;
use all_you_need::tokens::Token;
use all_you_need::training::Recipe;
use all_you_need::transformer::Transformer;
use print::grouped;
use std::f32::consts::LN_2;

fn main() {
    where_the_work_is();
    near_and_far();
    blocks();
    logits_in_blocks();
    by_hand();
    bits();
    exponentials();
    strands();
    update();
    details();
    rival();
}

/// The batch of this chapter: so many sentences of one length in each part,
/// about as many tokens as the recipe has in a batch.
const SENTENCES: usize = 92;
pub const LENGTH: usize = 15;
pub const ROWS_OF_A_PART: usize = SENTENCES * LENGTH;

fn parts() -> usize {
    Recipe::tiny().parts
}

/// How often a pass attends: an encoder layer once, a decoder layer twice.
fn attentions() -> usize {
    3 * Config::tiny().layers
}

/// What one pass over sentences costs, in millions of multiply-adds: the
/// encoder, the decoder, and the logits.
fn bill(sentences: usize) -> [f64; 3] {
    let bill = Bill::default();
    let model: Transformer<Shape> =
        Transformer::new(&Config::tiny(), &mut bill.clone());
    let sentences: Vec<Vec<Token>> = vec![vec![0; LENGTH]; sentences];
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
    [encoder, decoder, since()]
}

/// The multiply-adds of one attention in which every row looks at every row,
/// and of all in a pass, in millions.
fn every_row() -> [f64; 2] {
    let rows = ROWS_OF_A_PART as f64;
    let scores = rows * rows * Config::tiny().d_model as f64 / 1e6;
    [scores, 2.0 * (attentions() * parts()) as f64 * scores]
}

/// What the parts of a pass cost, in millions of multiply-adds.
pub fn work() -> [(&'static str, f64); 5] {
    let [encoder, decoder, vocabulary] =
        bill(SENTENCES).map(|cost| cost * parts() as f64);
    let [_, every] = every_row();
    // A third of the attentions is in the encoder.
    [
        ("encoder, without attention", encoder - every / 3.0),
        ("decoder, without attention", decoder - 2.0 * every / 3.0),
        ("logits", vocabulary),
        ("attention, every row to every row", every),
        ("attention, each to its sentence", every / SENTENCES as f64),
    ]
}

/// What one pass over a batch costs, part by part.
fn where_the_work_is() {
    let (parts, rows) = (parts() as f64, ROWS_OF_A_PART as f64);
    let [scores, every] = every_row();
    println!("== The batch");
    println!("sentences = {}", parts * SENTENCES as f64);
    println!("sentences of a part = {SENTENCES}");
    println!("tokens of a part = {}", grouped(rows));
    println!("tokens = {}", grouped(parts * rows));
    println!("scores of one attention = {scores:.0}");
    println!("every row to every row = {}", round(every));
    println!("\n== One pass over it");
    println!("{:35} million multiply-adds", "");
    for (part, millions) in work() {
        println!("{part:35} {:>21}", round(millions));
    }
}

fn round(number: f64) -> String {
    grouped(number.round())
}

/// What `cargo bench --bench speed` printed on the machine of the authors.
const LOG: &str = include_str!("../../src/logs/speed-steps.tsv");

/// Two lines of it, on another processor.
const ELSEWHERE: &str = include_str!("../../src/logs/speed-subnormal.tsv");

/// The lines of a log that begin so: the rest of the name, and the number.
fn lines(log: &'static str, begin: &str) -> Vec<(&'static str, f64)> {
    let line = |line: &'static str| {
        let mut cells = line.split('\t');
        let what = cells.next()?.strip_prefix(begin)?;
        Some((what, cells.next()?.parse().expect("a number")))
    };
    log.lines().filter_map(line).collect()
}

pub fn logged(begin: &str) -> Vec<(&'static str, f64)> {
    lines(LOG, begin)
}

/// What was timed, in its unit.
pub fn time(what: &str) -> f64 {
    time_in(LOG, what)
}

fn time_in(log: &'static str, what: &str) -> f64 {
    match lines(log, what)[..] {
        [("", time)] => time,
        _ => panic!("{what} was not timed, or more than once"),
    }
}

/// How long a number takes to come from tables of growing size, in
/// nanoseconds.
pub fn memory(order: &str) -> Vec<(f64, f64)> {
    let size = |(what, time): (&str, f64)| {
        let (kilobytes, found) = what.split_once(" KiB, ")?;
        let kilobytes: f64 = kilobytes.parse().expect("a number");
        (found == order).then_some((kilobytes * 1024.0 / 1e6, time))
    };
    logged("memory of ").into_iter().filter_map(size).collect()
}

fn near_and_far() {
    let (random, ordered) = (memory("at random"), memory("in order"));
    let first = |times: &[(f64, f64)]| times[0].1;
    let last = |times: &[(f64, f64)]| times[times.len() - 1].1;
    println!("\n== A number from memory, in nanoseconds");
    println!("smallest table, at random = {:.1}", first(&random));
    println!("largest table, at random = {:.0}", last(&random));
    println!("times as long = {:.0}", last(&random) / first(&random));
    println!("largest table, in order = {:.2}", last(&ordered));
    println!("smallest table, in order = {:.2}", first(&ordered));
    println!("a multiply-add = {:.3}", 1.0 / billions_a_second());
}

/// Multiply-adds of one core, in billions a second: X W.
fn billions_a_second() -> f64 {
    let d_model = Config::tiny().d_model;
    (ROWS_OF_A_PART * d_model * d_model) as f64 / time("product, X W") / 1e6
}

/// The memory of so many `f32`s, with its unit.
pub fn bytes(numbers: usize) -> String {
    match 4.0 * numbers as f64 {
        few if few < 1e5 => format!("{:.0} KB", few / 1e3),
        many => format!("{:.0} MB", many / 1e6),
    }
}

/// Which pairs of rows a batch has to look at.
fn blocks() {
    let all = ROWS_OF_A_PART * ROWS_OF_A_PART;
    let own = SENTENCES * LENGTH * LENGTH;
    println!("\n== Pairs of rows in a part");
    println!("all pairs = {}", grouped(all));
    println!("pairs in one sentence = {}", grouped(own));
    println!("one in = {}", all / own);
    let tiles = attentions() * Config::tiny().heads * parts() * SENTENCES;
    println!("tiles in a pass = {}", grouped(tiles));
}

/// A part has as few blocks of rows as it can, all of about the same size.
pub fn blocks_of_a_part() -> usize {
    ROWS_OF_A_PART.div_ceil(ROWS)
}

pub fn rows_of_a_block() -> usize {
    ROWS_OF_A_PART.div_ceil(blocks_of_a_part())
}

/// Memory for all logits of a part, and for those of a block.
fn logits_in_blocks() {
    let Config { vocabulary, d_model, .. } = Config::tiny();
    println!("\n== Logits");
    println!("all of a part = {}", bytes(vocabulary * ROWS_OF_A_PART));
    println!("rows at most = {ROWS}");
    println!("blocks = {}", blocks_of_a_part());
    println!("rows of a block = {}", rows_of_a_block());
    println!("these = {}", bytes(vocabulary * rows_of_a_block()));
    println!("the table = {}", bytes(vocabulary * d_model));
}

/// e to the −3 with sums and products, as `exp` of the chapter has it.
fn by_hand() {
    let x = -3f64;
    let (ln_2, ratio) = (2f64.ln(), x / 2f64.ln());
    let n = ratio.round();
    let r = x - n * ln_2;
    println!("\n== One exponential");
    println!("x / ln 2 = {}", minus(format!("{ratio:.3}")));
    println!("n = {}", minus(n.to_string()));
    println!("r = {}", minus(format!("{r:.5}")));
    println!("\n== The series");
    println!("term           value   sum so far");
    let (mut term, mut sum) = (1.0, 0.0);
    let names = ["1", "r", "r²/2", "r³/6", "r⁴/24", "r⁵/120", "r⁶/720"];
    for (i, name) in names.iter().enumerate() {
        sum += term;
        let value = minus(format!("{term:.7}"));
        println!("{name:8} {value:>11} {sum:12.7}");
        term *= r / (i + 1) as f64;
    }
    println!("\n== Its result");
    println!("two to the n = {}", n.exp2());
    println!("the product = {:.7}", sum * n.exp2());
    println!("the library's = {:.7}", x.exp());
}

/// With a true minus.
fn minus(number: String) -> String {
    number.replace('-', "−")
}

/// How an `f32` is stored, and how n gets into its exponent.
fn bits() {
    const WHOLE: f32 = 12_582_912.0;
    let shifted = -3.0 / LN_2 + WHOLE;
    let moved = f32::from_bits(shifted.to_bits() << 23);
    let sum = f32::from_bits(moved.to_bits().wrapping_add(1f32.to_bits()));
    println!("\n== Bits");
    println!("                  sign exponent  fraction");
    let numbers = [
        ("1", 1.0),
        ("1.5 · 2²³", WHOLE),
        ("−4.328 added", shifted),
        ("moved by 23", moved),
        ("and 1 added", sum),
    ];
    for (name, number) in numbers {
        let bits = format!("{:032b}", number.to_bits());
        let (sign, bits) = bits.split_at(1);
        let (exponent, fraction) = bits.split_at(8);
        println!("{name:18} {sign}   {exponent}  {fraction}");
    }
    assert_eq!(sum, 0.0625, "two to the minus four");
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
    println!("worst of a million = {}", scientific(worst));
    println!("with one part = {}", scientific(careless));
    println!("at minus 40 = {}", scientific((-40f64).exp()));
    println!("at minus 80 = {}", scientific((-80f64).exp()));
    println!("smallest = {}", scientific(f32::MIN_POSITIVE.into()));
}

/// `2.3 · 10⁻⁷`
fn scientific(number: f64) -> String {
    let text = format!("{number:.1e}");
    let (factor, power) = text.split_once('e').expect("a power");
    let small = |c: char| match c.to_digit(10) {
        Some(digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize).unwrap(),
        None => '⁻',
    };
    format!("{factor} · 10{}", power.chars().map(small).collect::<String>())
}

/// How many exponentials an update takes: one for each token of the
/// vocabulary in each row, and one for each pair in each head.
fn exponentials_taken() -> f64 {
    let Config { vocabulary, layers, heads, .. } = Config::tiny();
    let (pairs, seen) = (LENGTH * LENGTH, LENGTH * (LENGTH + 1) / 2);
    // Encoder and cross-attention see all pairs, the decoder its past.
    let attention = layers * heads * (2 * pairs + seen);
    let sentence = LENGTH * vocabulary + attention;
    (parts() * SENTENCES * sentence) as f64
}

/// How many numbers the loss adds or compares: each logit in the sum of all,
/// in the maximum, and in the sum of exponentials.
fn additions_taken() -> f64 {
    (3 * parts() * ROWS_OF_A_PART * Config::tiny().vocabulary) as f64
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

/// A step of an update that has a formula, and how often an update takes it.
pub struct Step {
    name: &'static str,
    times: usize,
    formula: f64,
    here: f64,
}

impl Step {
    fn new(name: &'static str, times: usize) -> Self {
        let [formula, here] = ["by its formula", "as it is"]
            .map(|way| time(&format!("{name}, {way}")));
        Self { name, times, formula, here }
    }

    /// What it should save in an update, from what it saves alone.
    fn expected(&self) -> f64 {
        self.times as f64 * (self.formula - self.here) / time("threads")
    }

    /// An update with the formula.
    pub fn without(&self) -> f64 {
        time(&format!("update, {} by its formula", self.name))
    }
}

/// The two steps that have a formula.
pub fn steps() -> [Step; 2] {
    [
        Step::new("attention", attentions() * parts()),
        Step::new("loss", parts()),
    ]
}

/// An update as it is and with formulas, in milliseconds.
fn update() {
    let update = time("update, as it is");
    let both = time("update, both by their formulas");
    let steps = steps();
    println!("\n== An update");
    println!("threads = {}", time("threads"));
    println!("an update = {}", round(update));
    println!("with the formulas = {:.1}", both / 1e3);
    println!("times in all = {:.1}", both / update);
    println!("\n== What each saves");
    println!(
        "                 once       once               expected  measured"
    );
    println!(
        "              formula       here    how many    ms less   ms less"
    );
    for step in &steps {
        println!(
            "{:12} {:6.1} ms  {:6.1} ms {:11} {:>10} {:>9}",
            step.name,
            step.formula,
            step.here,
            step.times,
            round(step.expected()),
            round(step.without() - update)
        );
    }
    estimate(
        ("exponential", "of the standard library", "as it is"),
        exponentials_taken(),
    );
    estimate(("addition", "in a row", "in strands"), additions_taken());
    // The products in attention, there and back, that the blocks leave out.
    let shape = ROWS_OF_A_PART as f64;
    let every = shape * shape * Config::tiny().d_model as f64 / 1e9;
    let pass = 2.0 * (attentions() * parts()) as f64 * every;
    let left_out = pass * (1.0 - 1.0 / SENTENCES as f64);
    let seconds = 3.0 * left_out / billions_a_second() / time("threads");
    let [attention, _] = &steps;
    println!("\n== In these");
    println!("attention by its formula = {:.1}", attention.formula);
    println!("attention here = {:.1}", attention.here);
    println!("attentions of an update = {}", attention.times);
    println!("expected of attention = {}", round(attention.expected()));
    let measured = attention.without() - update;
    println!("measured of attention = {}", round(measured));
    println!("millions saved in a pass = {}", round(1e3 * left_out));
    println!("multiply-adds saved = {}", round(1e3 * seconds));
    let share = 1e5 * seconds / measured;
    println!("share of multiply-adds = {share:.0} %");
    let each: f64 = steps.iter().map(|step| step.without() - update).sum();
    println!("more than both = {}", round(both - update - each));
    let heads = attentions() * Config::tiny().heads;
    println!("\n== On the tape");
    let kept = heads * ROWS_OF_A_PART * ROWS_OF_A_PART;
    println!("weights kept = {}", bytes(kept));
    limit(update);
}

/// What so many small steps should save, from the time of one in nanoseconds.
fn estimate((name, slow, quick): (&str, &str, &str), count: f64) {
    let [slow, quick] =
        [slow, quick].map(|way| time(&format!("{name}, {way}")));
    let saved = count * (slow - quick) / time("threads") / 1e6;
    println!(
        "{name:12} {slow:6.2} ns  {quick:6.2} ns {:>11} {:>10} {:>9}",
        format!("{:.0} million", count / 1e6),
        round(saved),
        "–"
    );
}

/// One pass over a batch, in millions of multiply-adds.
fn pass() -> f64 {
    bill(1).iter().sum::<f64>() * (parts() * SENTENCES) as f64
}

/// How long the products of an update take at best, in milliseconds.
pub fn products() -> f64 {
    3.0 * pass() / billions_a_second() / time("threads")
}

/// What is left to gain.
fn limit(update: f64) {
    let (pass, products) = (pass(), products());
    println!("\n== The limit");
    println!("billions a second = {:.0}", billions_a_second());
    println!("one pass = {}", round(pass));
    println!("its products = {}", round(products));
    println!("of the limit = {:.0}%", 100.0 * products / update);
}

/// What is inside of the two steps.
fn details() {
    let [library, here] = ["of the standard library", "as it is"]
        .map(|way| time(&format!("exponential, {way}")));
    println!("\n== Inside");
    println!("exponential of the library = {library:.1}");
    println!("exponential = {here:.1}");
    println!("of the time = {:.1}", library / here);
    println!("multiply-adds = {:.0}", here * billions_a_second());
    let [row, strands] = ["in a row", "in strands"]
        .map(|way| time(&format!("addition, {way}")));
    println!("addition in a row = {row:.2}");
    println!("addition in strands = {strands:.2}");
    let [dots, turned] = ["tr_mul", "turned first"]
        .map(|way| time(&format!("product, {way}")));
    println!("dot products = {dots:.1}");
    println!("turned first = {turned:.1}");
    let slow = |log| {
        time_in(log, "product, subnormal") / time_in(log, "product, zeros")
    };
    println!("too small, as slow elsewhere = {:.0}", slow(ELSEWHERE));
    println!("too small, as slow = {:.1}", slow(LOG));
}

/// What `src/logs/speed.sh` found when both did the same in turn.
const RIVAL: &str = include_str!("../../src/logs/speed-rival.tsv");

fn rival() {
    let pair = |line: &str| -> Option<(f64, f64)> {
        let (ours, theirs) =
            line.strip_prefix("training\t")?.split_once('\t')?;
        Some((ours.parse().ok()?, theirs.parse().ok()?))
    };
    let pairs: Vec<(f64, f64)> = RIVAL.lines().filter_map(pair).collect();
    let sorted = |number: fn(&(f64, f64)) -> f64| {
        let mut numbers: Vec<f64> = pairs.iter().map(number).collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    println!("\n== Next to PyTorch");
    for (name, numbers) in
        [("ours", sorted(|pair| pair.0)), ("theirs", sorted(|pair| pair.1))]
    {
        println!("{name}, slowest = {}", grouped(numbers[0]));
        println!("{name}, fastest = {}", grouped(numbers[numbers.len() - 1]));
    }
    let ratios = sorted(|(ours, theirs)| ours / theirs);
    println!("times as fast = {:.1}", ratios[ratios.len() / 2]);
}
