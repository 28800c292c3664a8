//! Feed-forward networks, sums and norms: `cargo run --example layers`

use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::{Config, EncoderLayer};
use all_you_need::layers::Rowwise;
use all_you_need::parameters::parameter_count;
use all_you_need::plain::{self, feed_forward};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use nalgebra::dmatrix;
use print::{Fixed, grouped, log, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use stack::{
    D_MODEL, LAYERS, Order, gradients_of, how_far_apart, layers, medians,
    sentence, size,
};
use std::sync::LazyLock;

#[path = "layers/oracle.rs"]
mod oracle;
#[path = "layers/stack.rs"]
pub mod stack;

fn main() {
    sweet_against_wooden();
    parameters();
    trained_units();
    twenty_four_layers();
    above_the_encoder();
    oracle::check();
    oracle::slips();
}

/// As few digits as will do; `~0` for what is left of rounding.
fn short(number: f64) -> String {
    match number.abs() {
        size if size > 0.0 && size < 1e-12 => "~0".into(),
        size if size > 0.0 && size < 0.005 => format!("{number:.0e}"),
        size if size >= 100.0 || size.fract() == 0.0 => {
            format!("{number:.0}")
        }
        _ => format!("{number:.2}"),
    }
}

/// A row of numbers in parentheses.
fn list<'a>(row: impl IntoIterator<Item = &'a f64>) -> String {
    let numbers = row.into_iter().map(|x| format!("{:.1}", x + 0.0));
    let numbers: Vec<_> = numbers.map(|x| x.replace(".0", "")).collect();
    format!("({})", numbers.join(", ").replace('-', "−"))
}

/// The network that tells how far sweet and wooden are apart.
pub fn apart() -> plain::FeedForward {
    let bend = dmatrix![1.0, -1.0; -1.0, 1.0];
    [bend, dmatrix![0.0, 0.0], dmatrix![1.0; 1.0], dmatrix![0.0]]
}

/// The two ends of a way, and the point halfway.
pub const HONEY: [f64; 2] = [3.0, -1.0];
pub const CHAIR: [f64; 2] = [-2.0, 2.0];

/// What the network makes of four words.
fn sweet_against_wooden() {
    let [w1, ..] = &apart();
    let line = |(word, x): (&'static str, [f64; 2])| {
        let x = Matrix::from_row_slice(1, 2, &x);
        let hidden = &x * w1;
        let cut = hidden.map(|x| x.max(0.0));
        let result = feed_forward(&apart(), &x)[0];
        let [x, hidden, cut] = [x, hidden, cut].map(|row| list(&row));
        (word, x, hidden, cut, result)
    };
    section("Sweet against wooden");
    let words = [("apple", [2.0, 1.0]), ("honey", HONEY), ("chair", CHAIR)];
    let halfway = ("halfway", [0.5, 0.5]);
    let lines = words.into_iter().chain([halfway]).map(line);
    table(["", "x", "x W₁", "ReLU", "result"], lines);
}

/// Where the parameters of one of the base model's layers are.
fn parameters() {
    let (base, bill) = (Config::base(), &mut Bill::default());
    let layer: EncoderLayer<Shape> = EncoderLayer::new(&base, bill);
    let network = parameter_count(&layer.feed_forward);
    section("Parameters");
    value("of attention", grouped(parameter_count(&layer.attention)));
    value("of feed-forward", grouped(network));
    let share = 100.0 * network as f64 / parameter_count(&layer) as f64;
    value("share of feed-forward", format!("{share:.0} %"));
}

/// Captions that the translator of the book has not seen.
static CAPTIONS: LazyLock<&str> =
    LazyLock::new(|| log::file("translation-own.en"));

/// Four hidden units of the trained encoder: layer and unit, from 0.
const UNITS: [(usize, usize); 4] = [(0, 66), (1, 62), (1, 208), (2, 58)];

