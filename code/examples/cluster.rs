//! Who sends what to whom, and when it pays: `cargo run --example cluster`

use all_you_need::cluster::{Alone, Channels, LostPeer, Peers};
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tasks::Task;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{Example, Recipe, Stream, Training, generator};
use all_you_need::transformer::Transformer;
use print::grouped;
use std::cell::Cell;
use std::ops::ControlFlow::Continue;
use std::sync::Mutex;
use std::thread;

fn main() {
    three_orders();
    cut_for_each_machine();
    along_the_tree();
    steps();
    bytes();
    measured();
    needed();
    projected();
}

/// Four numbers, added in three orders.
fn three_orders() {
    let [a, b, c, d] = [16_777_216f32, 1.0, 1.0, 1.0];
    println!("== Four slopes, added in three orders");
    println!("((a + b) + c) + d   {}", grouped(((a + b) + c) + d));
    println!("(a + b) + (c + d)   {}", grouped((a + b) + (c + d)));
    println!("((b + c) + d) + a   {}", grouped(((b + c) + d) + a));
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

/// The part of the parameters that differ in some bit, in percent.
fn unlike(one: &[u32], other: &[u32]) -> f64 {
    let unlike = one.iter().zip(other).filter(|(a, b)| a != b).count();
    100.0 * unlike as f64 / one.len() as f64
}

/// As many parts as machines.
fn cut_for_each_machine() {
    let alone = trained(&Alone, 1);
    println!("\n== As many parts as machines");
    println!("updates = {UPDATES}");
    for parts in [2, 4] {
        let percent = unlike(&alone, &trained(&Alone, parts));
        println!("unlike with {parts} = {percent:.0}");
    }
}

/// The same parts for any number of machines.
fn along_the_tree() {
    let alone = trained(&Alone, 4);
    println!("\n== Four parts on one to four machines");
    println!("processes   parameters that differ from those of one process");
    for size in 1..=4 {
        let ends = processes(size, |peers| trained(&peers, 4));
        let unlike = ends.iter().map(|end| unlike(&alone, end));
        let percent = unlike.fold(0.0, f64::max);
        println!("{size:9}   {percent:>20.0} %");
    }
}

/// A message: in which step, from whom and to whom.
pub type Message = (u8, usize, usize);

/// Notes every message, with a step that is later than those of all messages
/// which its sender and its receiver had seen before.
struct Noted<'a> {
    peers: Channels,
    step: Cell<u8>,
    messages: &'a Mutex<Vec<Message>>,
}

impl Peers for Noted<'_> {
    fn rank(&self) -> usize {
        self.peers.rank()
    }

    fn size(&self) -> usize {
        self.peers.size()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), LostPeer> {
        self.step.set(self.step.get() + 1);
        self.peers.send(to, &[&[self.step.get()], bytes].concat())
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, LostPeer> {
        let mut bytes = self.peers.receive(from)?;
        let step = bytes.remove(0);
        self.step.set(step.max(self.step.get() + 1));
        let message = (self.step.get(), from, self.rank());
        self.messages.lock().unwrap().push(message);
        Ok(bytes)
    }
}

/// The messages of one update.
pub fn messages(size: usize) -> Vec<Message> {
    let (messages, words) = (Mutex::new(Vec::new()), words());
    processes(size, |peers| {
        let (step, messages) = (Cell::new(0), &messages);
        let peers = Noted { peers, step, messages };
        let mut training = newborn(8);
        training.recipe.updates = 1;
        let end =
            training.run_with(&peers, &words, |_, _| Continue::<()>(()));
        assert!(end.is_ok(), "a loss that is not a number");
    });
    let mut messages = messages.into_inner().unwrap();
    messages.sort();
    messages
}

fn steps() {
    println!("\n== The messages of 4 processes");
    for step in messages(4).chunk_by(|a, b| a.0 == b.0) {
        let arrows = step.iter().map(|(_, a, b)| format!("{a} → {b}"));
        let arrows = arrows.collect::<Vec<_>>().join(",  ");
        println!("step {}:  {arrows}", step[0].0);
    }
}

