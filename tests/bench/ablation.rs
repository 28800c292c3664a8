//! Trains models with one thing changed, as tables with tabs. What is in a
//! file already is not trained again, so a run that was stopped goes on.
//!
//! `cargo bench --bench ablation -- switches FILE PULLED` trains each switch
//! with five seeds on two tasks. Into PULLED goes what the model of the paper
//! can do when a switch is thrown after its training.
//!
//! `cargo bench --bench ablation -- depth FILE` trains 2, 4, 8 and 16 layers
//! with the norm after and before, with and without warm-up.
//!
//! `cargo bench --bench ablation -- sizes FILE` varies heads, widths, layers
//! and dropout, as Table 3 of the paper does.
//!
//! `cargo bench --bench ablation -- captions FOLDER UPDATES FILE` trains
//! switches on the captions in FOLDER, and counts BLEU on its `val`.

use all_you_need::ablation::{Experiment, HELD_OUT, Switch, Switches};
use all_you_need::encoder::Config;
use all_you_need::tasks::Task;
use all_you_need::training::Recipe;
use std::env;
use std::fs::{OpenOptions, read_to_string};
use std::io::Write;

fn main() {
    // Cargo itself adds a flag.
    let all = env::args().skip(1).filter(|word| word != "--bench");
    let all: Vec<String> = all.collect();
    match all.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["switches", file, pulled] => switches(&Log(file), &Log(pulled)),
        ["depth", file] => depth(&Log(file)),
        ["sizes", file] => sizes(&Log(file)),
        _ => panic!("switches FILE PULLED, depth FILE, or sizes FILE"),
    }
}

const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;

/// After how many updates a model is looked at, again and again.
const LOOK: usize = 100;

/// A table with tabs, to which rows are added.
struct Log<'a>(&'a str);

impl Log<'_> {
    fn rows(&self) -> String {
        read_to_string(self.0).unwrap_or_default()
    }

    /// Whether there is a row that begins with these cells.
    fn has(&self, key: &str) -> bool {
        let key = format!("{key}\t");
        self.rows().lines().any(|row| row.starts_with(&key))
    }

    fn add(&self, head: &str, row: &str) {
        let new = self.rows().is_empty();
        let file = OpenOptions::new().create(true).append(true).open(self.0);
        let mut file =
            file.unwrap_or_else(|error| panic!("{}: {error}", self.0));
        let lines =
            if new { format!("{head}\n{row}\n") } else { format!("{row}\n") };
        file.write_all(lines.as_bytes()).expect("a file that can be written");
    }
}

/// Trains a model, if the log does not have it, and adds a row: how many
/// updates could be made, the loss in the end, and how many texts were right
/// after each hundred.
fn train(log: &Log, key: &str, mut learning: Experiment) -> Experiment {
    let updates = learning.learner.recipe.updates;
    let (mut made, mut right) = (updates, Vec::new());
    for update in 1..=updates {
        if made == updates && learning.step().is_err() {
            made = update - 1;
        }
        if update.is_multiple_of(LOOK) {
            right.push(learning.right().to_string());
        }
    }
    let looks = (1..=updates / LOOK).map(|i| (i * LOOK).to_string());
    let looks = looks.collect::<Vec<_>>().join("\t");
    let loss = learning.held_out_loss();
    log.add(
        &format!("task\tchange\tseed\tof\tupdates\tloss\t{looks}"),
        &format!(
            "{key}\t{HELD_OUT}\t{made}\t{loss:.4}\t{}",
            right.join("\t")
        ),
    );
    learning
}

fn switches(log: &Log, pulled: &Log) {
    for seed in SEEDS {
        for task in [Task::Dates, Task::Reverse] {
            let key = format!("{}\tnone\t{seed}", task.name());
            if !log.has(&key) {
                let none = Switches::default();
                let learning = Experiment::new(task, seed, none);
                pull(pulled, seed, train(log, &key, learning));
            }
            for switch in Switch::ALL {
                let key =
                    format!("{}\t{}\t{seed}", task.name(), switch.names().0);
                if !log.has(&key) {
                    let one = [switch].into_iter().collect();
                    train(log, &key, Experiment::new(task, seed, one));
                }
            }
        }
    }
}

