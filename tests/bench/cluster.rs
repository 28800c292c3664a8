//! How long an update in several processes computes, and how long it exchanges: `src/logs/cluster.sh`
//!
//! Times are those of the processor, so that other programs on the machine change little.

#[path = "../../code/cli/cluster.rs"]
mod cluster;

use all_you_need::cluster::Peers;
use all_you_need::encoder::Config;
use all_you_need::training::{Example, Recipe, Training, target_tokens};
use cluster::OpenMpi;
use rayon::ThreadPoolBuilder;
use std::cell::Cell;
use std::env;
use std::ffi::c_int;
use std::ops::ControlFlow::Continue;

/// Processes whose messages are timed. Before each there is an empty one in both directions, so that waiting for the
/// other process is counted by itself.
struct Timed {
    peers: OpenMpi,
    waiting: Cell<f64>,
    exchanging: Cell<f64>,
}

/// What the C library calls a time.
#[repr(C)]
#[derive(Default)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

unsafe extern "C" {
    /// Writes the time of a clock.
    fn clock_gettime(clock: c_int, time: &mut Timespec) -> c_int;
}

/// For how many milliseconds the threads of this process have had a processor.
fn processor_time() -> f64 {
    const PROCESS: c_int = 2;
    let mut time = Timespec::default();
    // SAFETY: on 64 bits, Linux has two integers here, and writes no more.
    let status = unsafe { clock_gettime(PROCESS, &mut time) };
    assert_eq!(status, 0, "no clock");
    time.seconds as f64 * 1e3 + time.nanoseconds as f64 / 1e6
}

fn timed<T>(sum: &Cell<f64>, step: impl FnOnce() -> T) -> T {
    let start = processor_time();
    let result = step();
    sum.set(sum.get() + processor_time() - start);
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

/// A row: for how many milliseconds of an update the first process computes and exchanges, each the least of some
/// updates.
fn main() {
    // Cargo adds a flag of its own.
    let words: Vec<String> =
        env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let [model, sentences, updates] = &words[..] else {
        panic!("cluster MODEL SENTENCES UPDATES");
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
    let peers = Timed { peers: OpenMpi::join(), waiting, exchanging };
    let rows = measure(&peers, Training::new(&config, recipe), &examples);
    if peers.is_first() {
        let least = |i: usize| {
            rows.iter().map(|row| row[i]).fold(f64::INFINITY, f64::min)
        };
        let (size, [computing, exchanging]) =
            (peers.size(), [0, 1].map(least));
        println!(
            "{model}\t{size}\t{tokens}\t{computing:.1}\t{exchanging:.1}"
        );
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

/// How long each update computes and exchanges, in milliseconds.
fn measure(
    peers: &Timed,
    mut training: Training,
    examples: &[Example],
) -> Vec<[f64; 2]> {
    let (mut rows, mut start) = (Vec::new(), processor_time());
    let end = training.run_with(peers, examples, |_, _| {
        let all = processor_time() - start;
        let [waiting, exchanging] =
            [&peers.waiting, &peers.exchanging].map(Cell::take);
        rows.push([all - waiting - exchanging, exchanging]);
        start = processor_time();
        Continue::<()>(())
    });
    assert!(end.is_ok(), "a loss that is not a number");
    rows
}
