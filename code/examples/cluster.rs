//! Who sends what to whom, and when it pays: `cargo run --example cluster`

#[path = "cluster/messages.rs"]
pub mod messages;
#[path = "cluster/pays.rs"]
mod pays;
#[path = "cluster/projection.rs"]
pub mod projection;
#[path = "cluster/whole.rs"]
mod whole;

use all_you_need::cluster::{Alone, Channels, Peers};
use all_you_need::encoder::Config;
use all_you_need::parameters::Parameters;
use all_you_need::tasks::Task;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{Example, Recipe, Stream, Training, generator};
use messages::{most_sent, of_an_update};
use print::{grouped, section, table, value};
use projection::{both_ways, bytes};
use std::ops::ControlFlow::Continue;
use std::thread;

fn main() {
    orders();
    along_the_tree();
    steps();
    sent();
    pays::print();
}

/// Four numbers, added in all three trees of pairs and one after the other.
fn orders() {
    let [a, b, c, d] = [2f32, 33_554_432.0, -33_554_432.0, 1.0];
    section("Four slopes, added in four orders");
    println!("(a + b) + (c + d)   {}", (a + b) + (c + d));
    println!("(a + c) + (b + d)   {}", (a + c) + (b + d));
    println!("(a + d) + (b + c)   {}", (a + d) + (b + c));
    println!("((a + b) + c) + d   {}", ((a + b) + c) + d);
}

const UPDATES: usize = 20;

/// A small model that learns to reverse words.
fn newborn(parts: usize) -> Training {
    let recipe = Recipe {
        batch_tokens: 300,
        parts,
        updates: UPDATES,
        warmup: 10,
        ..Recipe::toy()
    };
    let config = Config { layers: 1, vocabulary: 258, ..Config::toy() };
    Training::new(&config, recipe)
}

fn words() -> Vec<Example> {
    let rng = &mut generator(1, Stream::Data);
    let word = || {
        let (word, answer) = Task::Reverse.example(rng);
        Example::new(&word, &answer, &Tokenizer::default())
    };
    std::iter::repeat_with(word).take(500).collect()
}

/// The bits of all parameters after the updates.
fn trained(peers: &impl Peers, parts: usize) -> Vec<u32> {
    let mut training = newborn(parts);
    let end = training.run_with(peers, &words(), |_, _| Continue::<()>(()));
    assert!(end.is_ok(), "a loss that is not a number");
    let leaves = training.model.leaves();
    let numbers = leaves.iter().flat_map(|(_, leaf)| leaf.iter());
    numbers.map(|x: &f32| x.to_bits()).collect()
}

/// What each of so many threads returns that stand for processes.
fn processes<T: Send>(
    size: usize,
    work: impl Fn(Channels) -> T + Sync,
) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let start = |peers| scope.spawn(move || work(peers));
        let all = Channels::between(size).into_iter();
        let all: Vec<_> = all.map(start).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// How many parameters differ in some bit.
fn unlike(one: &[u32], other: &[u32]) -> usize {
    one.iter().zip(other).filter(|(a, b)| a != b).count()
}

/// The same parts for any number of machines.
fn along_the_tree() {
    let alone = trained(&Alone, 4);
    section("Four parts on one to four machines");
    let row = |size: usize| {
        let ends = processes(size, |peers| trained(&peers, 4));
        let most = ends.iter().map(|end| unlike(&alone, end)).max();
        let most = grouped(most.expect("at least one process"));
        [size.to_string(), format!("{most} of {}", grouped(alone.len()))]
    };
    let unlike = "parameters that differ";
    table(["processes", unlike], [1, 2, 3, 4].map(row));
}

/// Who talks to whom, and about how much of the gradient.
fn steps() {
    section("The messages of 4 processes");
    let all = bytes_of_the_word_reverser();
    let messages = of_an_update(4);
    let rows = messages.chunk_by(|a, b| a.0 == b.0).map(|step| {
        let pairs = step.iter().filter(|(_, from, to, _)| from < to);
        let pairs = pairs.map(|(_, a, b, _)| format!("{a} ↔ {b}"));
        let share = 100.0 * step[0].3 as f64 / all;
        [
            step[0].0.to_string(),
            pairs.collect::<Vec<_>>().join(",  "),
            format!("{share:.0} %"),
        ]
    });
    table(["step", "between", "of the gradient"], rows);
}

fn bytes_of_the_word_reverser() -> f64 {
    let model = newborn(4).model;
    let leaves = model.leaves();
    let numbers: usize = leaves.iter().map(|(_, leaf)| leaf.len()).sum();
    4.0 * (numbers + 1) as f64
}

/// What the busiest process sends, in gradients.
fn sent() {
    section("What the busiest process sends and receives, in gradients");
    let row = |size: usize| {
        let [whole, halves] = most_sent(size);
        let ring = 2.0 * both_ways(size);
        let cells = [whole, halves, ring].map(|x| format!("{x:.2}"));
        let [whole, halves, ring] = cells;
        [size.to_string(), whole, halves, ring]
    };
    let names = ["processes", "whole, along the tree", "in halves", "a ring"];
    table(names, [2, 3, 4, 6, 8, 64].map(row));
    section("One gradient");
    let base = bytes(&Config::base());
    value("base, megabytes", format!("{:.0}", base / 1e6));
    let tiny = bytes(&Config::tiny());
    value("parameters of tiny", grouped(tiny / 4.0 - 1.0));
    value("its bytes", grouped(tiny));
}
