//! A model with 8 bits for each weight: `cargo run --example quantization`

#[path = "shared/counted.rs"]
mod counted;
#[path = "quantization/measured.rs"]
pub mod measured;

use all_you_need::costs::Bill;
use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::quantization::QuantizedMatrix;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use measured::{a_test, fewer_bits, which_lose_most};
use nalgebra::dmatrix;
use print::{Fixed, grouped, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    one_row();
    how_large();
    one_large_row();
    which_lose_most();
    let translator = Translator::captions();
    fewer_bits();
    a_test();
    files();
    captions(&translator);
    cut_off();
    small_steps();
}

/// The row of the page.
pub fn row() -> Matrix<f32> {
    dmatrix![0.62, -1.27, 0.304, 0.019]
}

/// A number with a true minus.
pub fn signed(number: impl Into<f64>, decimals: usize) -> String {
    grouped(format!("{:.decimals$}", number.into()))
}

/// The length of all errors, divided by the length of all numbers, in per
/// cent.
fn relative_error(rounded: &Matrix<f32>, matrix: &Matrix<f32>) -> f64 {
    100.0 * f64::from((rounded - matrix).norm() / matrix.norm())
}

fn one_row() {
    let row = row();
    let quantized = QuantizedMatrix::new(&row);
    let scale = quantized.scales[0];
    section("One row");
    let line = |(&x, &level): (&f32, &i8)| {
        let restored = f32::from(level) * scale;
        let cells = [(x, 3), (x / scale, 1), (f32::from(level), 0)];
        let [x_text, divided, level] = cells.map(|(x, n)| signed(x, n));
        let error = signed(restored - x, 3);
        [x_text, divided, level, signed(restored, 3), error]
    };
    let names = ["number", "÷ scale", "level", "level × scale", "error"];
    table(names, row.iter().zip(&quantized.levels).map(line));
    section("Of this row");
    value("scale", scale.fixed(2));
    value("half a scale", (scale / 2.0).fixed(3));
    let restored = quantized.restored();
    value("length of the errors", (&restored - &row).norm().fixed(5));
    value("length of the numbers", row.norm().fixed(3));
    let error = relative_error(&restored, &row);
    value("relative error", format!("{error:.3} %"));
}

/// How many numbers there are, and how many bytes they take.
fn how_large() {
    let model = Transformer::new(&Config::tiny(), &mut Bill::default());
    let all = parameter_count(&model);
    let leaves = model.leaves().into_iter().map(|(_, leaf)| leaf.shape());
    let (rows, matrices): (Vec<_>, Vec<_>) =
        leaves.partition(|&(rows, _)| rows == 1);
    let single: usize = rows.iter().map(|(_, columns)| columns).sum();
    let scales: usize = matrices.iter().map(|(rows, _)| rows).sum();
    section("How large");
    value("parameters", grouped(all));
    value("bytes as f32", grouped(4 * all));
    value("in biases and gains", grouped(single));
    value("scales", grouped(scales));
    let bytes = all - single + 4 * (single + scales);
    value("bytes with levels", grouped(bytes));
}

fn noise(rows: usize, cols: usize) -> Matrix<f32> {
    ChaCha8Rng::seed_from_u64(1).uniform(rows, cols, 1.0)
}

/// What a matrix becomes if all its rows share a scale.
fn with_one_scale(matrix: &Matrix<f32>) -> Matrix<f32> {
    let (rows, columns) = matrix.shape();
    let flat = matrix
        .clone()
        .reshape_generic(nalgebra::Dyn(1), nalgebra::Dyn(rows * columns));
    let restored = QuantizedMatrix::new(&flat).restored();
    restored.reshape_generic(nalgebra::Dyn(rows), nalgebra::Dyn(columns))
}

