//! How long an update in several processes computes, and how long it exchanges: `src/logs/cluster.sh`
//!
//! The processor's time says how much is to be done, whatever else the machine does; the wall's says how long a cable takes.

#[path = "../../tools/transformer/cluster.rs"]
mod cluster;

use all_you_need::cluster::{LostPeer, Peers};
use all_you_need::encoder::Config;
use all_you_need::training::{Example, Recipe, Training, target_tokens};
use cluster::OpenMpi;
use mimalloc::MiMalloc;
use rayon::ThreadPoolBuilder;
use std::cell::Cell;
use std::env;
use std::ffi::{c_int, c_long};
use std::ops::ControlFlow::Continue;

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
/// other process is counted by itself. After each the receiver sends one, because a message has left its sender before
/// it has arrived.
struct Timed {
    peers: OpenMpi,
    clock: Clock,
    /// When the last message of this update had arrived.
    last: Cell<Option<f64>>,
    waiting: Cell<f64>,
    /// Between two messages: sums are unpacked, added and packed.
    packing: Cell<f64>,
    exchanging: Cell<f64>,
}

impl Timed {
    fn new(peers: OpenMpi, clock: Clock) -> Self {
        let (last, waiting, packing, exchanging) = Default::default();
        Self { peers, clock, last, waiting, packing, exchanging }
    }

    /// A message, after another process has become ready for it.
    fn timed<T>(
        &self,
        ready: impl FnOnce() -> Result<(), LostPeer>,
        message: impl FnOnce() -> Result<T, LostPeer>,
    ) -> Result<T, LostPeer> {
        let add = |sum: &Cell<f64>, start| {
            let now = self.clock.now();
            sum.set(sum.get() + now - start);
            now
        };
        let start = match self.last.get() {
            Some(last) => add(&self.packing, last),
            None => self.clock.now(),
        };
        ready()?;
        let start = add(&self.waiting, start);
        let result = message()?;
        self.last.set(Some(add(&self.exchanging, start)));
        Ok(result)
    }

    /// How long all this has taken since the last time.
    fn take(&self) -> [f64; 3] {
        self.last.take();
        [&self.waiting, &self.packing, &self.exchanging].map(Cell::take)
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
        let ready = || {
            self.peers.send(to, &[])?;
            self.peers.receive(to).map(drop)
        };
        self.timed(ready, || {
            self.peers.send(to, bytes)?;
            self.peers.receive(to)?;
            Ok(())
        })
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, LostPeer> {
        let ready = || {
            self.peers.receive(from)?;
            self.peers.send(from, &[])
        };
        self.timed(ready, || {
            let bytes = self.peers.receive(from)?;
            self.peers.send(from, &[])?;
            Ok(bytes)
        })
    }

    fn leave(self) {
        self.peers.leave();
    }
}

/// A row: for how many milliseconds of an update the first process computes, packs and exchanges, each the least of
/// some updates.
fn main() {
    keep_memory();
    // Cargo adds a flag of its own.
    let words: Vec<String> =
        env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let [clock, model, sentences, parts, updates] = &words[..] else {
        panic!("cluster CLOCK MODEL SENTENCES PARTS UPDATES");
    };
    let clock = match &**clock {
        "wall" => Clock::Wall,
        "processor" => Clock::Processor,
        _ => panic!("no clock is called {clock}"),
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
    let (parts, updates) = (number(parts), number(updates));
    let examples = examples(number(sentences));
    let tokens = target_tokens(&examples);
    let recipe = Recipe {
        batch_tokens: tokens,
        parts,
        bidirectional_updates: 0,
        updates,
        ..recipe
    };
    let peers = Timed::new(OpenMpi::join(), clock);
    let rows = measure(&peers, Training::new(&config, recipe), &examples);
    if peers.is_first() {
        let least = |i: usize| {
            rows.iter().map(|row| row[i]).fold(f64::INFINITY, f64::min)
        };
        let (size, times) = (peers.size(), [0, 1, 2].map(least));
        let times = times.map(|time| format!("{time:.1}")).join("\t");
        println!("{model}\t{size}\t{parts}\t{tokens}\t{times}");
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

/// How long each update computes, packs and exchanges, in milliseconds.
fn measure(
    peers: &Timed,
    mut training: Training,
    examples: &[Example],
) -> Vec<[f64; 3]> {
    let (mut rows, mut start) = (Vec::new(), peers.clock.now());
    let end = training.run_with(peers, examples, |_, _| {
        let all = peers.clock.now() - start;
        let [waiting, packing, exchanging] = peers.take();
        let computing = all - waiting - packing - exchanging;
        rows.push([computing, packing, exchanging]);
        start = peers.clock.now();
        Continue::<()>(())
    });
    assert!(end.is_ok(), "a loss that is not a number");
    rows
}
