//! Two published models, of random numbers: `cargo run --example published`

use all_you_need::plain::Matrix;
use all_you_need::plain::names::{self, Tensors};
use all_you_need::plain::published::{Gpt2, Llama, gelu, gpt2, llama};
use all_you_need::plain::published::{rms_norm, silu, turn};
use all_you_need::published::Published;
use all_you_need::tokens::Token;
use oracle::{TEXT, last_four, sine_gpt2, sine_llama};
use print::log::{self, number};
use print::{Fixed, folded, grouped, mean, section, table, value};
use std::env;
use std::path::{Path, PathBuf};

#[path = "published/oracle.rs"]
mod oracle;
#[path = "published/slips.rs"]
mod slips;
#[path = "published/smollm2.rs"]
mod smollm2;

/// With the folder of SmolLM2 and a beginning, only [`smollm2::write`].
fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [folder, beginning] = &arguments[..] {
        return smollm2::write(Path::new(folder), beginning);
    }
    oracle::check();
    oracle::check_llama();
    cut();
    beside_transformers();
    small();
    turned();
    slips();
    kept();
    sizes();
    memory();
    section("SmolLM2 goes on");
    println!("{}", folded(log::file("published-smollm2.txt")));
    section("SmolLM2 with slips");
    println!("{}", log::file("published-slips.txt").trim_end());
}

/// Small models that the library `transformers` has saved, and what it has
/// computed with them.
fn fixture(name: &str) -> PathBuf {
    let code = Path::new(env!("CARGO_MANIFEST_DIR"));
    code.join("../tests/reference/published").join(name)
}

fn open(name: &str) -> Published {
    Published::open(&fixture(name)).expect("a folder that fits")
}

/// The longest text of a folder, and the logits of `transformers`.
fn expected(folder: &Path) -> (Vec<Token>, Matrix) {
    let file = Tensors::open(&folder.join("expected.safetensors"));
    let find = |name| file.find(name).expect("what was computed");
    let tokens = find("tokens.2").map(|token| token as Token);
    (tokens.as_slice().to_vec(), find("logits.2"))
}

fn words(tokens: &[Token]) -> Vec<usize> {
    tokens.iter().map(|&token| token as usize).collect()
}

fn plain_gpt2() -> Gpt2 {
    let file = fixture("gpt2").join("model.safetensors");
    names::gpt2(4, 2, &Tensors::open(&file))
}

fn plain_llama() -> Llama {
    let file = fixture("llama").join("model.safetensors");
    names::llama((8, 500.0), 2, &Tensors::open(&file))
}

/// What two patterns cut, with a dot for every space.
fn cut() {
    section("Pieces of a sentence");
    let text = "We don't count 1024  words.";
    for name in ["gpt2", "llama"] {
        let pieces = open(name).tokenizer.pieces(text).join("│");
        println!("{name:6} {}", pieces.replace(' ', "·"));
    }
}

/// Reads a text in one pass and in parts of every size. `read` returns the
/// scores after each token of all parts.
pub fn check(text: &[Token], read: impl Fn(&[&[Token]]) -> Matrix) {
    let once = read(&[text]);
    for size in 1..text.len() {
        let parts: Vec<&[Token]> = text.chunks(size).collect();
        assert!((read(&parts) - &once).amax() < 1e-4, "in parts of {size}");
    }
}

fn beside_transformers() {
    section("Beside transformers");
    let line = |name| {
        let (text, logits) = expected(&fixture(name));
        let model = open(name).model;
        let read = |parts: &[&[Token]]| {
            let mut reading = model.read();
            let rows = parts.iter().flat_map(|part| {
                let scores = model.scores(&reading.feed(part));
                let rows = scores.row_iter().map(|row| row.into_owned());
                rows.collect::<Vec<_>>()
            });
            let rows: Vec<_> = rows.map(|row| row.map(f64::from)).collect();
            Matrix::from_rows(&rows)
        };
        check(&text, read);
        let plain = match name {
            "gpt2" => gpt2(&plain_gpt2(), &words(&text)),
            _ => llama(&plain_llama(), &words(&text)),
        };
        let single: Vec<_> = text.chunks(1).collect();
        let ways = [plain, read(&[&text]), read(&single)];
        let apart = ways.map(|way| format!("{:.0e}", (way - &logits).amax()));
        (name, logits.amax().fixed(1), apart)
    };
    let names = ["", "largest logit", "plain", "one pass", "cached"];
    table(names, ["gpt2", "llama"].map(line));
}