/// The tokens that each hidden unit of the trained encoder lets through, and
/// how much of each, by layers.
fn open_units(translator: &Translator) -> Vec<Vec<Vec<(f32, Token)>>> {
    let layers = &translator.model.encoder.layers;
    let mut open =
        vec![vec![Vec::new(); translator.config.d_ff]; layers.len()];
    for caption in CAPTIONS.lines() {
        let source = translator.tokenizer.encode_source(caption);
        let all = Mask::none(source.len(), source.len());
        let mut x = translator.model.embed(&[&source]).rows;
        for (layer, open) in layers.iter().zip(&mut open) {
            let looked = layer.attention.forward(&x, &x, &all);
            let y = layer.attention_norm.add_norm(&x, &looked);
            let hidden = layer.feed_forward.inner.forward(&y).relu();
            for (unit, column) in open.iter_mut().zip(hidden.column_iter()) {
                let found = column.iter().copied().zip(source.clone());
                unit.extend(found.filter(|(x, _)| *x > 0.0));
            }
            x = layer.forward(&x, &all);
        }
    }
    open
}

/// To which words four hidden units respond, and how many respond rarely.
fn trained_units() {
    let translator = Translator::captions();
    let open = open_units(&translator);
    let line = |(layer, unit): (usize, usize)| {
        let mut found = open[layer][unit].clone();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut words: Vec<String> = Vec::new();
        for (_, token) in &found {
            let word = translator.tokenizer.name(*token);
            if !words.contains(&word) && words.len() < 6 {
                words.push(word);
            }
        }
        let [layer, unit] = [layer + 1, unit + 1].map(|i| i.to_string());
        (words.join(" "), layer, unit, found.len())
    };
    section("Hidden units of the translator");
    table(["open for", "layer", "unit", "times"], UNITS.map(line));
    let tokens = |caption| translator.tokenizer.encode_source(caption).len();
    let tokens: usize = CAPTIONS.lines().map(tokens).sum();
    let units: Vec<_> = open.iter().flatten().collect();
    let rare = units.iter().filter(|unit| 10 * unit.len() < tokens).count();
    section("All hidden units");
    value("captions", CAPTIONS.lines().count());
    value("tokens", tokens);
    value("units", grouped(units.len()));
    let share = 100.0 * rare as f64 / units.len() as f64;
    value("rarely open", format!("{share:.0} %"));
}

/// What becomes of the rows in many layers, and how far the result moves with
/// the weights of the lowest and of the highest.
fn twenty_four_layers() {
    section("Six words");
    value("width", D_MODEL);
    let at_first = how_far_apart(&sentence());
    value("apart at first", at_first.fixed(2));
    let all = Order::ALL.map(|(name, order)| {
        let [a, b, c, d, e] = medians(|seed| {
            let layers = layers(seed);
            let rows = order.through(sentence(), &layers);
            let [three, top] = [&rows[3], &rows[LAYERS]];
            let [low, high] = gradients_of(order, &layers);
            let apart = [three, top].map(how_far_apart);
            [apart[0], apart[1], size(top), low, high]
        })
        .map(short);
        (name, a, b, c, d, e)
    });
    section("Twenty-four layers");
    let [bare, sum, _, post, pre] = all.clone();
    let lines = [bare, sum, post, pre]
        .map(|(name, three, top, size, ..)| (name, three, top, size));
    table(["", "apart after 3", "after 24", "size after 24"], lines);
    section("Five orders");
    table(
        [
            "",
            "apart, 3",
            "apart, 24",
            "size, 24",
            "gradient, 1",
            "gradient, 24",
        ],
        all,
    );
}

/// How far the words of a caption are apart above the book's encoder, before
/// it was trained and after.
fn above_the_encoder() {
    let translator = Translator::captions();
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let untrained = Transformer::new(&translator.config, rng);
    section("Above the encoder");
    for (name, model) in
        [("untrained", &untrained), ("trained", &translator.model)]
    {
        let apart = CAPTIONS.lines().map(|caption| {
            let source = translator.tokenizer.encode_source(caption);
            how_far_apart(&model.encode(&[&source]).rows.map(f64::from))
        });
        let mean = apart.sum::<f64>() / CAPTIONS.lines().count() as f64;
        value(name, mean.fixed(2));
    }
}
