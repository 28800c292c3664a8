//! Trains models with one thing changed, as tables with tabs. What is in a
//! file already is not trained again, so a run that was stopped goes on.
//!
//! `cargo bench --bench ablation -- switches FILE PULLED` trains each switch
//! with five seeds on two tasks. Into PULLED goes what the model of the paper
//! can do when a switch is thrown after its training.
//!
//! `cargo bench --bench ablation -- depth FILE` trains 2, 4, 8 and 16 layers
//! with the norm after and before, with and without warm-up, two seeds each.
//!
//! `cargo bench --bench ablation -- sizes FILE` varies heads, widths, layers
//! and dropout, as Table 3 of the paper does.
//!
//! `cargo bench --bench ablation -- learn TASK SWITCH SEED` prints the loss of
//! each update of one of these runs; SWITCH may be `none`.
//!
//! `cargo bench --bench ablation -- captions FOLDER UPDATES FILE` trains the
//! switches that matter most on the captions `train` in FOLDER, with three
//! seeds, and says the loss and the BLEU of `val`.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "common/log.rs"]
mod log;
#[path = "common/sizes.rs"]
mod sizes_of;

use all_you_need::ablation::{
    Experiment, HELD_OUT, Learner, Switch, Switches,
};
use all_you_need::bleu::{Tokenize, bleu};
use all_you_need::encoder::Config;
use all_you_need::tasks::Task;
use all_you_need::tokens::{Token, Tokenizer};
use all_you_need::training::{Example, Recipe, target_tokens};
use all_you_need::translation::{
    TextPair, corpus, examples, learn_tokenizer, normalize,
};
use arguments::arguments;
use log::Log;
use sizes_of::{LAYERS, small_table_3};
use std::path::Path;

fn main() {
    match arguments()[..] {
        ["switches", file, pulled] => switches(&Log(file), &Log(pulled)),
        ["depth", file] => depth(&Log(file)),
        ["sizes", file] => sizes(&Log(file)),
        ["learn", task, switch, seed] => {
            let task = task.parse().unwrap_or_else(|e| panic!("{e}"));
            let seed = seed.parse().expect("a seed is a number");
            learn_one(Experiment::new(task, seed, named(switch)));
        }
        ["captions", folder, updates, file] => {
            let updates = updates.parse().expect("a number of updates");
            captions(Path::new(folder), updates, &Log(file));
        }
        _ => panic!(
            "switches FILE PULLED, depth FILE, sizes FILE, learn TASK SWITCH \
             SEED, or captions FOLDER UPDATES FILE"
        ),
    }
}

/// After how many updates a model is looked at, again and again.
const LOOK: usize = 100;

/// Trains a model. Its row says how many updates could be made, the loss in
/// the end, and how many texts were right after each hundred.
fn train(learning: &mut Experiment) -> String {
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
    let loss = learning.held_out_loss();
    format!("{HELD_OUT}\t{made}\t{loss:.4}\t{}", right.join("\t"))
}

/// The names of what [`train`] says.
fn head() -> String {
    let looks = LOOK..=Experiment::recipe().updates;
    let looks = looks.step_by(LOOK).map(|update| update.to_string());
    let looks = looks.collect::<Vec<_>>().join("\t");
    format!("task\tchange\tseed\tof\tupdates\tloss\t{looks}")
}

/// Trains a model and adds its row, unless the log has it.
fn run(log: &Log, key: &str, new: impl FnOnce() -> Experiment) {
    if !log.has(key) {
        let row = train(&mut new());
        log.add(&head(), &format!("{key}\t{row}"));
    }
}

fn switches(log: &Log, pulled: &Log) {
    for seed in 1..=5 {
        for task in [Task::Dates, Task::Reverse] {
            let key = format!("{}\tnone\t{seed}", task.name());
            if !log.has(&key) {
                let none = Switches::default();
                let mut learning = Experiment::new(task, seed, none);
                let row = train(&mut learning);
                pull(pulled, seed, learning);
                log.add(&head(), &format!("{key}\t{row}"));
            }
            for switch in Switch::ALL {
                let name = switch.names().0;
                let key = format!("{}\t{name}\t{seed}", task.name());
                run(log, &key, || Experiment::new(task, seed, one(switch)));
            }
        }
    }
}

/// The switch of this name, or none.
fn named(name: &str) -> Switches {
    match name {
        "none" => Switches::default(),
        _ => one(name.parse().unwrap_or_else(|error| panic!("{error}"))),
    }
}

fn learn_one(mut learning: Experiment) {
    println!("update\tloss");
    for update in 1..=learning.learner.recipe.updates {
        match learning.step() {
            Ok(loss) => println!("{update}\t{loss}"),
            Err(diverged) => panic!("{diverged}"),
        }
    }
}

fn one(switch: Switch) -> Switches {
    [switch].into_iter().collect()
}

/// Throws each switch for which that is possible after the training.
fn pull(log: &Log, seed: u64, mut learned: Experiment) {
    let later = Switch::ALL.into_iter().filter(|s| s.can_be_thrown_later());
    for switch in later {
        let (task, name) = (learned.task.name(), switch.names().0);
        let key = format!("{task}\t{name}\t{seed}");
        if !log.has(&key) {
            learned.learner.model.switches = one(switch);
            let (right, loss) = (learned.right(), learned.held_out_loss());
            log.add(
                "task\tchange\tseed\tof\tloss\tright",
                &format!("{key}\t{HELD_OUT}\t{loss:.4}\t{right}"),
            );
        }
    }
}

