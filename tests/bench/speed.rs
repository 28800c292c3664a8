//! What each quick way saves, and how near memory is to the processor:
//! `cargo bench --bench speed`
//!
//! For a profiler, `cargo bench --bench speed -- update` makes updates and
//! nothing else, each in so many parts if a number follows.
//!
//! `cargo bench --bench speed -- cores` times updates of three sizes in one
//! part and in four, on one thread and on all.
//!
//! Every line has what was timed, the best of several tries, and its unit.
//! The sizes are those of the translation chapter's recipe: a batch is 368
//! sentences of 15 tokens, and each of its four parts 92 of them.

#[path = "common/arguments.rs"]
mod arguments;

use all_you_need::attention::{Mask, Softmax};
use all_you_need::encoder::Config;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::heads::{Heads, attend_by_head};
use all_you_need::layers::Rowwise;
use all_you_need::loss::{CrossEntropy, TiedCrossEntropy};
use all_you_need::parameters::{
    Parameters, Trainable, add_into, gradient_on,
};
use all_you_need::tensor::{Float, Init, Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::Transformer;
use arguments::arguments;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use std::fs::read_to_string;
use std::hint::black_box;
use std::time::Instant;

type V = Variable<f32>;

/// In one part of a batch.
const SENTENCES: usize = 92;
const LENGTH: usize = 15;
const ROWS: usize = SENTENCES * LENGTH;
const PARTS: usize = 4;

fn main() {
    match arguments()[..] {
        [] => every_way(),
        ["update"] => updates(PARTS),
        ["update", parts] => updates(parts.parse().expect("a number")),
        ["cores"] => cores(),
        _ => panic!("nothing, update, update PARTS or cores"),
    }
}

fn every_way() {
    println!("what\ttime\tunit");
    update();
    // In training each part has a thread for itself.
    pool(1).install(|| {
        attention();
        loss();
    });
    exponentials();
    sums();
    products();
    caches();
    memory();
}

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

fn noise(rows: usize, cols: usize) -> Matrix<f32> {
    rng().uniform(rows, cols, 1.0)
}

/// The best of so many times of each way, in seconds. They are tried in turn,
/// so that a moment of rest for the machine is one for all.
fn best_of<const N: usize>(
    tries: usize,
    mut way: impl FnMut(usize),
) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..tries {
        for (i, best) in best.iter_mut().enumerate() {
            let start = Instant::now();
            way(i);
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best
}

/// Prints the best time of each way, in milliseconds if `each` is 1, and else
/// in nanoseconds for each of so many.
fn compare<const N: usize>(
    what: &str,
    each: usize,
    tries: usize,
    mut ways: [(&str, &mut dyn FnMut()); N],
) {
    let best: [f64; N] = best_of(tries, |i| ways[i].1());
    for (best, (way, _)) in best.iter().zip(&ways) {
        match each {
            1 => println!("{what}, {way}\t{:.3}\tms", best * 1e3),
            _ => {
                println!("{what}, {way}\t{:.4}\tns", best * 1e9 / each as f64)
            }
        }
    }
}

/// A variable for which attention, or the loss, is computed by its formula,
/// and all the rest as in the crate.
#[derive(Clone)]
struct Formula<const ATTENTION: bool, const LOSS: bool>(V);

impl<const A: bool, const L: bool> Tensor for Formula<A, L> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }

    fn matmul(&self, other: &Self) -> Self {
        Self(self.0.matmul(&other.0))
    }

    fn transpose(&self) -> Self {
        Self(self.0.transpose())
    }

    fn matmul_t(&self, other: &Self) -> Self {
        Self(self.0.matmul_t(&other.0))
    }

    fn add(&self, other: &Self) -> Self {
        Self(self.0.add(&other.0))
    }

    fn scale(&self, factor: f64) -> Self {
        Self(self.0.scale(factor))
    }

    fn gather(&self, rows: &[usize]) -> Self {
        Self(self.0.gather(rows))
    }

    fn chunk(&self, chunks: usize) -> Vec<Self> {
        self.0.chunk(chunks).into_iter().map(Self).collect()
    }

    fn concat(parts: &[Self]) -> Self {
        let parts: Vec<V> = parts.iter().map(|part| part.0.clone()).collect();
        Self(V::concat(&parts))
    }

    fn constant(&self, values: &Matrix) -> Self {
        Self(self.0.constant(values))
    }
}

