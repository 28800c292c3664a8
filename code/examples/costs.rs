//! What a formula costs, before it is computed: `cargo run --example costs`

use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Cost, LayerKind, Shape};
use all_you_need::encoder::Config;
use all_you_need::heads::MultiHead;
use all_you_need::parameters::parameter_count;
use all_you_need::transformer::Transformer;
use print::{Fixed, grouped, section, table, value};

#[path = "costs/groups.rs"]
mod groups;
#[path = "costs/training.rs"]
mod training;

fn main() {
    groups::where_the_parameters_are();
    counted_by_hand();
    a_sentence();
    one_word_at_a_time();
    training::a_training();
    table_1();
    in_full();
}

/// A model of shapes.
fn shapes(config: &Config) -> Transformer<Shape> {
    Transformer::new(config, &mut Bill::default())
}

/// The parameters of a model whose heads together are as wide as its rows.
fn parameters(v: usize, layers: usize, d: usize, d_ff: usize) -> usize {
    let attention = 4 * d * d; // W^Q, W^K, W^V and W^O
    let feed_forward = d * d_ff + d_ff + d_ff * d + d;
    let norm = 2 * d;
    let encoder = attention + feed_forward + 2 * norm;
    let decoder = 2 * attention + feed_forward + 3 * norm;
    v * d + layers * (encoder + decoder)
}

fn counted_by_hand() {
    let base = parameter_count(&shapes(&Config::base()));
    assert_eq!(parameters(37_000, 6, 512, 2048), base);
    section("By how much it differs");
    let (d, v, attentions) = (512, 37_000, 18);
    let rows = [
        ("a bias in every projection", 4 * d * attentions),
        ("a last norm on both stacks", 2 * 2 * d),
        ("no bias in the feed-forward networks", 12 * (2048 + d)),
        ("a table of its own for the logits", v * d),
        ("learned positions, 1024 of them, on both sides", 2 * 1024 * d),
    ];
    table(
        ["what differs", "parameters"],
        rows.map(|(name, by)| (name, grouped(by))),
    );
}

/// How many words the sentences have.
pub const WORDS: usize = 30;

/// The multiply-adds of the base model's encoder, of its decoder, and of the
/// product with the table, for so many words of source and target.
fn multiply_adds(n: usize, m: usize) -> [u64; 3] {
    let bill = Bill::default();
    let model: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut bill.clone());
    let so_far = || bill.cost().multiply_adds;
    let memory = model.encode(&[vec![0; m]]);
    let encoder = so_far();
    let rows = model.decode(&[vec![0; n]], &memory);
    let decoder = so_far() - encoder;
    let _ = model.logits(&rows);
    [encoder, decoder, so_far() - encoder - decoder]
}

/// What grows in proportion to the words, and what grows with their square.
fn split(once: u64, twice: u64) -> [u64; 2] {
    let between = (twice - 2 * once) / 2;
    [once - between, between]
}

/// The cost of one pass of a model over sentences of so many words.
fn pass(config: &Config, words: usize) -> Cost {
    let mut bill = Bill::default();
    let model: Transformer<Shape> = Transformer::new(config, &mut bill);
    let sentence = [vec![0; words]];
    let _ = model.forward(&sentence, &sentence);
    bill.cost()
}

