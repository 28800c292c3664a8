//! Feed-forward networks, sums and norms: `cargo run --example layers`

use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::{Config, EncoderLayer};
use all_you_need::layers::Rowwise;
use all_you_need::parameters::parameter_count;
use all_you_need::plain::{self, add_norm, feed_forward};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::translation::Translator;
use nalgebra::dmatrix;
use print::{grouped, section, table, value};
use stack::{
    D_MODEL, LAYERS, Order, how_far_apart, layers, medians, sentence,
};

#[path = "layers/stack.rs"]
pub mod stack;

fn main() {
    sweet_against_wooden();
    parameters();
    trained_units();
    words_apart();
    gradients();
    by_rows_and_by_columns();
    oracle();
    slips();
}

/// As few digits as will do; `~0` for what is left of rounding.
pub fn short(number: f64) -> String {
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
    let line = |(word, x): (&str, [f64; 2])| {
        let x = Matrix::from_row_slice(1, 2, &x);
        let hidden = &x * w1;
        let cut = hidden.map(|x| x.max(0.0));
        let result = feed_forward(&apart(), &x)[0];
        let [x, hidden, cut] = [x, hidden, cut].map(|row| list(&row));
        [word.into(), x, hidden, cut, result.to_string()]
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
    value("of a norm", grouped(parameter_count(&layer.attention_norm)));
    let share = 100.0 * network as f64 / parameter_count(&layer) as f64;
    value("share of feed-forward", format!("{share:.0} %"));
}

/// Captions that the translator of the book has not seen.
const CAPTIONS: &str = include_str!("../../src/logs/translation-own.en");

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
        [words.join(" "), layer, unit, found.len().to_string()]
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

/// A line of a table: the name of an order, and a number for each of five
/// depths.
fn line(name: &str, numbers: [f64; 5]) -> [String; 6] {
    let [a, b, c, d, e] = numbers.map(short);
    [name.into(), a, b, c, d, e]
}

/// What becomes of the rows in many layers.
fn words_apart() {
    section("Six words");
    value("width", D_MODEL);
    section("How far the words are apart");
    let lines = Order::ALL.map(|(name, order)| {
        let apart = |seed| {
            let rows = order.through(sentence(), &layers(seed));
            [0, 1, 3, 6, LAYERS].map(|l| how_far_apart(&rows[l]))
        };
        line(name, medians(apart))
    });
    table(["after layers", "0", "1", "3", "6", "24"], lines);
}

/// How far a result moves with the weights of a low layer and of a high one.
fn gradients() {
    section("Gradients");
    let lines = [0, 1, 3].map(|i| {
        let (name, order) = Order::ALL[i];
        line(name, medians(|seed| stack::gradients_of(order, &layers(seed))))
    });
    table(["layer", "1", "6", "12", "18", "24"], lines);
}

/// A row of four numbers alone and beside another, normed in two directions.
fn by_rows_and_by_columns() {
    let norm = |x: &Matrix| {
        let one = Matrix::from_element(1, x.ncols(), 1.0);
        add_norm(&[one.clone(), one * 0.0], x, &(x * 0.0))
    };
    let down = |x: &Matrix| norm(&x.transpose()).transpose();
    let batches = [
        ("alone", dmatrix![3.0, 9.0, 11.0, 17.0]),
        (
            "with (1, 2, 3, 4)",
            dmatrix![3.0, 9.0, 11.0, 17.0; 1.0, 2.0, 3.0, 4.0],
        ),
        (
            "with (9, 9, 9, 9)",
            dmatrix![3.0, 9.0, 11.0, 17.0; 9.0, 9.0, 9.0, 9.0],
        ),
    ];
    section("By rows and by columns");
    let line = |(name, x): (&str, Matrix)| {
        let [row, column] = [norm(&x), down(&x)].map(|m| list(&m.rows(0, 1)));
        [name.into(), row, column]
    };
    table(["(3, 9, 11, 17)", "layer norm", "batch norm"], batches.map(line));
}

/// A norm with gains of 1 and biases of 0 gives these numbers, and not others.
fn oracle() {
    let x = dmatrix![3.0, 9.0, 11.0, 17.0; 5.000001, 5.0, 5.0, 5.0];
    let norm = [Matrix::from_element(1, 4, 1.0), Matrix::zeros(1, 4)];
    let nothing_made = Matrix::zeros(2, 4);
    let found = add_norm(&norm, &x, &nothing_made);
    assert!((found[(0, 0)] - -1.4).abs() < 1e-4);
    assert!((found[(1, 0)] - 0.0002).abs() < 1e-4);
}

/// The two numbers of the oracle by norms that are slightly wrong.
fn slips() {
    type Norm = fn(mean: f64, squares: f64, x: f64) -> f64;
    let norms: [(&str, Norm); 4] = [
        ("√(σ² + ε)", |mean, squares, x| {
            (x - mean) / (squares / 4.0 + 1e-5).sqrt()
        }),
        ("a sample's σ, n − 1", |mean, squares, x| {
            (x - mean) / (squares / 3.0 + 1e-5).sqrt()
        }),
        ("σ + ε", |mean, squares, x| {
            (x - mean) / ((squares / 4.0).sqrt() + 1e-5)
        }),
        ("σ without ε", |mean, squares, x| {
            (x - mean) / (squares / 4.0).sqrt()
        }),
    ];
    let rows = [[3.0, 9.0, 11.0, 17.0], [5.000001, 5.0, 5.0, 5.0]];
    section("Four divisors");
    let line = |(name, norm): (&str, Norm)| {
        let [one, two] = rows.map(|row| {
            let mean = row.iter().sum::<f64>() / 4.0;
            let squares = row.map(|x| (x - mean).powi(2)).iter().sum();
            norm(mean, squares, row[0])
        });
        [name.into(), format!("{one:.2}"), format!("{two:.4}")]
    };
    table(["", "(3, 9, 11, 17)", "(5.000001, 5, 5, 5)"], norms.map(line));
}
