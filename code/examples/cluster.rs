//! Who sends what to whom, and when it pays: `cargo run --example cluster`

use all_you_need::cluster::{Alone, Channels, Peers};
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tasks::Task;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{Example, Recipe, Stream, Training, generator};
use all_you_need::transformer::Transformer;
use plot::print::grouped;
use plot::{Chart, Diagram, Figure, Hue, Side};
use std::cell::Cell;
use std::ops::ControlFlow::Continue;
use std::sync::Mutex;
use std::thread;

fn main() {
    plot::read_arguments();
    three_orders();
    cut_for_each_machine();
    along_the_tree();
    steps();
    bytes();
    measured();
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
type Message = (u8, usize, usize);

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

    fn send(&self, to: usize, bytes: &[u8]) {
        self.step.set(self.step.get() + 1);
        self.peers.send(to, &[&[self.step.get()], bytes].concat());
    }

    fn receive(&self, from: usize) -> Vec<u8> {
        let mut bytes = self.peers.receive(from);
        let step = bytes.remove(0);
        self.step.set(step.max(self.step.get() + 1));
        let message = (self.step.get(), from, self.rank());
        self.messages.lock().unwrap().push(message);
        bytes
    }
}

/// The messages of one update.
fn messages(size: usize) -> Vec<Message> {
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
    for size in [3, 4] {
        println!("\n== The messages of {size} processes");
        for step in messages(size).chunk_by(|a, b| a.0 == b.0) {
            let arrows = step.iter().map(|(_, a, b)| format!("{a} → {b}"));
            let arrows = arrows.collect::<Vec<_>>().join(",  ");
            println!("step {}:  {arrows}", step[0].0);
        }
    }
    draw_steps();
}

/// What each of four processes has found for one slope.
const SLOPES: [i32; 4] = [3, 1, 4, 2];

fn draw_steps() {
    let messages = messages(SLOPES.len());
    let mut slopes = SLOPES;
    let mut frames = vec![frame("at first", &slopes, &[])];
    for step in messages.chunk_by(|a, b| a.0 == b.0) {
        for &(_, from, to) in step {
            // To a process before it, a sum goes up; to one behind, down.
            let own = if to < from { slopes[to] } else { 0 };
            slopes[to] = own + slopes[from];
        }
        let heading = format!("step {}", step[0].0);
        frames.push(frame(&heading, &slopes, step));
    }
    plot::save_frames("cluster-steps", &frames);
}

/// The processes after a step, and the messages of the step.
fn frame(heading: &str, slopes: &[i32], step: &[Message]) -> Figure {
    let total: i32 = SLOPES.iter().sum();
    let arrow = |&(_, from, to): &Message| {
        format!("process {from} sends to process {to}")
    };
    let arrows: Vec<_> = step.iter().map(arrow).collect();
    let found: Vec<_> = slopes.iter().map(i32::to_string).collect();
    let description = format!(
        "Four processes in a row, {heading}. {} They have {}.",
        match arrows.is_empty() {
            true => "No message has been sent.".to_owned(),
            false => format!("Messages: {}.", arrows.join(", ")),
        },
        found.join(", ")
    );
    let title = format!("All-reduce, {heading}");
    let mut figure = Diagram::new(&title, &description, 25.0, 8.4);
    figure.note((12.5, 0.8), Side::On, heading);
    let place = |i: usize| (3.5 + 6.0 * i as f64, 6.0);
    for (i, slope) in slopes.iter().enumerate() {
        let hue = match *slope {
            all if all == total => Hue::Green,
            own if own == SLOPES[i] => Hue::Blue,
            _ => Hue::Orange,
        };
        let text = format!("process {i}\n{slope}");
        figure.block(place(i), (4.6, 2.8), &text, hue);
    }
    for &(_, from, to) in step {
        let ((from, bottom), (to, _)) = (place(from), place(to));
        let (top, arc) = (bottom - 1.6, 2.4);
        let ends = [(from, top), (from, arc), (to, arc), (to, top)];
        figure.arrow(&ends, Hue::Ink);
    }
    figure.draw()
}

