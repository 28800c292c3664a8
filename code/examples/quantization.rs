//! A model with 8 bits for each weight: `cargo run --example quantization`

use all_you_need::costs::Bill;
use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::quantization::QuantizedMatrix;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::transformer::Transformer;
use all_you_need::translation::Translator;
use nalgebra::dmatrix;
use plot::{Bars, Chart, Diagram, Hue, Side};
use print::grouped;
use print::log::{number, table};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    how_large();
    one_row();
    seven_levels();
    one_large_row();
    cut_off();
    small_steps();
    files();
    let translator = Translator::captions();
    levels_of_the_table(&translator);
    which_lose_most();
    fewer_bits();
    captions(&translator);
}

/// How many numbers there are, and how many bytes they take.
fn how_large() {
    let model = Transformer::new(&Config::tiny(), &mut Bill::default());
    let all = parameter_count(&model);
    let leaves = model.leaves().into_iter().map(|(_, leaf)| leaf.shape());
    let (rows, in_rows): (Vec<_>, Vec<_>) =
        leaves.partition(|&(rows, _)| rows == 1);
    let single: usize = rows.iter().map(|(_, columns)| columns).sum();
    let scales: usize = in_rows.iter().map(|(rows, _)| rows).sum();
    println!("== How large");
    println!("parameters = {}", grouped(all));
    println!("bytes as f32 = {}", grouped(4 * all));
    println!("in biases and gains = {}", grouped(single));
    println!("scales = {}", grouped(scales));
    let bytes = all - single + 4 * (single + scales);
    println!("bytes with levels = {}", grouped(bytes));
}

/// The row of the page.
fn row() -> Matrix<f32> {
    dmatrix![0.62, -1.27, 0.304, 0.019]
}

/// A number with a true minus.
fn signed(number: impl Into<f64>, decimals: usize) -> String {
    grouped(format!("{:.decimals$}", number.into()))
}

fn one_row() {
    let row = row();
    let QuantizedMatrix { levels, scales } = QuantizedMatrix::new(&row);
    println!("\n== One row");
    println!("number   ÷ scale   level   level × scale    error");
    for (&x, &level) in row.iter().zip(&levels) {
        let (divided, restored) =
            (x / scales[0], f32::from(level) * scales[0]);
        println!(
            "{:>6} {:>9} {:>7} {:>15} {:>8}",
            signed(x, 3),
            signed(divided, 1),
            signed(level, 0),
            signed(restored, 3),
            signed(restored - x, 3)
        );
    }
    println!("\nscale = {:.2}", scales[0]);
    println!("half a scale = {:.3}", scales[0] / 2.0);
    let restored = QuantizedMatrix::new(&row).restored();
    println!("length of the errors = {:.5}", (&restored - &row).norm());
    println!("length of the numbers = {:.3}", row.norm());
    let error = 100.0 * relative_error(&restored, &row);
    println!("relative error = {error:.3} %");
}

/// The same row with levels from −3 to 3, so that they can be drawn.
fn seven_levels() {
    let (row, highest) = (row(), 3.0);
    let scale = row.amax() / highest;
    let levels = row.map(|x| (x / scale).round());
    let moves: Vec<_> = row
        .iter()
        .zip(&levels)
        .map(|(&x, &level)| {
            format!("{} to {}", signed(x, 3), signed(level * scale, 2))
        })
        .collect();
    let text = format!(
        "Ticks at {} levels on a line. An arrow leads from each number down \
         to the nearest of them: {}.",
        2.0 * highest + 1.0,
        moves.join(", ")
    );
    let mut figure =
        Diagram::new("Each number moves to a level", &text, 26.0, 6.6)
            .across(19.0);
    let place = |x: f32, y: f64| (13.0 + 8.6 * f64::from(x), y);
    let ends = highest * scale * 1.1;
    figure.line(&[place(-ends, 4.4), place(ends, 4.4)], Hue::Ink);
    for level in -(highest as i32)..=highest as i32 {
        let x = level as f32 * scale;
        figure.line(&[place(x, 4.2), place(x, 4.7)], Hue::Ink);
        figure.note(place(x, 5.2), Side::On, &signed(level, 0));
        figure.note(place(x, 6.0), Side::On, &signed(x, 2));
    }
    for (&x, &level) in row.iter().zip(&levels) {
        figure.note(place(x, 1.0), Side::On, &signed(x, 3));
        figure.arrow(&[place(x, 1.5), place(level * scale, 4.0)], Hue::Ink);
    }
    plot::save("quantization-levels", &figure.draw());
}