impl<const A: bool, const L: bool> Rowwise for Formula<A, L> {
    fn add_row(&self, row: &Self) -> Self {
        Self(self.0.add_row(&row.0))
    }

    fn mul_row(&self, row: &Self) -> Self {
        Self(self.0.mul_row(&row.0))
    }

    fn relu(&self) -> Self {
        Self(self.0.relu())
    }

    fn mul_cells(&self, other: &Self) -> Self {
        Self(self.0.mul_cells(&other.0))
    }

    fn map_cells(
        &self,
        f: impl Fn(f64) -> f64,
        derivative: impl Fn(f64) -> f64 + 'static,
    ) -> Self {
        Self(self.0.map_cells(f, derivative))
    }

    fn standardize(&self) -> Self {
        Self(self.0.standardize())
    }

    fn dropout(&self) -> Self {
        Self(self.0.dropout())
    }
}

impl<const A: bool, const L: bool> Softmax for Formula<A, L> {
    fn softmax(&self, mask: &Mask) -> Self {
        Self(self.0.softmax(mask))
    }
}

impl<const A: bool, const L: bool> Heads for Formula<A, L> {
    fn attend_heads(
        q: &Self,
        k: &Self,
        v: &Self,
        heads: usize,
        mask: &Mask,
    ) -> Self {
        let attend: fn(&V, &V, &V, usize, &Mask) -> V =
            if A { attend_by_head } else { V::attend_heads };
        Self(attend(&q.0, &k.0, &v.0, heads, mask))
    }
}

impl<const A: bool, const L: bool> CrossEntropy for Formula<A, L> {
    fn cross_entropy(&self, targets: &[Token], smoothing: f64) -> Self {
        Self(self.0.cross_entropy(targets, smoothing))
    }
}

impl<const A: bool, const L: bool> TiedCrossEntropy for Formula<A, L> {
    fn tied_cross_entropy(
        &self,
        table: &Self,
        targets: &[Token],
        smoothing: f64,
    ) -> Self {
        let (z, table) = (&self.0, &table.0);
        Self(match L {
            true => z.matmul_t(table).cross_entropy(targets, smoothing),
            false => z.tied_cross_entropy(table, targets, smoothing),
        })
    }
}

/// An update with formulas, in parts and on threads as an update is.
fn update_by<const A: bool, const L: bool>(
    training: &mut Training,
    batch: &[Example],
) {
    let model = training.model.share();
    let (dropout, smoothing) =
        (training.recipe.dropout, training.recipe.label_smoothing);
    let gradient = |part: &[Example]| -> Transformer<Matrix<f32>> {
        let tape = Tape::with_dropout(dropout, rng());
        let sources: Vec<_> = part.iter().map(|e| &e.source).collect();
        let targets: Vec<_> = part.iter().map(|e| &e.target).collect();
        let loss = |model: &Transformer<V>| {
            let model =
                model.map("", &mut |_, leaf| Formula::<A, L>(leaf.clone()));
            let loss = model.loss(&sources, &targets, smoothing);
            loss.0.scale(1.0 / PARTS as f64)
        };
        gradient_on::<f32, Transformer<Matrix<f32>>>(&tape, &model, loss).1
    };
    let gradients = batch.par_chunks(SENTENCES).map(gradient);
    let sum = gradients.reduce_with(|mut sum, gradient| {
        add_into(&mut sum, &gradient);
        sum
    });
    let sum = sum.expect("a batch has parts");
    training.adam.step(&mut training.model, &sum, 1e-4);
}

/// The batch of the chapter.
fn batch() -> Vec<Example> {
    let sentence = |i: usize, length: usize| -> Vec<Token> {
        let token = |j| (i * LENGTH + j) * 17 % 9000;
        (0..length).map(|j| token(j) as Token).collect()
    };
    // A target has a begin token, too, which is not predicted.
    let example = |i| Example {
        source: sentence(i, LENGTH),
        target: sentence(i + 1, LENGTH + 1),
    };
    (0..SENTENCES * PARTS).map(example).collect()
}

fn training(parts: usize) -> Training<f32> {
    Training::new(&Config::tiny(), Recipe { parts, ..Recipe::tiny() })
}