fn depth(log: &Log) {
    for seed in 1..=2 {
        for layers in LAYERS {
            for (change, switches) in [
                ("after", &[][..]),
                ("after, no warm-up", &[Switch::WarmUp]),
                ("before", &[Switch::NormFirst]),
                ("before, no warm-up", &[Switch::NormFirst, Switch::WarmUp]),
            ] {
                let key = format!("dates\t{layers} {change}\t{seed}");
                let config = Config { layers, ..Experiment::config() };
                let recipe = Recipe { seed, ..Experiment::recipe() };
                let switches = switches.iter().copied().collect();
                run(log, &key, || {
                    Experiment::with(Task::Dates, &config, recipe, switches)
                });
            }
        }
    }
}

/// What the switches' log has already is not trained again.
fn sizes(log: &Log) {
    for seed in 1..=3 {
        let new = small_table_3().into_iter().filter(|row| row.3.is_none());
        for (name, config, dropout, _) in new {
            let key = format!("dates\t{name}\t{seed}");
            let recipe = Recipe { seed, dropout, ..Experiment::recipe() };
            let none = Switches::default();
            run(log, &key, || {
                Experiment::with(Task::Dates, &config, recipe, none)
            });
        }
    }
}

/// What is changed of the translator.
const OF_CAPTIONS: [Switch; 9] = [
    Switch::EmbeddingScale,
    Switch::LongPositions,
    Switch::Positions,
    Switch::KeyScale,
    Switch::Residual,
    Switch::Norm,
    Switch::NormFirst,
    Switch::FeedForward,
    Switch::WarmUp,
];

fn captions(folder: &Path, updates: usize, log: &Log) {
    let train = pairs(folder, "train");
    let val = pairs(folder, "val");
    // All bytes and the two ends are tokens before the first merge.
    let merges = Config::tiny().vocabulary - 258;
    let tokenizer = learn_tokenizer(&train, merges);
    let vocabulary = tokenizer.vocabulary();
    let config = Config { vocabulary, ..Config::tiny() };
    let learned =
        |pairs| examples(pairs, &tokenizer).expect("short captions");
    let (lessons, tests) = (learned(&train), learned(&val));
    let changes = OF_CAPTIONS.map(|switch| (switch.names().0, one(switch)));
    let all = [&[("none", Switches::default())][..], &changes].concat();
    for seed in 1..=3 {
        for &(name, switches) in &all {
            let key = format!("captions\t{name}\t{seed}");
            if !log.has(&key) {
                let recipe = tenth(updates, seed);
                let mut learner = Learner::new(&config, recipe, switches);
                let made = learn(&mut learner, &lessons);
                let loss = loss(&learner, &tests);
                let bleu = score(&learner, &tests, &val, &tokenizer);
                log.add(
                    "task\tchange\tseed\tupdates\tloss\tBLEU",
                    &format!("{key}\t{made}\t{loss:.4}\t{bleu:.2}"),
                );
            }
        }
    }
}

/// The translator's recipe with fewer updates: as there, half of them in both
/// directions, and a quarter of them to warm up.
fn tenth(updates: usize, seed: u64) -> Recipe {
    Recipe {
        updates,
        bidirectional_updates: updates / 2,
        warmup: updates.div_ceil(4),
        parts: 1,
        seed,
        ..Recipe::tiny()
    }
}

/// Makes all updates, or as many as can be made, and counts them.
fn learn(learner: &mut Learner, lessons: &[Example]) -> usize {
    let recipe = learner.recipe.clone();
    let batches = recipe.batches(lessons, 0).take(recipe.updates);
    batches
        .map(|batch| learner.update(&batch.expect("in memory")))
        .take_while(Result::is_ok)
        .count()
}

/// The English and the German captions of a set.
fn pairs(folder: &Path, set: &str) -> Vec<TextPair> {
    let [en, de] =
        ["en", "de"].map(|end| folder.join(format!("{set}.{end}")));
    let pairs = corpus(&en, &de).unwrap_or_else(|error| panic!("{error}"));
    let normal = |(en, de): TextPair| (normalize(&en), de);
    pairs.into_iter().map(normal).collect()
}

/// By how many tokens a translation may be longer than the longest source
/// beside it.
const LONGER: usize = 10;

/// How many captions are computed at the same time.
const TOGETHER: usize = 100;

fn loss(learner: &Learner, tests: &[Example]) -> f64 {
    let part = |part: &[Example]| {
        let loss = f64::from(learner.model.loss(part, 0.0)[0]);
        loss * target_tokens(part) as f64
    };
    let nats: f64 = tests.chunks(TOGETHER).map(part).sum();
    nats / target_tokens(tests) as f64
}

fn score(
    learner: &Learner,
    tests: &[Example],
    val: &[TextPair],
    tokenizer: &Tokenizer,
) -> f64 {
    let ends = (tokenizer.bos(), tokenizer.eos());
    let written = tests.chunks(TOGETHER).flat_map(|tests| {
        let sources: Vec<Vec<Token>> =
            tests.iter().map(|test| test.source.clone()).collect();
        let longest = sources.iter().map(Vec::len).max().unwrap_or(0);
        learner.model.greedy(&sources, longest + LONGER, ends)
    });
    let written: Vec<_> =
        written.map(|tokens| tokenizer.decode(&tokens)).collect();
    let wanted: Vec<_> = val.iter().map(|(_, german)| german).collect();
    bleu(&written, &wanted, Tokenize::None).score
}