fn noise(rows: usize, cols: usize) -> Matrix<f32> {
    ChaCha8Rng::seed_from_u64(1).uniform(rows, cols, 1.0)
}

/// What a matrix becomes if all its rows share a scale.
fn with_one_scale(matrix: &Matrix<f32>) -> Matrix<f32> {
    let (rows, columns) = matrix.shape();
    let flat =
        Matrix::from_column_slice(1, rows * columns, matrix.as_slice());
    let restored = QuantizedMatrix::new(&flat).restored();
    Matrix::from_column_slice(rows, columns, restored.as_slice())
}

/// The length of all errors, divided by the length of all numbers.
fn relative_error(rounded: &Matrix<f32>, matrix: &Matrix<f32>) -> f64 {
    f64::from((rounded - matrix).norm() / matrix.norm())
}

/// A random matrix whose first row is larger than the others: the errors of
/// the others.
fn one_large_row() {
    println!("\n== One large row");
    println!("first row ×   one scale   scale per row   levels in use");
    let (mut one, mut each) = (Vec::new(), Vec::new());
    for times in [1.0, 3.0, 10.0, 30.0, 100.0, 300.0] {
        let mut matrix = noise(64, 128);
        matrix.row_mut(0).scale_mut(times);
        let others = |m: &Matrix<f32>| m.rows(1, 63).into_owned();
        let original = others(&matrix);
        let shared = others(&with_one_scale(&matrix));
        let own = others(&QuantizedMatrix::new(&matrix).restored());
        let in_use = 2.0 * (127.0 * shared.amax() / matrix.amax()).round();
        let a = relative_error(&shared, &original);
        let b = relative_error(&own, &original);
        println!(
            "{times:11} {:>9.1} % {:>13.1} % {:>15}",
            100.0 * a,
            100.0 * b,
            in_use + 1.0
        );
        one.push((f64::from(times), 100.0 * a));
        each.push((f64::from(times), 100.0 * b));
    }
    let last = one[one.len() - 1];
    let text = format!(
        "With a scale per row the line is flat. With one scale it rises in \
         proportion, up to {:.0} per cent where the first row is {} times as \
         large.",
        last.1, last.0
    );
    let chart = Chart::new("What one large row costs the others", &text);
    let chart = chart.x("times as large").y("relative error in per cent");
    let chart = chart.log_x().log_y();
    let chart = chart.line("one scale", one).line("scale per row", each);
    plot::save("quantization-large", &chart.draw());
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
    println!("\n== Cut off");
    for (name, restored) in [("rounded", rounded), ("cut off", cut)] {
        let lost = 100.0 * relative_error(&restored, &matrix);
        let sizes = |m: &Matrix<f32>| m.iter().map(|x| x.abs()).sum::<f32>();
        let smaller = 100.0 * (1.0 - sizes(&restored) / sizes(&matrix));
        println!("{name}, error = {lost:.1} %");
        println!("{name}, smaller by = {} %", signed(smaller, 1));
    }
}

const CONFIG: &str = include_str!("../models/captions/config.toml");

/// The files of the book's own model, in the order in which they are written.
const FILES: [(&str, &[u8]); 4] = [
    ("config.toml", CONFIG.as_bytes()),
    ("merges.txt", include_bytes!("../models/captions/merges.txt")),
    (
        "model.safetensors",
        include_bytes!("../models/captions/model.safetensors"),
    ),
    ("SHA256SUMS", include_bytes!("../models/captions/SHA256SUMS")),
];

fn files() {
    println!("\n== Four files");
    for (name, bytes) in FILES {
        println!("{name:18} {:>9} bytes", grouped(bytes.len()));
    }
    let all: usize = FILES.iter().map(|(_, bytes)| bytes.len()).sum();
    println!("{:18} {:>9} bytes", "together", grouped(all));
    println!("\n== config.toml\n{}", CONFIG.trim_end());
    println!("\n== Two tensors for a matrix");
    let text = String::from_utf8_lossy(FILES[2].1);
    for name in ["embedding.table", "embedding.table.scales"] {
        let at = text.find(&format!("\"{name}\"")).expect("a tensor");
        let end = text[at..].find('}').expect("an end");
        println!("{}", &text[at..=at + end]);
    }
}