/// As many updates as a profiler needs.
fn updates(parts: usize) {
    let (mut training, batch) = (training(parts), batch());
    for _ in 0..20 {
        training.update(&batch).expect("it does not diverge");
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads")
}

/// Updates of three sizes, in one part and in four, on one thread and on all:
/// the chapter's batch, and 2,048 tokens for the paper's models, with the
/// vocabulary of ours.
fn cores() {
    println!("model\tparts\tthreads\tmilliseconds");
    let vocabulary = Config::tiny().vocabulary;
    let base = Config { vocabulary, ..Config::base() };
    let big = Config { vocabulary, ..Config::big() };
    let few = &batch()[..2048 / LENGTH];
    for (name, config, batch, tries) in [
        ("tiny", Config::tiny(), &batch()[..], 7),
        ("base", base, few, 3),
        ("big", big, few, 2),
    ] {
        for parts in [1, PARTS] {
            on_threads((name, &config, parts), batch, tries);
        }
    }
}

/// The best of so many updates on one thread and on all, in turn.
fn on_threads(
    (name, config, parts): (&str, &Config, usize),
    batch: &[Example],
    tries: usize,
) {
    let recipe = Recipe { parts, ..Recipe::tiny() };
    let mut training: Training<f32> = Training::new(config, recipe);
    let pools = [1, rayon::current_num_threads()].map(pool);
    let best: [f64; 2] = best_of(tries, |i| {
        pools[i].install(|| {
            training.update(batch).expect("it does not diverge");
        });
    });
    for (best, pool) in best.iter().zip(&pools) {
        let threads = pool.current_num_threads();
        println!("{name}\t{parts}\t{threads}\t{:.1}", best * 1e3);
    }
}

/// A whole update on all threads, as it is and with formulas.
fn update() {
    let batch = batch();
    let [mut one, mut two, mut three, mut four] =
        [(); 4].map(|()| training(PARTS));
    println!("threads\t{}\tthreads", rayon::current_num_threads());
    compare(
        "update",
        1,
        5,
        [
            ("as it is", &mut || {
                one.update(&batch).expect("it does not diverge");
            }),
            ("attention by its formula", &mut || {
                update_by::<true, false>(&mut two, &batch);
            }),
            ("loss by its formula", &mut || {
                update_by::<false, true>(&mut three, &batch);
            }),
            ("both by their formulas", &mut || {
                update_by::<true, true>(&mut four, &batch);
            }),
        ],
    );
}

/// There and back: the sum of the result is the loss.
fn there_and_back(tape: &Tape<f32>, result: &V) {
    let (rows, cols) = result.shape();
    let ones = |n, m| tape.variable(Matrix::from_element(n, m, 1.0));
    let sum = ones(1, rows).matmul(result).matmul(&ones(cols, 1));
    black_box(tape.gradients(&sum));
}

/// Self-attention over all sentences at once, and each on its own.
fn attention() {
    let inputs = [(); 3].map(|()| noise(ROWS, 128));
    let lengths = [LENGTH; SENTENCES];
    let mask = Mask::packed(&lengths, &lengths);
    let on = |attend: fn(&V, &V, &V, usize, &Mask) -> V| {
        let tape = Tape::default();
        let [q, k, v] = inputs.clone().map(|x| tape.variable(x));
        there_and_back(
            &tape,
            &attend(&q, &k, &v, Config::tiny().heads, &mask),
        );
    };
    compare(
        "attention",
        1,
        15,
        [
            ("by its formula", &mut || on(attend_by_head)),
            ("as it is", &mut || on(Heads::attend_heads)),
        ],
    );
}

/// The loss over all logits of a part, and in blocks of rows.
fn loss() {
    let (rows, table) =
        (noise(ROWS, 128), noise(Config::tiny().vocabulary, 128));
    let targets: Vec<Token> = (0..ROWS as Token).map(|row| row * 7).collect();
    let on = |loss: fn(&V, &V, &[Token]) -> V| {
        let tape = Tape::default();
        let [rows, table] = [&rows, &table].map(|x| tape.variable(x.clone()));
        there_and_back(&tape, &loss(&rows, &table, &targets));
    };
    let formula = |rows: &V, table: &V, targets: &[Token]| {
        rows.matmul_t(table).cross_entropy(targets, 0.1)
    };
    let quick = |rows: &V, table: &V, targets: &[Token]| {
        rows.tied_cross_entropy(table, targets, 0.1)
    };
    compare(
        "loss",
        1,
        15,
        [
            ("by its formula", &mut || on(formula)),
            ("as it is", &mut || on(quick)),
        ],
    );
}

/// One exponential, of a row of logits that is near.
fn exponentials() {
    const TIMES: usize = 100;
    let scores = noise(Config::tiny().vocabulary, 1);
    let (mut one, mut many) = (scores.clone(), scores.clone());
    compare(
        "exponential",
        TIMES * scores.len(),
        15,
        [
            ("of the standard library", &mut || {
                for _ in 0..TIMES {
                    one.copy_from(&scores);
                    one.apply(|x| *x = x.exp());
                    black_box(&one);
                }
            }),
            ("as it is", &mut || {
                for _ in 0..TIMES {
                    many.copy_from(&scores);
                    f32::exp_all(many.as_mut_slice());
                    black_box(&many);
                }
            }),
        ],
    );
}

/// The sum in so many strands, as in the crate.
fn strands<const N: usize>(numbers: &[f32]) -> f32 {
    let (blocks, rest) = numbers.as_chunks::<N>();
    let mut strands = [0f32; N];
    for block in blocks {
        for (strand, x) in strands.iter_mut().zip(block) {
            *strand += x;
        }
    }
    strands.iter().chain(rest).sum()
}

/// One addition in a sum of numbers that are near.
fn sums() {
    const TIMES: usize = 100;
    let numbers = vec![0.1f32; 4096];
    let repeat = |sum: fn(&[f32]) -> f32| {
        for _ in 0..TIMES {
            black_box(sum(black_box(&numbers[..])));
        }
    };
    let in_a_row =
        |numbers: &[f32]| numbers.iter().fold(0f32, |sum, x| sum + x);
    compare(
        "addition",
        TIMES * numbers.len(),
        15,
        [
            ("in a row", &mut || repeat(in_a_row)),
            ("in strands", &mut || repeat(strands::<16>)),
        ],
    );
}

/// X W; XᵀG, dot product by dot product and with X turned first; and X W with
/// X too small for all the digits of an `f32`, or zero.
fn products() {
    let (x, g, w) = (noise(ROWS, 128), noise(ROWS, 128), noise(128, 128));
    let (small, zero) = (&x * 1e-40, Matrix::<f32>::zeros(ROWS, 128));
    compare(
        "product",
        1,
        15,
        [
            ("X W", &mut || {
                black_box(&x * &w);
            }),
            ("tr_mul", &mut || {
                black_box(x.tr_mul(&g));
            }),
            ("turned first", &mut || {
                black_box(x.transpose() * &g);
            }),
            ("subnormal", &mut || {
                black_box(&small * &w);
            }),
            ("zeros", &mut || {
                black_box(&zero * &w);
            }),
        ],
    );
}

/// How large the caches of a core are, where Linux says it.
fn caches() {
    for index in 0..4 {
        let read = |what: &str| {
            let cache = "/sys/devices/system/cpu/cpu0/cache";
            let file = format!("{cache}/index{index}/{what}");
            read_to_string(file).unwrap_or_default().trim().to_owned()
        };
        let (level, size) = (read("level"), read("size"));
        if let Some(kilobytes) = size.strip_suffix('K')
            && read("type") != "Instruction"
        {
            println!("cache L{level}\t{kilobytes}\tKiB");
        }
    }
}

/// The numbers below n, each in a random place, so that a walk from a number
/// to the one in its place meets all of them (Sattolo, 1986).
fn walk(n: usize) -> Vec<u32> {
    let mut rng = rng();
    let mut next: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        next.swap(i, rng.random_range(0..i));
    }
    next
}

/// One number of a table of so many kilobytes: from a place that is not known
/// before, and in order.
fn memory() {
    const STEPS: usize = 1 << 21;
    for kilobytes in (4..=17).map(|power| 1 << power) {
        let n = kilobytes * 1024 / size_of::<f32>();
        let (next, numbers) = (walk(n), vec![0.1f32; n]);
        let mut at = 0;
        let random = &mut || {
            for _ in 0..STEPS {
                at = next[at as usize];
            }
            black_box(at);
        };
        compare(
            &format!("memory of {kilobytes} KiB"),
            STEPS,
            5,
            [("at random", random)],
        );
        let times = ((1 << 24) / n).max(1);
        let order = &mut || {
            for _ in 0..times {
                black_box(strands::<32>(black_box(&numbers[..])));
            }
        };
        compare(
            &format!("memory of {kilobytes} KiB"),
            times * n,
            5,
            [("in order", order)],
        );
    }
}