/// A model's name, its sizes and how it is trained.
type Preset = (&'static str, fn() -> Config, fn() -> Recipe);

const MODELS: [Preset; 3] = [
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

/// What `src/logs/cluster.sh` measured.
const LOG: &str = include_str!("../../src/logs/cluster-updates.tsv");

/// An update of some processes with a thread each: milliseconds.
struct Row {
    processes: usize,
    tokens: f64,
    computing: f64,
    exchanging: f64,
}

fn rows(model: &str) -> Vec<Row> {
    let row = |line: &str| -> Option<Row> {
        let line = line.strip_prefix(model)?.strip_prefix('\t')?;
        let cells = line.split('\t').map(|cell| cell.parse().ok());
        let cells: Vec<f64> = cells.collect::<Option<_>>()?;
        let &[processes, tokens, computing, exchanging] = &cells[..] else {
            return None;
        };
        let processes = processes as usize;
        Some(Row { processes, tokens, computing, exchanging })
    };
    LOG.lines().filter_map(row).collect()
}

fn measured() {
    println!("\n== Milliseconds of an update");
    println!("                             computing   exchanging");
    println!("model   processes   tokens           milliseconds");
    for (model, ..) in MODELS {
        for row in rows(model) {
            let Row { processes, tokens, computing, exchanging } = row;
            println!(
                "{model:5} {processes:11} {:>8} {:>11} {exchanging:>12.1}",
                grouped(tokens),
                grouped(computing.round())
            );
        }
    }
    println!("\n== The batch of base");
    println!("base, tokens = {}", rows("base")[0].tokens);
}

/// The time of an update on machines like ours, in seconds.
struct Projection {
    /// For each token on one core.
    each: f64,
    /// What every machine does, however many there are.
    fixed: f64,
    /// What the machines divide between them.
    divided: f64,
    /// The bits of a message.
    bits: f64,
}

impl Projection {
    /// From the updates of two batches on one core. A machine has two.
    fn of((model, config, recipe): Preset) -> Self {
        let alone = rows(model).into_iter().filter(|row| row.processes == 1);
        let [large, small] = &alone.collect::<Vec<_>>()[..] else {
            panic!("{model} was measured with two batches");
        };
        let tokens = large.tokens - small.tokens;
        let each = (large.computing - small.computing) / tokens;
        Self {
            each: each / 1e3,
            fixed: (large.computing - each * large.tokens) / 1e3,
            divided: each * recipe().batch_tokens as f64 / 2.0 / 1e3,
            bits: 8.0 * message(&config()),
        }
    }

    fn computing(&self, machines: usize) -> f64 {
        self.fixed + self.divided / machines as f64
    }

    /// Up the tree and down again.
    fn exchanging(&self, machines: usize, gigabits: f64) -> f64 {
        let levels = machines.next_power_of_two().trailing_zeros();
        2.0 * f64::from(levels) * self.bits / (gigabits * 1e9)
    }

    /// How many times as fast as one machine.
    fn gain(&self, machines: usize, gigabits: f64) -> f64 {
        let time =
            self.computing(machines) + self.exchanging(machines, gigabits);
        self.computing(1) / time
    }
}

const NETWORKS: [f64; 3] = [1.0, 10.0, 100.0];

fn powers() -> impl Iterator<Item = usize> + Clone {
    (0..=8).map(|power| 1 << power)
}

fn projected() {
    println!("\n== Seconds of an update, projected");
    println!(
        "            seconds              seconds      seconds exchanging      times as fast"
    );
    println!(
        "        one machine  machines  computing    at 1     10  100 Gbit/s  at 1    10   100"
    );
    for model in MODELS {
        let projection = Projection::of(model);
        for machines in [8, 64] {
            let exchanging = NETWORKS
                .map(|gigabits| projection.exchanging(machines, gigabits));
            let gain =
                NETWORKS.map(|gigabits| projection.gain(machines, gigabits));
            println!(
                "{:5} {:12.1} {machines:9} {:10.2} {:7.2} {:6.3} {:7.4} {:10.1} {:5.1} {:5.1}",
                model.0,
                projection.computing(1),
                projection.computing(machines),
                exchanging[0],
                exchanging[1],
                exchanging[2],
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
    worked(&base);
    println!("base, not divided = {:.2}", base.fixed);
    println!("base, one machine = {:.0}", base.computing(1));
    let days = base.computing(1) * Recipe::base().updates as f64 / 86_400.0;
    println!("base, days = {days:.0}");
    // A ring sends every number round twice, but for one step.
    println!("ring of 64, messages = {:.2}", 2.0 * 63.0 / 64.0);
    draw_gain(&base);
}

/// The numbers of a projection that the page works out.
fn worked(base: &Projection) {
    let [large, _, small] = &rows("base")[..] else {
        panic!("base was measured three times");
    };
    let recipe = Recipe::base().batch_tokens;
    println!("base, large = {}", grouped(large.computing.round()));
    println!("base, small = {}", grouped(small.computing.round()));
    println!("base, more tokens = {}", large.tokens - small.tokens);
    println!("base, each = {:.3}", base.each * 1e3);
    let its_tokens = (base.each * 1e3 * large.tokens).round();
    println!("base, its tokens = {}", grouped(its_tokens));
    println!("base, batch = {}", grouped(recipe));
    println!("base, divided = {:.1}", base.divided);
    let times = message(&Config::base()) / message(&Config::tiny());
    println!("base, times tiny = {times:.0}");
    println!("base, gigabits = {:.2}", base.bits / 1e9);
    let seconds = base.computing(8) + base.exchanging(8, 10.0);
    println!("base, divided by 8 = {:.2}", base.divided / 8.0);
    println!("base, message at 10 = {:.3}", base.bits / 1e10);
    println!("base, 8 at 10 = {seconds:.2}");
    println!("base, gain of 8 at 10 = {:.1}", base.gain(8, 10.0));
    // Two for each machine of the last point in the figure.
    let parts = 2 * powers().max().expect("a number of machines");
    println!("most parts = {parts}");
    println!("tokens of a part = {:.0}", recipe as f64 / parts as f64);
}

fn draw_gain(base: &Projection) {
    let ends = NETWORKS.map(|gigabits| base.gain(64, gigabits));
    let description = format!(
        "Curves over the number of machines. With {} of them, an update of \
         the base model is {:.1} times as fast as with one at {} gigabit a \
         second, {:.1} times at {} and {:.1} times at {}. A straight line \
         is as many times as machines.",
        64, ends[0], NETWORKS[0], ends[1], NETWORKS[1], ends[2], NETWORKS[2]
    );
    let chart = Chart::new("What more machines gain", &description)
        .x("machines")
        .y("times as fast as one")
        .log_x()
        .log_y()
        .line("as many", powers().map(|n| (n as f64, n as f64)));
    let chart = NETWORKS.into_iter().rev().fold(chart, |chart, gigabits| {
        let points = powers().map(|n| (n as f64, base.gain(n, gigabits)));
        chart.line(&format!("{gigabits} Gbit/s"), points)
    });
    plot::save("cluster-gain", &chart.draw());
}