/// The level in the middle between 0 and the highest.
const HALFWAY: usize = 64;

/// So many levels have a bar together.
const GROUP: usize = 17;

/// How often each level is used in the table of the embeddings.
fn levels_of_the_table(translator: &Translator) {
    let table = &translator.model.embedding.table;
    let levels = QuantizedMatrix::new(table).levels;
    let mut counts = [0; 255];
    for &level in &levels {
        counts[(i32::from(level) + 127) as usize] += 1;
    }
    let share = |count: usize| 100.0 * count as f64 / levels.len() as f64;
    let mut near = (0, 0);
    while 2 * near.1 < levels.len() {
        let more = if near.0 == 0 {
            counts[127]
        } else {
            counts[127 - near.0] + counts[127 + near.0]
        };
        near = (near.0 + 1, near.1 + more);
    }
    let half = near.0 - 1;
    println!("\n== Levels of the table");
    println!("half are up to = {half}");
    let outer = HALFWAY + 1..=127;
    let beyond = outer.map(|level| counts[127 - level] + counts[127 + level]);
    println!("halfway = {HALFWAY}");
    println!("beyond = {:.0} %", share(beyond.sum()));
    let groups: Vec<_> = (-127..=127)
        .step_by(GROUP)
        .zip(counts.chunks(GROUP))
        .map(|(first, counts)| {
            let last = first + GROUP as i32 - 1;
            let name = format!("{} to {}", signed(first, 0), signed(last, 0));
            (name, share(counts.iter().sum()))
        })
        .collect();
    let list = groups.iter().map(|(name, part)| format!("{name} {part:.1}"));
    let text = format!(
        "A bar for each group of {GROUP} levels, in per cent of the weights: \
         {}.",
        list.collect::<Vec<_>>().join("; ")
    );
    let mut bars = Bars::new("Levels of the embedding table", &text)
        .heading("level, and per cent of the weights")
        .decimals(1);
    for (name, part) in &groups {
        bars = bars.bar(name, *part);
    }
    plot::save("quantization-table", &bars.draw());
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
    println!("\n== Small steps");
    println!("one step = {step}");
    println!("steps = {steps}");
    println!("as f32 = {:.2}", free[0]);
    println!("rounded after each step = {:.2}", rounded[0]);
}

const TENSORS: &str = include_str!("../../src/logs/quantization-tensors.tsv");

/// The errors of a matrix of the trained model.
struct Errors {
    name: &'static str,
    /// How many times the largest number of its largest row is that of the
    /// row in the middle.
    largest_row: f64,
    per_row: f64,
    per_column: f64,
    per_matrix: f64,
}