/// Throws each switch for which that is possible after the training.
fn pull(log: &Log, seed: u64, mut learned: Experiment) {
    let later = Switch::ALL.into_iter().filter(|s| s.can_be_thrown_later());
    for switch in later {
        learned.learner.model.switches = [switch].into_iter().collect();
        let (task, name) = (learned.task.name(), switch.names().0);
        let (right, loss) = (learned.right(), learned.held_out_loss());
        log.add(
            "task\tchange\tseed\tof\tloss\tright",
            &format!(
                "{task}\t{name}\t{seed}\t{HELD_OUT}\t{loss:.4}\t{right}"
            ),
        );
    }
}

fn depth(log: &Log) {
    for seed in SEEDS {
        for layers in [2, 4, 8, 16] {
            for (change, switches) in [
                ("after", &[][..]),
                ("after, no warm-up", &[Switch::WarmUp]),
                ("before", &[Switch::NormFirst]),
                ("before, no warm-up", &[Switch::NormFirst, Switch::WarmUp]),
            ] {
                let key = format!("dates\t{layers} {change}\t{seed}");
                if !log.has(&key) {
                    let config = Config { layers, ..Experiment::config() };
                    let recipe = Recipe { seed, ..Experiment::recipe() };
                    let switches = switches.iter().copied().collect();
                    let learning = Experiment::with(
                        Task::Dates,
                        &config,
                        recipe,
                        switches,
                    );
                    train(log, &key, learning);
                }
            }
        }
    }
}

/// A row of the small Table 3: its name, sizes, dropout and switches.
type Row = (&'static str, Config, f64, Switches);

fn table() -> Vec<Row> {
    let base = Experiment::config;
    let heads = |heads: usize| {
        let d = 32 / heads;
        Config { heads, d_k: d, d_v: d, ..base() }
    };
    let none = Switches::default();
    let learned = [Switch::LearnedPositions].into_iter().collect();
    vec![
        ("base", base(), 0.0, none),
        ("A: h = 1", heads(1), 0.0, none),
        ("A: h = 4", heads(4), 0.0, none),
        ("A: h = 8", heads(8), 0.0, none),
        ("A: h = 16", heads(16), 0.0, none),
        ("B: d_k = 4", Config { d_k: 4, ..base() }, 0.0, none),
        ("B: d_k = 2", Config { d_k: 2, ..base() }, 0.0, none),
        ("C: N = 1", Config { layers: 1, ..base() }, 0.0, none),
        ("C: N = 3", Config { layers: 3, ..base() }, 0.0, none),
        (
            "C: d_model = 16",
            Config { d_model: 16, d_k: 8, d_v: 8, ..base() },
            0.0,
            none,
        ),
        (
            "C: d_model = 64",
            Config { d_model: 64, d_k: 32, d_v: 32, ..base() },
            0.0,
            none,
        ),
        ("C: d_ff = 32", Config { d_ff: 32, ..base() }, 0.0, none),
        ("C: d_ff = 256", Config { d_ff: 256, ..base() }, 0.0, none),
        ("D: dropout = 0.1", base(), 0.1, none),
        ("D: dropout = 0.3", base(), 0.3, none),
        ("E: learned positions", base(), 0.0, learned),
    ]
}

fn sizes(log: &Log) {
    for seed in SEEDS {
        for (name, config, dropout, switches) in table() {
            let key = format!("dates\t{name}\t{seed}");
            if !log.has(&key) {
                let recipe = Recipe { seed, dropout, ..Experiment::recipe() };
                let learning =
                    Experiment::with(Task::Dates, &config, recipe, switches);
                train(log, &key, learning);
            }
        }
    }
}