/// A query and a key of two columns, both (1, 0), at these places: what has
/// become of them, and their score.
fn turned() {
    section("Turned");
    let at = |place: usize| {
        let rows = Matrix::from_fn(place + 1, 2, |_, j| 1.0 - j as f64);
        turn(2, 10000.0, &rows).row(place).into_owned()
    };
    let pair = |row: &Matrix| {
        let [x, y] = [row[0], row[1]].fixed(3);
        format!("({x}, {y})")
    };
    let line = |[i, j]: [usize; 2]| {
        let [q, k] = [i, j].map(at).map(|row| Matrix::from_rows(&[row]));
        let cells = [i.to_string(), pair(&q), j.to_string(), pair(&k)];
        (cells, q.dot(&k).fixed(3))
    };
    let names = ["query at", "", "key at", ""];
    let all = [[5, 3], [105, 103], [5, 4], [105, 104]];
    table((names, "score"), all.map(line));
}

/// RMSNorm of (3, 4), and three activations.
fn small() {
    section("RMSNorm of (3, 4)");
    let row = Matrix::from_row_slice(1, 2, &[3.0, 4.0]);
    let normed = rms_norm(&Matrix::from_element(1, 2, 1.0), &row);
    let [x, y] = [normed[0], normed[1]].fixed(2);
    value("normed", format!("({x}, {y})"));
    section("Activations");
    let at = [-2.0, -1.0, 0.0, 1.0, 2.0];
    let relu = |x: f64| x.max(0.0);
    let rows = [
        ("ReLU", at.map(relu)),
        ("GELU", at.map(gelu)),
        ("SiLU", at.map(silu)),
    ];
    table(("x", at.fixed(0)), rows.map(|(name, y)| (name, y.fixed(2))));
}

/// How far a slip moves the logits: those of a model that `transformers` has
/// saved, in how many rows the best token is another one, and the four that
/// are printed of a model of sines.
fn slipped<M>(
    (name, slip): slips::Slip<M>,
    family: &'static str,
    models: [fn() -> M; 2],
    run: fn(&M, &[usize]) -> Matrix,
) -> (&'static str, &'static str, [String; 3]) {
    let (text, right) =
        expected(&fixture(&family.to_lowercase().replace('-', "")));
    let [saved, sines] = models.map(|make| {
        let mut model = make();
        slip(&mut model);
        model
    });
    let found = run(&saved, &words(&text));
    let best = |m: &Matrix, i| m.row(i).transpose().argmax().0;
    let rows = 0..right.nrows();
    let other = rows.filter(|&i| best(&found, i) != best(&right, i)).count();
    let four =
        last_four(&run(&sines, &TEXT)) - last_four(&run(&models[1](), &TEXT));
    let other = format!("{other} of {}", right.nrows());
    let [all, four] = [(found - right).amax(), four.amax()].fixed(2);
    (name, family, [all, other, four])
}

fn slips() {
    section("Slips");
    let gpt2s = slips::GPT2
        .map(|slip| slipped(slip, "GPT-2", [plain_gpt2, sine_gpt2], gpt2));
    let llamas = slips::LLAMA
        .map(|slip| slipped(slip, "Llama", [plain_llama, sine_llama], llama));
    let names = ["apart", "another best token", "in the sines"];
    table(("", "in", names), gpt2s.into_iter().chain(llamas));
}

/// Kilobytes of keys and values for each token, in f32: layers, groups, d_k.
fn kilobytes([layers, groups, d_k]: [usize; 3]) -> f64 {
    (2 * layers * groups * d_k * 4) as f64 / 1000.0
}

/// What the cache keeps for a token.
fn kept() {
    section("Kept for each token");
    let line = |(name, heads, sizes): (&'static str, usize, [usize; 3])| {
        let [layers, groups, columns] = sizes;
        let counts = [layers, heads, groups, columns];
        (name, counts.map(|n| n.to_string()), kilobytes(sizes).fixed(1))
    };
    let counted = ["layers", "heads", "groups", "columns"];
    let names = ("", counted, "kB a token");
    let rows = [
        ("GPT-2", 12, [12, 12, 64]),
        ("SmolLM2", 9, [30, 3, 64]),
        ("SmolLM2 without groups", 9, [30, 9, 64]),
    ];
    table(names, rows.map(line));
}

/// The smallest GPT-2.
fn sizes() {
    let (d, v, context, layers) = (768, 50257, 1024, 12);
    let layer = 12 * d * d + 13 * d; // matrices; biases and norms
    let all = (v + context) * d + layers * layer + 2 * d;
    section("GPT-2");
    value("parameters", grouped(all));
    value("in megabytes", (4e-6 * all as f64).fixed(0));
}

/// The memory of a run with the smallest GPT-2's sizes. Its time depends on
/// what else the machine does.
fn memory() {
    section("Memory");
    for (name, who) in [("ours", "ours"), ("that of PyTorch", "PyTorch")] {
        let rows = log::table(log::read("published-speed"))
            .filter(|row: &[_; 6]| row[0] == who);
        let most: Vec<f64> = rows.map(|row| number(row[3])).collect();
        value(name, grouped(mean(&most).fixed(0)));
    }
}