/// A model's name, its sizes and how it is trained.
pub type Preset = (&'static str, fn() -> Config, fn() -> Recipe);

pub const MODELS: [Preset; 3] = [
    ("tiny", Config::tiny, Recipe::tiny),
    ("base", Config::base, Recipe::base),
    ("big", Config::big, Recipe::big),
];

/// The bytes of a message: the gradient and the loss.
fn message(config: &Config) -> f64 {
    let model: Transformer<Shape> =
        Transformer::new(config, &mut Bill::default());
    4.0 * (parameter_count(&model) + 1) as f64
}

/// What goes over the wire.
fn bytes() {
    println!("\n== Megabytes an update");
    println!("        a message   all messages of an update, in megabytes");
    println!("model   megabytes   2 processes        4        8       64");
    for (model, config, _) in MODELS {
        let message = message(&config()) / 1e6;
        let all = |size: usize| {
            grouped(format!("{:.0}", 2.0 * (size - 1) as f64 * message))
        };
        println!(
            "{model:5} {message:11.1} {:>13} {:>8} {:>8} {:>8}",
            all(2),
            all(4),
            all(8),
            all(64)
        );
    }
    let parameters = message(&Config::tiny()) / 4.0 - 1.0;
    println!("\n== One message");
    println!("parameters of tiny = {}", grouped(parameters));
    println!("its bytes = {}", grouped(message(&Config::tiny())));
}

/// What `src/logs/cluster.sh` measured on one machine.
const LOG: &str = include_str!("../../src/logs/cluster-updates.tsv");

/// What `tests/hosts.sh` measured on two hosts, with the speed of the cable.
const HOSTS: &str = include_str!("../../src/logs/cluster-hosts.tsv");

/// An update of some processes with a thread each: milliseconds.
struct Row {
    processes: usize,
    parts: f64,
    tokens: f64,
    computing: f64,
    packing: f64,
    exchanging: f64,
}

/// The rows of a log that begin so.
fn rows(log: &str, start: &str) -> Vec<Row> {
    let row = |line: &str| -> Option<Row> {
        let line = line.strip_prefix(start)?.strip_prefix('\t')?;
        let cells = line.split('\t').map(|cell| cell.parse().ok());
        let cells: Vec<f64> = cells.collect::<Option<_>>()?;
        let &[processes, parts, tokens, computing, packing, exchanging] =
            &cells[..]
        else {
            return None;
        };
        let processes = processes as usize;
        let row =
            Row { processes, parts, tokens, computing, packing, exchanging };
        Some(row)
    };
    log.lines().filter_map(row).collect()
}

fn measured() {
    println!("\n== Milliseconds of an update");
    println!(
        "model  processes  parts  tokens  computing  packing  exchanging"
    );
    for (model, ..) in MODELS {
        for row in rows(LOG, model) {
            println!(
                "{model:5} {:10} {:>6} {:>7} {:>10} {:>8.1} {:>11.1}",
                row.processes,
                row.parts,
                grouped(row.tokens),
                grouped(row.computing.round()),
                row.packing,
                row.exchanging
            );
        }
    }
}

/// The time of an update on machines like ours, in seconds.
pub struct Projection {
    /// For each token on one core.
    each: f64,
    /// For each part on one core.
    part: f64,
    /// In each process, with one core.
    process: f64,
    /// For packing a sum and adding it to another.
    packing: f64,
    /// What the machines divide between them.
    divided: f64,
    /// The bits of a message.
    bits: f64,
}

impl Projection {
    /// From updates on one core, with two sizes of a batch and two numbers
    /// of parts. A machine has two cores. What packing takes for each number
    /// is that of base.
    pub fn of((model, config, recipe): Preset) -> Self {
        let mut rows = rows(LOG, model);
        rows.retain(|row| row.processes == 1);
        let [large, small, one] = &rows[..] else {
            panic!("{model} was measured three times with one process");
        };
        let each = (large.computing - small.computing)
            / (large.tokens - small.tokens)
            / 1e3;
        let part = (small.computing - one.computing)
            / (small.parts - one.parts)
            / 1e3;
        let process = one.computing / 1e3 - part - each * one.tokens;
        let numbers = message(&config()) / message(&Config::base());
        Self {
            each,
            part,
            process,
            packing: two_of_base().packing / 1e3 * numbers,
            divided: each * recipe().batch_tokens as f64 / 2.0,
            bits: 8.0 * message(&config()),
        }
    }

    /// What does not depend on the number of machines: a part for each core,
    /// at the same time.
    fn fixed(&self) -> f64 {
        self.process + self.part
    }

    fn computing(&self, machines: usize) -> f64 {
        self.fixed() + self.divided / machines as f64
    }

    /// Seconds for a message.
    fn message(&self, gigabits: f64) -> f64 {
        self.bits / (gigabits * 1e9)
    }

    /// Up the tree and down again.
    fn along_the_tree(&self, machines: usize, gigabits: f64) -> f64 {
        let levels = machines.next_power_of_two().trailing_zeros();
        f64::from(levels) * (self.packing + 2.0 * self.message(gigabits))
    }

    fn update(&self, machines: usize, gigabits: f64) -> f64 {
        self.computing(machines) + self.along_the_tree(machines, gigabits)
    }

    /// How many times as fast as one machine.
    pub fn gain(&self, machines: usize, gigabits: f64) -> f64 {
        self.computing(1) / self.update(machines, gigabits)
    }
}

fn two_of_base() -> Row {
    let mut rows = rows(LOG, "base").into_iter();
    rows.find(|row| row.processes == 2).expect("two processes")
}

pub const NETWORKS: [f64; 3] = [1.0, 10.0, 100.0];

pub fn powers() -> impl Iterator<Item = usize> + Clone {
    (0..=8).map(|power| 1 << power)
}

/// The constants of the formula.
fn needed() {
    println!("\n== What the formula needs");
    println!(
        "       tokens of a batch   F, seconds   T, seconds   P, seconds   S, Gbit"
    );
    for model in MODELS {
        let projection = Projection::of(model);
        println!(
            "{:5} {:>18} {:12.2} {:12.1} {:12.3} {:9.3}",
            model.0,
            grouped(model.2().batch_tokens),
            projection.fixed(),
            projection.divided,
            projection.packing,
            projection.bits / 1e9
        );
    }
    let tiny = Projection::of(MODELS[0]).computing(1);
    println!("\n== By the clock");
    println!("tiny, by the formula = {:.0}", 1e3 * tiny);
}

fn projected() {
    println!("\n== Seconds of an update, projected");
    println!(
        "            seconds              seconds      seconds for the tree    times as fast"
    );
    println!(
        "        one machine  machines  computing    at 1     10  100 Gbit/s  at 1    10   100"
    );
    for model in MODELS {
        let projection = Projection::of(model);
        for machines in [8, 64] {
            let tree = NETWORKS.map(|gigabits| {
                projection.along_the_tree(machines, gigabits)
            });
            let gain =
                NETWORKS.map(|gigabits| projection.gain(machines, gigabits));
            println!(
                "{:5} {:12.1} {machines:9} {:10.2} {:7.2} {:6.3} {:7.4} {:10.1} {:5.1} {:5.1}",
                model.0,
                projection.computing(1),
                projection.computing(machines),
                tree[0],
                tree[1],
                tree[2],
                gain[0],
                gain[1],
                gain[2]
            );
        }
    }
    let base = Projection::of(MODELS[1]);
    println!("\n== Where it stops paying");
    for gigabits in NETWORKS {
        let gain = |machines: &usize| base.gain(*machines, gigabits);
        let best = powers().max_by(|a, b| gain(a).total_cmp(&gain(b)));
        let best = best.expect("a number of machines");
        println!("base, best at {gigabits} = {best}");
        println!("base, its gain at {gigabits} = {:.1}", gain(&best));
    }
    let days =
        |seconds: f64| seconds * Recipe::base().updates as f64 / 86_400.0;
    println!("base, days = {:.0}", days(base.computing(1)));
    for machines in [8, 64] {
        let days = days(base.update(machines, 10.0));
        println!("base, days with {machines} = {days:.0}");
    }
    // A ring sends every number round twice, but for one step.
    println!("ring of 64, messages = {:.2}", 2.0 * 63.0 / 64.0);
    exchanged();
    not_divided(&base);
    eight(&base);
    two_hosts();
}

/// What the page says of the first rows of tiny, and of both rows with two
/// processes.
fn exchanged() {
    println!("\n== Two processes");
    let tiny = rows(LOG, "tiny");
    let sent = |row: &Row| row.packing + row.exchanging;
    let share = |row: &Row| 100.0 * sent(row) / (row.computing + sent(row));
    println!("tiny, tokens = {}", grouped(tiny[0].tokens));
    println!("tiny, percent sent by 4 = {:.0}", share(&tiny[2]));
    let (tiny, base) = (&tiny[1], two_of_base());
    let times = message(&Config::base()) / message(&Config::tiny());
    println!("base, times tiny = {times:.0}");
    let longer = sent(&base) / sent(tiny);
    println!("base, times as long = {longer:.0}");
}

/// How a projection follows from what was measured.
fn not_divided(base: &Projection) {
    println!("\n== What is divided");
    let [large, two, small, one] = &rows(LOG, "base")[..] else {
        panic!("base was measured four times");
    };
    for (name, row) in [("large", large), ("small", small), ("one", one)] {
        let time = grouped(row.computing.round());
        println!("base, {name} = {time}");
        println!("base, tokens of {name} = {}", row.tokens);
    }
    let part = |row: &Row| row.tokens / row.parts;
    let parts = [large, small, one].map(part);
    println!(
        "base, shortest part = {}",
        parts.iter().fold(f64::MAX, |a, &b| a.min(b))
    );
    println!(
        "base, longest part = {}",
        parts.iter().fold(0.0, |a: f64, &b| a.max(b))
    );
    println!("base, more tokens = {}", large.tokens - small.tokens);
    println!("base, each = {:.3}", base.each * 1e3);
    println!("base, part = {:.1}", base.part * 1e3);
    println!("base, process = {:.1}", base.process * 1e3);
    println!("base, megabytes = {:.0}", message(&Config::base()) / 1e6);
    let (parts, tokens) = (two.parts / 2.0, two.tokens / 2.0);
    let seconds = base.process + base.part * parts + base.each * tokens;
    println!("base, tokens of two = {tokens}");
    println!("base, two by hand = {}", grouped((seconds * 1e3).round()));
    println!("base, two measured = {}", grouped(two.computing.round()));
    println!("base, not divided = {:.2}", base.fixed());
    println!("base, batch = {}", grouped(Recipe::base().batch_tokens));
    println!("base, divided = {:.1}", base.divided);
    println!("base, one machine = {:.0}", base.computing(1));
}

/// One line of the table, worked out.
fn eight(base: &Projection) {
    println!("\n== Eight machines");
    println!("base, gigabits = {:.2}", base.bits / 1e9);
    println!("base, packing = {:.3}", base.packing);
    println!("base, message at 10 = {:.3}", base.message(10.0));
    println!("base, divided by 8 = {:.2}", base.divided / 8.0);
    println!("base, 8 at 10 = {:.1}", base.update(8, 10.0));
    println!("base, gain of 8 at 10 = {:.1}", base.gain(8, 10.0));
}

/// A message up and one down, between two hosts.
fn two_hosts() {
    println!("\n== Two messages between two hosts, in milliseconds");
    println!("model   Gbit/s   projected   measured");
    for model in &MODELS[..2] {
        for gigabits in &NETWORKS[..2] {
            let projected = 2e3 * Projection::of(*model).message(*gigabits);
            for row in rows(HOSTS, &format!("{gigabits}\t{}", model.0)) {
                println!(
                    "{:5} {gigabits:>8} {:>11} {:>10}",
                    model.0,
                    grouped(projected.round()),
                    grouped(row.exchanging.round())
                );
            }
        }
    }
}
