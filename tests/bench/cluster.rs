//! How long an update in several processes takes, and how long its messages: `src/logs/cluster.sh`
//!
//! The processor's time says how much is to be done, whatever else the machine does; the wall's says how long a cable takes.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "../../tools/transformer/cluster.rs"]
mod cluster;
#[path = "../../code/examples/cluster/whole.rs"]
mod whole;

use all_you_need::cluster::{LostPeer, Peers, all_reduce};
use all_you_need::encoder::Config;
use all_you_need::parameters::Parameters;
use all_you_need::tensor::Matrix;
use all_you_need::training::{
    Example, Recipe, Stream, Training, generator, target_tokens,
};
use all_you_need::transformer::Transformer;
use arguments::arguments;
use cluster::OpenMpi;
use mimalloc::MiMalloc;
use rayon::ThreadPoolBuilder;
use std::cell::Cell;
use std::ffi::{c_int, c_long};
use std::ops::ControlFlow::Continue;
use whole::all_reduce_whole;

/// Memory is handed out, and kept, as in the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

unsafe extern "C" {
    /// Sets an option of mimalloc.
    safe fn mi_option_set(option: c_int, value: c_long);
}

fn keep_memory() {
    const PURGE_DELAY: c_int = 15;
    mi_option_set(PURGE_DELAY, -1);
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

/// A clock, by its number on Linux.
#[derive(Clone, Copy)]
enum Clock {
    /// It always runs.
    Wall = 1,
    /// It runs while a processor works for this process.
    Processor = 2,
}

impl Clock {
    /// What it shows, in milliseconds.
    fn now(self) -> f64 {
        let mut time = Timespec::default();
        // SAFETY: on 64 bits, Linux has two integers here, and writes no more.
        let status = unsafe { clock_gettime(self as c_int, &mut time) };
        assert_eq!(status, 0, "no clock");
        time.seconds as f64 * 1e3 + time.nanoseconds as f64 / 1e6
    }
}

/// Processes whose messages are timed. Before each there is an empty one in both directions, so that waiting for the
/// other process is counted by itself. After each there is one more, because a message has left its sender before it
/// has arrived.
struct Timed {
    peers: OpenMpi,
    clock: Clock,
    waiting: Cell<f64>,
    exchanging: Cell<f64>,
}

impl Timed {
    /// A message, after the other process has become ready for it.
    fn timed<T>(
        &self,
        other: usize,
        message: impl FnOnce() -> Result<T, LostPeer>,
    ) -> Result<T, LostPeer> {
        let add = |sum: &Cell<f64>, start| {
            let now = self.clock.now();
            sum.set(sum.get() + now - start);
            now
        };
        let start = self.clock.now();
        self.peers.exchange(other, &[])?;
        let start = add(&self.waiting, start);
        let result = message()?;
        self.peers.exchange(other, &[])?;
        add(&self.exchanging, start);
        Ok(result)
    }

    /// How long some work takes: all but the messages, and the messages.
    fn time(&self, work: impl FnOnce()) -> [f64; 2] {
        let start = self.clock.now();
        work();
        self.since(start)
    }

    /// How much of the time from a start on was work, and how much messages.
    fn since(&self, start: f64) -> [f64; 2] {
        let all = self.clock.now() - start;
        let (waiting, exchanging) =
            (self.waiting.take(), self.exchanging.take());
        [all - waiting - exchanging, exchanging]
    }
}

impl Peers for Timed {
    fn rank(&self) -> usize {
        self.peers.rank()
    }

    fn size(&self) -> usize {
        self.peers.size()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), LostPeer> {
        self.timed(to, || self.peers.send(to, bytes))
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, LostPeer> {
        self.timed(from, || self.peers.receive(from))
    }

    fn exchange(
        &self,
        with: usize,
        bytes: &[u8],
    ) -> Result<Vec<u8>, LostPeer> {
        self.timed(with, || self.peers.exchange(with, bytes))
    }

    fn leave(self) {
        self.peers.leave();
    }
}

/// Rows of milliseconds of the first process, each the least of some rounds: for the work and for the messages. Of an
/// update; or of adding up gradients, whole along the tree and in halves.
fn main() {
    keep_memory();
    let words = arguments();
    let pool = ThreadPoolBuilder::new().num_threads(1).build_global();
    pool.expect("one thread");
    let number = |text: &str| -> usize { text.parse().expect("a number") };
    let (clock, work) = words.split_first().expect("a clock");
    let (waiting, exchanging) = Default::default();
    let (peers, clock) = (OpenMpi::join(), clock_called(clock));
    let peers = Timed { peers, clock, waiting, exchanging };
    match *work {
        ["update", model, sentences, parts, updates] => {
            update(&peers, model, [sentences, parts, updates].map(number));
        }
        ["sum", model, rounds] => sum(&peers, model, number(rounds)),
        _ => panic!(
            "cluster CLOCK update MODEL SENTENCES PARTS UPDATES, or \
             cluster CLOCK sum MODEL ROUNDS"
        ),
    }
    peers.leave();
}

fn clock_called(name: &str) -> Clock {
    match name {
        "wall" => Clock::Wall,
        "processor" => Clock::Processor,
        _ => panic!("no clock is called {name}"),
    }
}

fn preset(model: &str) -> (Config, Recipe) {
    match model {
        "tiny" => (Config::tiny(), Recipe::tiny()),
        "base" => (Config::base(), Recipe::base()),
        "big" => (Config::big(), Recipe::big()),
        _ => panic!("no model is called {model}"),
    }
}

/// Prints a row: what it is of, and the least of some times.
fn row(peers: &Timed, name: &str, times: &[[f64; 2]]) {
    let least = |i: usize| {
        times.iter().map(|row| row[i]).fold(f64::INFINITY, f64::min)
    };
    if peers.is_first() {
        println!("{name}\t{:.1}\t{:.1}", least(0), least(1));
    }
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

fn update(peers: &Timed, model: &str, numbers: [usize; 3]) {
    let [sentences, parts, updates] = numbers;
    let (config, recipe) = preset(model);
    let examples = examples(sentences);
    let tokens = target_tokens(&examples);
    let recipe = Recipe {
        batch_tokens: tokens,
        parts,
        bidirectional_updates: 0,
        updates,
        ..recipe
    };
    let mut training = Training::new(&config, recipe);
    let (mut times, mut start) = (Vec::new(), peers.clock.now());
    let end = training.run_with(peers, &examples, |_, _| {
        times.push(peers.since(start));
        start = peers.clock.now();
        Continue::<()>(())
    });
    assert!(end.is_ok(), "a loss that is not a number");
    let name = format!("{model}\t{}\t{parts}\t{tokens}", peers.size());
    row(peers, &name, &times);
}

type Gradient = Transformer<Matrix<f32>>;

fn sum(peers: &Timed, model: &str, rounds: usize) {
    let rng = &mut generator(peers.rank() as u64, Stream::Weights);
    let mut gradient: Gradient = Transformer::new(&preset(model).0, rng);
    let (mut whole, mut halves) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        whole.push(peers.time(|| {
            add_up(&mut gradient, |numbers| all_reduce_whole(peers, numbers));
        }));
        halves.push(peers.time(|| {
            add_up(&mut gradient, |numbers| all_reduce(peers, numbers));
        }));
    }
    for (way, times) in [("whole", whole), ("halves", halves)] {
        row(peers, &format!("{way}\t{model}\t{}", peers.size()), &times);
    }
}

/// Adds up gradients as the library does: all numbers in a row, and back.
fn add_up(
    gradient: &mut Gradient,
    way: impl FnOnce(&mut [f32]) -> Result<(), LostPeer>,
) {
    let leaves = gradient.leaves().into_iter();
    let leaves: Vec<_> = leaves.map(|(_, leaf)| leaf.as_slice()).collect();
    let mut numbers = leaves.concat();
    way(&mut numbers).expect("all processes");
    let mut numbers = &numbers[..];
    for leaf in gradient.leaves_mut() {
        let own = numbers.split_off(..leaf.len()).expect("as many numbers");
        leaf.copy_from_slice(own);
    }
}
