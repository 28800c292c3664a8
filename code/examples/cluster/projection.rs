//! What was measured, and what follows from it for more machines.

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::training::Recipe;
use all_you_need::transformer::Transformer;
use print::log::{number, table};

/// A model's name, its sizes and how it is trained.
pub type Preset = (&'static str, fn() -> Config, fn() -> Recipe);

pub const MODELS: [Preset; 3] = [
    ("tiny", Config::tiny, Recipe::tiny),
    ("base", Config::base, Recipe::base),
    ("big", Config::big, Recipe::big),
];

/// The bytes that all processes add up: a gradient and a loss.
pub fn bytes(config: &Config) -> f64 {
    let model: Transformer<Shape> =
        Transformer::new(config, &mut Bill::default());
    4.0 * (parameter_count(&model) + 1) as f64
}

/// An update of some processes with a thread each: milliseconds.
pub struct Update {
    pub model: String,
    pub processes: usize,
    pub parts: f64,
    pub tokens: f64,
    /// All but the messages.
    pub work: f64,
    pub messages: f64,
}

/// What `src/logs/cluster.sh` measured on one machine.
pub fn updates() -> Vec<Update> {
    let log = include_str!("../../../src/logs/cluster-updates.tsv");
    let row = |[model, processes, parts, tokens, work, messages]: [&str;
                   6]| Update {
        model: str::to_owned(model),
        processes: number(processes),
        parts: number(parts),
        tokens: number(tokens),
        work: number(work),
        messages: number(messages),
    };
    table(log).map(row).collect()
}

/// Gradients that were added up: milliseconds.
pub struct Sum {
    pub way: String,
    pub model: String,
    pub processes: usize,
    /// Making a row of all numbers, making bytes of them, adding.
    pub work: f64,
    pub messages: f64,
}

fn sum([way, model, processes, work, messages]: [&str; 5]) -> Sum {
    Sum {
        way: way.to_owned(),
        model: model.to_owned(),
        processes: number(processes),
        work: number(work),
        messages: number(messages),
    }
}

/// On one machine, through memory: processor time.
pub fn sums() -> Vec<Sum> {
    let log = include_str!("../../../src/logs/cluster-sums.tsv");
    table(log).map(sum).collect()
}

/// What `tests/hosts.sh` measured on two hosts, by the clock on the wall, and
/// the speed of the cable.
pub fn between_hosts() -> Vec<(f64, Sum)> {
    let log = include_str!("../../../src/logs/cluster-hosts.tsv");
    let row =
        |[gigabits, rest @ ..]: [&str; 6]| (number(gigabits), sum(rest));
    table(log).map(row).collect()
}

/// The time of an update on machines like ours, in seconds.
pub struct Projection {
    /// For each token on one core.
    pub each: f64,
    /// For each part on one core.
    pub part: f64,
    /// In each process, with one core.
    pub process: f64,
    /// What machines divide between them.
    pub divided: f64,
    /// What two processes work to add up gradients, whole and in halves.
    packing: [f64; 2],
    /// The bits of a gradient.
    pub bits: f64,
}

/// The two ways of an all-reduce.
#[derive(Clone, Copy)]
pub enum Way {
    Whole,
    Halves,
}

impl Projection {
    /// From updates on one core, with two sizes of a batch and two numbers
    /// of parts. A machine has two cores. What packing takes for each number
    /// is that of base.
    pub fn of((model, config, recipe): Preset) -> Self {
        let mut rows = updates();
        rows.retain(|row| row.model == model && row.processes == 1);
        let [large, small, one] = &rows[..] else {
            panic!("{model} was measured three times with one process");
        };
        let each =
            (large.work - small.work) / (large.tokens - small.tokens) / 1e3;
        let part = (small.work - one.work) / (small.parts - one.parts) / 1e3;
        let process = one.work / 1e3 - part - each * one.tokens;
        let numbers = bytes(&config()) / bytes(&Config::base());
        Self {
            each,
            part,
            process,
            divided: each * recipe().batch_tokens as f64 / 2.0,
            packing: ["whole", "halves"]
                .map(|way| of_base(way, 2).work / 1e3 * numbers),
            bits: 8.0 * bytes(&config()),
        }
    }

    /// What does not depend on the number of machines: a part for each core,
    /// at the same time.
    pub fn fixed(&self) -> f64 {
        self.process + self.part
    }

    pub fn computing(&self, machines: usize) -> f64 {
        self.fixed() + self.divided / machines as f64
    }

    /// What two processes work to add up gradients.
    pub fn packing(&self) -> f64 {
        self.packing[Way::Halves as usize]
    }

    /// Seconds for the bits of a gradient.
    pub fn message(&self, gigabits: f64) -> f64 {
        self.bits / (gigabits * 1e9)
    }

    /// To add up the gradients of so many machines, a power of two.
    pub fn sum(&self, way: Way, machines: usize, gigabits: f64) -> f64 {
        let (packing, message) =
            (self.packing[way as usize], self.message(gigabits));
        match way {
            Way::Whole => {
                let levels = f64::from(machines.ilog2());
                levels * (packing + 2.0 * message)
            }
            Way::Halves => both_ways(machines) * (packing + message),
        }
    }

    pub fn update(&self, way: Way, machines: usize, gigabits: f64) -> f64 {
        self.computing(machines) + self.sum(way, machines, gigabits)
    }

    /// How many times as fast as one machine.
    pub fn gain(&self, way: Way, machines: usize, gigabits: f64) -> f64 {
        self.computing(1) / self.update(way, machines, gigabits)
    }

    /// The same with more and more machines.
    pub fn limit(&self, gigabits: f64) -> f64 {
        let sum = 2.0 * (self.packing() + self.message(gigabits));
        self.computing(1) / (self.fixed() + sum)
    }
}

/// How many gradients' worth of numbers one of so many machines sends.
pub fn both_ways(machines: usize) -> f64 {
    2.0 * (1.0 - 1.0 / machines as f64)
}

/// How so many processes added up the gradients of base.
pub fn of_base(way: &str, processes: usize) -> Sum {
    let mut all = sums().into_iter();
    let is = |sum: &Sum| {
        (sum.way.as_str(), sum.model.as_str(), sum.processes)
            == (way, "base", processes)
    };
    all.find(is).expect("it was measured")
}

pub const NETWORKS: [f64; 3] = [1.0, 10.0, 100.0];

pub fn powers() -> impl Iterator<Item = usize> + Clone {
    (0..=8).map(|power| 1 << power)
}
