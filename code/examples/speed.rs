//! Where the work of an update lies, and what need not be done:
//! `cargo run --example speed`

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::speed::ROWS;
use all_you_need::tokens::Token;
use all_you_need::training::Recipe;
use all_you_need::transformer::Transformer;
pub use cores::{MODELS, curve};
pub use logged::{logged, memory, time};
use pace::billions_a_second;
use print::{Fixed, grouped, section, value};
pub use update::{products, steps};

#[path = "speed/arithmetic.rs"]
mod arithmetic;
#[path = "speed/cores.rs"]
mod cores;
#[path = "speed/logged.rs"]
mod logged;
#[path = "shared/pace.rs"]
mod pace;
#[path = "speed/update.rs"]
mod update;

fn main() {
    logged::profile();
    where_the_work_is();
    near_and_far();
    blocks();
    logits_in_blocks();
    arithmetic::by_hand();
    arithmetic::bits();
    arithmetic::exponentials();
    arithmetic::strands();
    update::update();
    cores::more();
    logged::details();
    logged::rival();
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
fn work() -> [(&'static str, f64); 5] {
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
    let [scores, _] = every_row();
    section("The batch");
    value("sentences of a part", SENTENCES);
    value("tokens of a part", grouped(rows));
    value("tokens", grouped(parts * rows));
    value("scores of one attention", scores.fixed(0));
    section("One pass over it");
    println!("{:35} million multiply-adds", "");
    for (part, millions) in work() {
        println!("{part:35} {:>21}", round(millions));
    }
}

fn round(number: f64) -> String {
    grouped(number.round())
}

fn near_and_far() {
    let (random, ordered) = (memory("at random"), memory("in order"));
    let first = |times: &[(f64, f64)]| times[0].1;
    let last = |times: &[(f64, f64)]| times[times.len() - 1].1;
    section("A number from memory, in nanoseconds");
    value("smallest table, at random", first(&random).fixed(1));
    value("largest table, at random", last(&random).fixed(0));
    value("largest table, in order", last(&ordered).fixed(2));
    value("a multiply-add", (1.0 / billions_a_second()).fixed(3));
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
    section("Pairs of rows in a part");
    value("all pairs", grouped(all));
    value("pairs in one sentence", grouped(own));
    value("one in", all / own);
    let tiles = attentions() * Config::tiny().heads * parts() * SENTENCES;
    value("tiles in a pass", grouped(tiles));
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
    let Config { vocabulary, .. } = Config::tiny();
    section("Logits");
    value("all of a part", bytes(vocabulary * ROWS_OF_A_PART));
    value("blocks", blocks_of_a_part());
    value("rows of a block", rows_of_a_block());
    value("these", bytes(vocabulary * rows_of_a_block()));
}