/// A random matrix whose first row is larger than the others: the errors of
/// the others.
fn one_large_row() {
    section("One large row");
    let others = |m: &Matrix<f32>| m.rows(1, 63).into_owned();
    let row = |times: f32| {
        let mut matrix = noise(64, 128);
        matrix.row_mut(0).scale_mut(times);
        let shared = others(&with_one_scale(&matrix));
        let own = others(&QuantizedMatrix::new(&matrix).restored());
        let reached = (127.0 * shared.amax() / matrix.amax()).round();
        let [one, each] = [shared, own].map(|rounded| {
            format!("{:.1} %", relative_error(&rounded, &others(&matrix)))
        });
        (times, one, each, (2.0 * reached + 1.0))
    };
    let names =
        ["first row ×", "one scale", "scale per row", "levels in use"];
    table(names, [1.0, 3.0, 10.0, 30.0, 100.0, 300.0].map(row));
}

/// The files of the book's own model, in the order in which they are written.
const FILES: [(&str, &[u8]); 4] = [
    ("config.toml", include_bytes!("../models/captions/config.toml")),
    ("merges.txt", include_bytes!("../models/captions/merges.txt")),
    (
        "model.safetensors",
        include_bytes!("../models/captions/model.safetensors"),
    ),
    ("SHA256SUMS", include_bytes!("../models/captions/SHA256SUMS")),
];

fn files() {
    section("Four files");
    let row = |(name, bytes): (&'static str, usize)| (name, grouped(bytes));
    let sizes = FILES.map(|(name, bytes)| (name, bytes.len()));
    let all = sizes.iter().map(|(_, bytes)| bytes).sum();
    table(
        ["", "bytes"],
        sizes.into_iter().chain([("together", all)]).map(row),
    );
    section("Two tensors for a matrix");
    let text = String::from_utf8_lossy(FILES[2].1);
    for name in ["embedding.table", "embedding.table.scales"] {
        let at = text.find(&format!("\"{name}\"")).expect("a tensor");
        let end = text[at..].find('}').expect("an end");
        println!("{}", &text[at..=at + end]);
    }
}

/// Captions of our own.
const CAPTIONS: [&str; 4] = [
    "a dog runs through the snow .",
    "two children play with a red ball in the garden .",
    "an old man with a hat reads a newspaper .",
    "a black cat sleeps on a warm stove .",
];

fn captions(translator: &Translator) {
    section("Four captions");
    let beam = translator.beam(5, Translator::CAPTIONS_ALPHA, 1);
    let found = translator.translate(&CAPTIONS, &beam);
    for (english, german) in CAPTIONS.iter().zip(found.expect("scores")) {
        println!("{english}\n    {german}");
    }
}

/// Cut off instead of rounded, as `as i8` does it.
fn cut_off() {
    let matrix = noise(64, 128);
    let QuantizedMatrix { scales, .. } = QuantizedMatrix::new(&matrix);
    let cut = matrix.map_with_location(|i, _, x| {
        let level = (x / scales[i]) as i8;
        f32::from(level) * scales[i]
    });
    let rounded = QuantizedMatrix::new(&matrix).restored();
    section("Cut off");
    for (name, restored) in [("rounded", rounded), ("cut off", cut)] {
        let lost = relative_error(&restored, &matrix);
        let sizes = |m: &Matrix<f32>| m.iter().map(|x| x.abs()).sum::<f32>();
        let smaller = 100.0 * (1.0 - sizes(&restored) / sizes(&matrix));
        value(format!("{name}, error"), format!("{lost:.1} %"));
        let smaller = signed(smaller, 1);
        value(format!("{name}, smaller by"), format!("{smaller} %"));
    }
}

/// Many small steps of a number, with and without rounding after each.
fn small_steps() {
    let (steps, step) = (100, 0.004);
    let (mut free, mut rounded) = (row(), row());
    for _ in 0..steps {
        free[0] += step;
        rounded[0] += step;
        rounded = QuantizedMatrix::new(&rounded).restored();
    }
    section("Small steps");
    value("one step", step);
    value("steps", steps);
    value("as f32", free[0].fixed(2));
    value("rounded after each step", rounded[0].fixed(2));
}
