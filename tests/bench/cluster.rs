//! What an update in several processes takes, and how much of it is computing, waiting and exchanging:
//! `src/logs/cluster.sh`

#[path = "../../code/cli/cluster.rs"]
mod cluster;

use all_you_need::cluster::Peers;
use all_you_need::encoder::Config;
use all_you_need::training::{Example, Recipe, Training, target_tokens};
use cluster::OpenMpi;
use rayon::ThreadPoolBuilder;
use std::cell::Cell;
use std::env;
use std::ops::ControlFlow::Continue;
use std::time::{Duration, Instant};

/// Processes whose messages are timed. Every message comes after an empty one, so that waiting for the sender is not
/// taken for the time of the message.
struct Timed {
    peers: OpenMpi,
    waiting: Cell<Duration>,
    exchanging: Cell<Duration>,
}

fn timed<T>(sum: &Cell<Duration>, step: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = step();
    sum.set(sum.get() + start.elapsed());
    result
}

impl Peers for Timed {
    fn rank(&self) -> usize {
        self.peers.rank()
    }

    fn size(&self) -> usize {
        self.peers.size()
    }

    fn send(&self, to: usize, bytes: &[u8]) {
        timed(&self.waiting, || {
            self.peers.send(to, &[]);
            self.peers.receive(to)
        });
        timed(&self.exchanging, || self.peers.send(to, bytes));
    }

    fn receive(&self, from: usize) -> Vec<u8> {
        timed(&self.waiting, || {
            self.peers.receive(from);
            self.peers.send(from, &[]);
        });
        timed(&self.exchanging, || self.peers.receive(from))
    }

    fn leave(self) {
        self.peers.leave();
    }
}

/// A row for the quickest of some updates: milliseconds in all, and how many of them the first process computes, waits
/// and exchanges.
fn main() {
    // Cargo adds a flag of its own.
    let words: Vec<String> =
        env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let [model, wire, sentences, updates] = &words[..] else {
        panic!("cluster MODEL WIRE SENTENCES UPDATES");
    };
    let number = |text: &String| -> usize { text.parse().expect("a number") };
    let pool = ThreadPoolBuilder::new().num_threads(1).build_global();
    pool.expect("one thread");
    let (config, recipe) = match &**model {
        "tiny" => (Config::tiny(), Recipe::tiny()),
        "base" => (Config::base(), Recipe::base()),
        "big" => (Config::big(), Recipe::big()),
        _ => panic!("no model is called {model}"),
    };
    let (updates, examples) = (number(updates), examples(number(sentences)));
    let tokens = target_tokens(&examples);
    let recipe = Recipe {
        batch_tokens: tokens,
        bidirectional_updates: 0,
        updates,
        ..recipe
    };
    let (waiting, exchanging) = Default::default();
    let peers = Timed { peers: OpenMpi::default(), waiting, exchanging };
    let rows = measure(&peers, Training::new(&config, recipe), &examples);
    if peers.is_first() {
        let best = rows.into_iter().min_by(|a, b| a[0].total_cmp(&b[0]));
        let best = best.expect("an update").map(|ms| format!("{ms:.1}"));
        let size = peers.size();
        println!("{model}\t{wire}\t{size}\t{tokens}\t{}", best.join("\t"));
    }
    peers.leave();
}

/// Sentences of 15 tokens on either side.
fn examples(sentences: usize) -> Vec<Example> {
    let token = |i| i % 997;
    let sentence = |n| Example {
        source: (0..15).map(|i| token(31 * n + i)).collect(),
        target: (0..16).map(|i| token(37 * n + i)).collect(),
    };
    (0..sentences as u32).map(sentence).collect()
}

/// The times of each update, in milliseconds.
fn measure(
    peers: &Timed,
    mut training: Training,
    examples: &[Example],
) -> Vec<[f64; 4]> {
    let (mut rows, mut start) = (Vec::new(), Instant::now());
    let end = training.run_with(peers, examples, |_, _| {
        let [waiting, exchanging] =
            [&peers.waiting, &peers.exchanging].map(Cell::take);
        let all = start.elapsed();
        let row = [all, all - waiting - exchanging, waiting, exchanging];
        rows.push(row.map(|time| 1e3 * time.as_secs_f64()));
        start = Instant::now();
        Continue::<()>(())
    });
    end.expect("no loss that is not a number");
    rows
}