fn errors(fields: [&'static str; 7]) -> Errors {
    let [name, _, _, largest, row, column, matrix] = fields;
    Errors {
        name,
        largest_row: number(largest),
        per_row: number(row),
        per_column: number(column),
        per_matrix: number(matrix),
    }
}

/// The matrices of the trained model, those with the largest errors first.
fn which_lose_most() {
    println!("\n== Which lose most");
    let mut all: Vec<Errors> = table(TENSORS).map(errors).collect();
    all.sort_by(|a, b| b.per_row.total_cmp(&a.per_row));
    println!("{:44} largest row  per row  per matrix", "");
    let line = |it: &Errors| {
        println!(
            "{:44} {:11.1} {:6.2} % {:9.2} %",
            it.name,
            it.largest_row,
            100.0 * it.per_row,
            100.0 * it.per_matrix
        );
    };
    all[..5].iter().for_each(line);
    println!("…");
    all[all.len() - 3..].iter().for_each(line);
    println!("\n== All of them");
    println!("matrices = {}", all.len());
    let most = |of: fn(&Errors) -> f64| {
        let errors = all.iter().map(|it| 100.0 * of(it));
        errors.fold(0.0, f64::max)
    };
    println!("worst per row = {:.1} %", most(|it| it.per_row));
    println!("worst per column = {:.1} %", most(|it| it.per_column));
    println!("worst per matrix = {:.1} %", most(|it| it.per_matrix));
    let even = all.iter().filter(|it| it.largest_row < 3.0);
    println!("below three times = {}", even.count());
    let table = all.iter().find(|it| it.name == "embedding.table");
    let table = table.expect("the table of the embeddings");
    println!("table per row = {:.1} %", 100.0 * table.per_row);
    println!("table per column = {:.1} %", 100.0 * table.per_column);
    let by =
        |a: &&Errors, b: &&Errors| a.largest_row.total_cmp(&b.largest_row);
    let largest = all.iter().max_by(by).expect("a matrix");
    println!("the largest row is in = {}", largest.name);
    println!("times as large = {:.1}", largest.largest_row);
}

const SCORES: &str = include_str!("../../src/logs/quantization-scores.tsv");

/// What was measured of a model that had been rounded.
struct Score {
    bits: u32,
    scales: &'static str,
    nats: f64,
    bleu: f64,
    unchanged: usize,
}

fn scores() -> Vec<Score> {
    let score =
        |[bits, scales, nats, bleu, unchanged]: [&'static str; 5]| Score {
            bits: number(bits),
            scales,
            nats: number(nats),
            bleu: number(bleu),
            unchanged: number(unchanged),
        };
    table(SCORES).map(score).collect()
}

fn fewer_bits() {
    let scores = scores();
    let of = |scales| scores.iter().filter(move |it| it.scales == scales);
    println!("\n== Fewer bits");
    println!("              scale per row            one scale per matrix");
    println!("bits levels    BLEU   loss unchanged    BLEU   loss unchanged");
    let plain = of("none").next().expect("a model that is not rounded");
    let Score { nats, bleu, unchanged: all, .. } = plain;
    println!("  32        {bleu:7.2} {nats:6.3} {all:9}");
    let cell = |Score { nats, bleu, unchanged, .. }: &Score| {
        format!(" {bleu:7.2} {nats:6.3} {unchanged:9}")
    };
    for row in of("row") {
        let matrix = of("matrix").find(|it| it.bits == row.bits);
        let matrix = matrix.map(cell).unwrap_or_default();
        let levels = 2_u32.pow(row.bits) - 1;
        println!("{:4} {levels:6}{}{matrix}", row.bits, cell(row));
    }
    let eight = of("row").find(|it| it.bits == 8).expect("8 bits");
    println!("\n== Eight bits");
    println!("captions = {all}");
    println!("BLEU before = {bleu:.2}");
    println!("BLEU after = {:.2}", eight.bleu);
    println!("changed translations = {}", all - eight.unchanged);
    let three = |scales| of(scales).find(|it| it.bits == 3).expect("3 bits");
    println!("BLEU of 3 bits, per row = {:.2}", three("row").bleu);
    println!("BLEU of 3 bits, per matrix = {:.2}", three("matrix").bleu);
    draw_bits(plain.bleu, |scales| {
        // From the left to the right.
        of(scales).rev().map(|it| (f64::from(it.bits), it.bleu)).collect()
    });
}

fn draw_bits(plain: f64, of: impl Fn(&'static str) -> Vec<(f64, f64)>) {
    let (row, matrix) = (of("row"), of("matrix"));
    let list = |points: &[(f64, f64)]| {
        let each = points.iter();
        let each = each.map(|(bits, bleu)| format!("{bits} bits {bleu:.1}"));
        each.collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "BLEU on the validation captions for fewer and fewer bits. With a \
         scale per row: {}. With one scale per matrix: {}. Not rounded: \
         {plain:.1}.",
        list(&row),
        list(&matrix)
    );
    let chart = Chart::new("BLEU with fewer bits", &text);
    let chart = chart.x("bits per weight").y("BLEU");
    let chart = chart.guide_y(plain, "not rounded");
    let chart = chart.line("scale per row", row);
    let chart = chart.line("one scale", matrix);
    plot::save("quantization-bits", &chart.draw());
}

/// Captions of our own.
const CAPTIONS: [&str; 4] = [
    "a dog runs through the snow .",
    "two children play with a red ball in the garden .",
    "an old man with a hat reads a newspaper .",
    "a black cat sleeps on a warm stove .",
];

fn captions(translator: &Translator) {
    println!("\n== Four captions");
    let beam = translator.beam(5, Translator::CAPTIONS_ALPHA, 1);
    let found = translator.translate(&CAPTIONS, &beam);
    for (english, german) in CAPTIONS.iter().zip(found.expect("scores")) {
        println!("{english}\n    {german}");
    }
}
