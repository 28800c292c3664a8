//! Two published models, of random numbers: `cargo run --example published`

use all_you_need::plain::Matrix;
use all_you_need::plain::names::{self, tensors};
use all_you_need::plain::published::{Gpt2, Llama, gpt2, llama, turn};
use all_you_need::published::Published;
use all_you_need::tensor::Init;
use all_you_need::tokens::Token;
use print::log::{self, number};
use print::{Fixed, folded, grouped, mean, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::path::{Path, PathBuf};

#[path = "published/oracle.rs"]
mod oracle;

fn main() {
    oracle::check();
    oracle::check_llama();
    cut();
    beside_transformers();
    turned();
    slips();
    kept();
    sizes();
    memory();
    section("SmolLM2 goes on");
    println!("{}", folded(log::file("published-smollm2.txt")));
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
    let mut find = tensors(&folder.join("expected.safetensors"));
    let tokens = find("tokens.2").map(|token| token as Token);
    (tokens.as_slice().to_vec(), find("logits.2"))
}

fn plain_gpt2() -> Gpt2 {
    let mut find = tensors(&fixture("gpt2").join("model.safetensors"));
    names::gpt2(4, 2, &mut find)
}

fn plain_llama() -> Llama {
    let mut find = tensors(&fixture("llama").join("model.safetensors"));
    names::llama((8, 500.0), 2, &mut find)
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
        let words: Vec<usize> = text.iter().map(|&t| t as usize).collect();
        let plain = match name {
            "gpt2" => gpt2(&plain_gpt2(), &words),
            _ => llama(&plain_llama(), &words),
        };
        let single: Vec<_> = text.chunks(1).collect();
        let ways = [plain, read(&[&text]), read(&single)];
        let apart = ways.map(|way| format!("{:.0e}", (way - &logits).amax()));
        (name, logits.amax().fixed(1), apart)
    };
    let names = ["", "largest logit", "plain", "one pass", "cached"];
    table(names, ["gpt2", "llama"].map(line));
}

/// The score of a query and a key at these places.
fn turned_score(places: [usize; 2]) -> f64 {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let [q, k]: [Matrix; 2] = [(); 2].map(|()| rng.uniform(1, 8, 1.0));
    let at = |row: &Matrix, place: usize| {
        let rows = Matrix::from_fn(place + 1, 8, |_, j| row[j]);
        turn(8, 10000.0, &rows).row(place).into_owned()
    };
    at(&q, places[0]).dot(&at(&k, places[1]))
}

fn turned() {
    section("Turned");
    let all = [[5, 3], [105, 103], [5, 4], [105, 104], [9, 3], [109, 103]];
    let line = |places: [usize; 2]| (places, turned_score(places).fixed(4));
    table(["query at", "key at", "score"], all.map(line));
}

/// A model that differs from the right one by a slip.
type Slip<M> = (&'static str, fn(&mut M));

const GPT2: [Slip<Gpt2>; 3] = [
    ("places counted from 1", |Gpt2([_, places], ..)| {
        *places = places.clone().remove_row(0);
    }),
    ("W^O transposed", |Gpt2(_, _, layers, _)| {
        layers.iter_mut().for_each(|layer| layer.2[0].transpose_mut());
    }),
    ("last norm without γ", |Gpt2(.., last)| last[0].fill(1.0)),
];

const LLAMA: [Slip<Llama>; 3] = [
    ("neighbours turned together", |Llama(_, (d_k, _), layers, _)| {
        let (d, half) = (*d_k, *d_k / 2);
        for (_, heads, ..) in layers {
            for w in &mut heads[..2] {
                let from =
                    |j: usize| j / d * d + j % d % half * 2 + j % d / half;
                let order: Vec<usize> = (0..w.ncols()).map(from).collect();
                *w = w.select_columns(&order);
            }
        }
    }),
    ("θ left at 10000", |Llama(_, (_, theta), ..)| *theta = 10000.0),
    ("keys and values shared in turns", |Llama(_, (d_k, _), layers, _)| {
        for (_, [w_q, w_k, _, w_o], ..) in layers {
            let (h, g) = (w_q.ncols() / *d_k, w_k.ncols() / *d_k);
            let from = |i: usize| i % (h / g) * g + i / (h / g);
            let column = |j: usize| from(j / *d_k) * *d_k + j % *d_k;
            let order: Vec<usize> = (0..w_q.ncols()).map(column).collect();
            *w_q = w_q.select_columns(&order);
            *w_o = w_o.select_rows(&order);
        }
    }),
];

/// How far the logits are off, and in how many rows the best token is.
fn off(found: &Matrix, right: &Matrix) -> (String, String) {
    let best = |m: &Matrix, i| m.row(i).transpose().argmax().0;
    let rows = 0..right.nrows();
    let other = rows.filter(|&i| best(found, i) != best(right, i)).count();
    let other = format!("{other} of {}", right.nrows());
    ((found - right).amax().fixed(2), other)
}

fn slips() {
    section("Slips");
    let [one, two] = ["gpt2", "llama"].map(|name| expected(&fixture(name)));
    let text = |tokens: &[Token]| -> Vec<usize> {
        tokens.iter().map(|&token| token as usize).collect()
    };
    let gpt2s = GPT2.map(|(name, slip)| {
        let mut model = plain_gpt2();
        slip(&mut model);
        (name, "GPT-2", off(&gpt2(&model, &text(&one.0)), &one.1))
    });
    let llamas = LLAMA.map(|(name, slip)| {
        let mut model = plain_llama();
        slip(&mut model);
        (name, "Llama", off(&llama(&model, &text(&two.0)), &two.1))
    });
    let lines = gpt2s.into_iter().chain(llamas);
    table(["", "in", "apart", "another best token"], lines);
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
        ("Llama 3.2, 1 billion", 32, [16, 8, 64]),
        ("the same without groups", 32, [16, 32, 64]),
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