/// The work of a pass over n words on each side, by what it is for.
pub fn by_purpose(n: usize) -> [(&'static str, f64); 4] {
    let Config { vocabulary, layers, d_model: d, d_ff, .. } = Config::base();
    let attentions = 3 * layers;
    let work = [
        ("projections", n * 4 * d * d * attentions),
        ("feed-forward", n * 2 * d * d_ff * 2 * layers),
        ("table", n * vocabulary * d),
        ("between words", 2 * n * n * d * attentions),
    ];
    let all: usize = work.iter().map(|(_, work)| work).sum();
    assert_eq!(all as u64, pass(&Config::base(), n).multiply_adds);
    work.map(|(name, work)| (name, work as f64 / all as f64))
}

fn millions(n: u64) -> String {
    grouped(format!("{:.1}", n as f64 / 1e6))
}

fn a_sentence() {
    let [once, twice] = [WORDS, 2 * WORDS].map(|n| multiply_adds(n, n));
    let parts = [0, 1, 2].map(|i| split(once[i], twice[i]));
    let sum = |j: usize| parts.iter().map(|part| part[j]).sum();
    let all = [sum(0), sum(1)];
    let names = ["encoder", "decoder", "product with the table", "in all"];
    let rows = names.into_iter().zip(parts.into_iter().chain([all]));
    section("Multiply-adds");
    let row = |(name, [own, between]): (&'static str, [u64; 2])| {
        (name, [own, between, own + between].map(millions))
    };
    let heads = ["millions", "with parameters", "between words", "together"];
    table(heads, rows.map(row));
    let cost = pass(&Config::base(), WORDS);
    let met = WORDS as u64 * cost.parameters;
    let equal = |n: &usize| {
        let [own, between] =
            split(multiply_adds(1, *n)[0], multiply_adds(1, 2 * n)[0]);
        between >= own
    };
    section("The rule of thumb");
    value("products with parameters", millions(all[0]));
    value("products between words", millions(all[1]));
    value("words times parameters", millions(met));
    value("all tokens times all", millions(2 * met));
    let written = cost.numbers as f64 / 1e6;
    value("numbers written", format!("{written:.1} million"));
    value("megabytes", (4.0 * written).fixed(0));
    let even = (1..).map(|i| 64 * i).find(equal).expect("some length");
    value("an encoder layer is even at", grouped(even));
}

fn one_word_at_a_time() {
    let steps = 1..=WORDS;
    let [encoder, _, _] = multiply_adds(1, WORDS);
    let work = |n| multiply_adds(n, WORDS)[1..].iter().sum::<u64>();
    let all = encoder + steps.map(work).sum::<u64>();
    let once = pass(&Config::base(), WORDS).multiply_adds;
    let times = all as f64 / once as f64;
    section("One word at a time");
    value("times, with all rows of logits", times.fixed(1));
    let pairs = 2048 * 2048 * Config::base().heads;
    value("weights at 2048", format!("{:.1} million", pairs as f64 / 1e6));
}

/// The width of the paper's base model.
pub const D_MODEL: usize = 512;

fn table_1() {
    let kinds = [
        ("attention", LayerKind::Attention),
        ("recurrence", LayerKind::Recurrent),
        ("convolution, k = 3", LayerKind::Convolution(3)),
        ("dilated, k = 3", LayerKind::Dilated(3)),
        ("attention, r = 16", LayerKind::Restricted(16)),
    ];
    section("Table 1 with numbers");
    table(
        ["", "n = 30", "n = 512", "n = 2048", "rounds", "path"],
        kinds.map(|(name, kind)| {
            let costs = [30, 512, 2048]
                .map(|n| millions(kind.cost(n, D_MODEL) as u64));
            let long = [kind.rounds(2048), kind.path(2048)].map(grouped);
            (name, costs, long)
        }),
    );
    let dearer = |n: &usize| {
        let both = [LayerKind::Attention, LayerKind::Recurrent];
        let [own, other] = both.map(|kind| kind.cost(*n, D_MODEL));
        own >= other
    };
    section("Equal costs");
    value("as much work at n", (1..).find(dearer).expect("some length"));
}

/// The multiply-adds of one word in attention, in d², with all that the
/// table leaves out.
pub fn attention_in_full(n: usize) -> f64 {
    let bill = Bill::default();
    let width = (D_MODEL / 8, D_MODEL / 8);
    let heads: MultiHead<Shape> =
        MultiHead::new(8, D_MODEL, width, &mut bill.clone());
    let x = bill.shape(n, D_MODEL);
    let _ = heads.forward(&x, &x, &Mask::none(n, n));
    bill.cost().multiply_adds as f64 / (n * D_MODEL * D_MODEL) as f64
}

/// The same of a recurrent layer: for each gate, and for what is to be
/// remembered, a matrix for the word and one for the state, d² each.
pub fn recurrence_in_full(gates: usize) -> f64 {
    2.0 * (gates as f64 + 1.0)
}

fn in_full() {
    let lstm = recurrence_in_full(3);
    section("In full");
    let dearer = |n: &usize| attention_in_full(*n) >= lstm;
    let equal = (1..).find(dearer).expect("some length");
    value("as much as an LSTM at n", grouped(equal));
}
