//! What each part is good for: `cargo run --example ablation`

use all_you_need::ablation::{Ablated, Experiment, Switch, Switches};
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::tasks::Task;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Stream, generator};
use print::log::{self, number};
use print::{grouped, section, table, value};

fn main() {
    the_experiment();
    let tasks = [Task::Dates, Task::Reverse].map(Compared::new);
    one_thing_changed(&tasks);
    pulled_out(&tasks);
    by_depth();
    by_size(&tasks[0]);
}

/// What `src/logs/ablation.sh` has found: five models for each switch.
const SWITCHES: &str = include_str!("../../src/logs/ablation-switches.tsv");
/// The same switches, thrown after training.
const PULLED: &str = include_str!("../../src/logs/ablation-pulled.tsv");
/// The norm after and before, in models of many layers.
const DEPTH: &str = include_str!("../../src/logs/ablation-depth.tsv");
/// Models of other sizes.
const SIZES: &str = include_str!("../../src/logs/ablation-sizes.tsv");

/// A trained model: what was changed, the loss in the end, and the per cent
/// of the texts that are right after each hundred updates.
pub struct Run {
    pub task: &'static str,
    pub change: &'static str,
    pub loss: f64,
    pub right: [f64; 8],
}

impl Run {
    pub fn all(log: &'static str) -> Vec<Self> {
        let run = |row: [&'static str; 14]| {
            let [task, change, _, of, _, loss, right @ ..] = row;
            let percent = |n| 100.0 * number::<f64>(n) / number::<f64>(of);
            let right = right.map(percent);
            Self { task, change, loss: number(loss), right }
        };
        log::table(log).map(run).collect()
    }

    /// The mean over the last four looks, since a single one jumps.
    pub fn score(&self) -> f64 {
        self.right[4..].iter().sum::<f64>() / 4.0
    }
}

/// The lowest, the mean and the highest.
#[derive(Clone, Copy)]
pub struct Spread {
    pub low: f64,
    pub mean: f64,
    pub high: f64,
}

impl Spread {
    pub fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let all: Vec<f64> = numbers.collect();
        Self {
            low: all.iter().copied().fold(f64::INFINITY, f64::min),
            mean: all.iter().sum::<f64>() / all.len() as f64,
            high: all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    fn cells(&self) -> [String; 2] {
        let Self { low, mean, high } = self;
        [format!("{mean:.1}"), format!("{low:.0}–{high:.0}")]
    }
}

/// What a switch is called, and the unchanged model.
pub fn title(name: &str) -> &'static str {
    let switch: Result<Switch, _> = name.parse();
    switch.map_or("the paper's model", |switch| switch.names().1)
}

/// All switches on one task.
pub struct Compared {
    pub task: Task,
    runs: Vec<Run>,
    /// The paper's model with ten seeds.
    pub paper: Spread,
}

impl Compared {
    pub fn new(task: Task) -> Self {
        let mut runs = Run::all(SWITCHES);
        runs.retain(|run| run.task == task.name());
        let own =
            runs.iter().filter(|r| ["none", "seed"].contains(&r.change));
        let paper = Spread::of(own.map(Run::score));
        Self { task, runs, paper }
    }

    /// The models with this change.
    pub fn runs(&self, change: &str) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(move |run| run.change == change)
    }

    pub fn score(&self, change: &str) -> Spread {
        Spread::of(self.runs(change).map(Run::score))
    }

    /// Whether all five models are worse than all ten of the paper, or all
    /// better, or neither.
    fn verdict(&self, change: &str) -> &'static str {
        let Spread { low, high, .. } = self.score(change);
        match () {
            () if high < self.paper.low => "worse",
            () if low > self.paper.high => "better",
            () => "",
        }
    }
}

/// The names of all switches, from the one that cost most to the one that
/// cost least: the mean of both tasks.
pub fn by_cost(tasks: &[Compared; 2]) -> Vec<&'static str> {
    let mut names: Vec<_> = Switch::ALL.map(|s| s.names().0).to_vec();
    let both = |name| tasks.iter().map(|t| t.score(name).mean).sum::<f64>();
    names.sort_by(|a, b| both(a).total_cmp(&both(b)));
    names
}

fn the_experiment() {
    section("The experiment");
    let (config, recipe) = (Experiment::config(), Experiment::recipe());
    let new = Experiment::new(Task::Dates, 1, Switches::default());
    let Ablated { model, .. } = &new.learner.model;
    let all = parameter_count(model);
    let encoder = model.encoder.layers.iter().map(|one| &one.feed_forward);
    let decoder = model.decoder.layers.iter().map(|one| &one.feed_forward);
    let networks: usize = encoder.chain(decoder).map(parameter_count).sum();
    value("switches", Switch::ALL.len());
    value("parameters", grouped(all));
    value("in feed-forward networks", format!("{}", 100 * networks / all));
    value("d_model", config.d_model);
    value("batch", recipe.batch_tokens);
    value("updates", recipe.updates);
    value("held out", new.held_out.len());
    let width = config.d_model as f64;
    value("length of a word", format!("{:.1}", width.sqrt()));
    value("length of a place", format!("{:.0}", (width / 2.0).sqrt()));
    let models = Run::all(SWITCHES).len();
    // Each switch, and none, on two tasks.
    value("models per switch", models / (Switch::ALL.len() + 1) / 2);
    value("models", models);
    // Of fifteen places in a row, the five lowest.
    let ways: f64 =
        (1..=5).map(|n| f64::from(n + 10) / f64::from(n)).product();
    value("ways", grouped(ways.round() as usize));
    // Each switch but the seed, on two tasks, worse or better.
    let questions = 4 * (Switch::ALL.len() - 1);
    value("questions", questions);
    let one = 100.0 * questions as f64 / ways;
    value("one by luck", format!("{one:.0}"));
    let (smoothing, all) = (recipe.label_smoothing, config.vocabulary);
    let learned = 1.0 - smoothing + smoothing / all as f64;
    value("what smoothing leaves", format!("{:.3}", -learned.ln()));
}

fn one_thing_changed(tasks: &[Compared; 2]) {
    section("One thing changed");
    let names = ["none"].into_iter().chain(by_cost(tasks));
    let rows = names.map(|name| {
        let [[a, b], [c, d]] = tasks.each_ref().map(|task| match name {
            "none" => task.paper.cells(),
            _ => task.score(name).cells(),
        });
        let [verdict, other] = tasks.each_ref().map(|t| t.verdict(name));
        let verdict = verdict.to_owned();
        [title(name).to_owned(), a, b, verdict, c, d, other.to_owned()]
    });
    let names = ["", "dates", "from–to", "", "reverse", "from–to", ""];
    table(names, rows);
    section("In numbers");
    let [dates, _] = tasks;
    let Spread { low, high, .. } = dates.paper;
    value("lowest of the paper", format!("{low:.1}"));
    value("highest of the paper", format!("{high:.1}"));
    value("difference", format!("{:.1}", high - low));
    for name in ["positions", "key-scale", "feed-forward", "embedding-scale"]
    {
        let mean = dates.score(name).mean;
        value(&format!("dates, {name}"), format!("{mean:.0}"));
    }
    for name in ["none", "residual", "mask", "shift"] {
        let loss = Spread::of(dates.runs(name).map(|run| run.loss)).mean;
        value(&format!("dates, {name}, loss"), format!("{loss:.3}"));
    }
}

/// What the trained model does without a part, and what one does that was
/// trained without it.
fn pulled_out(tasks: &[Compared; 2]) {
    section("Pulled out, and trained without");
    let trained = |task: &Compared, name: &str| {
        let end = Spread::of(task.runs(name).map(|run| run.right[7]));
        format!("{:.1}", end.mean)
    };
    let [dates, reverse] = tasks;
    let names = by_cost(tasks).into_iter().filter(|name| {
        let switch: Result<Switch, _> = name.parse();
        switch.is_ok_and(Switch::can_be_thrown_later)
    });
    let rows = names.map(|name| {
        let [a, b] = [pulled(dates.task, name), trained(dates, name)];
        let [c, d] = [pulled(reverse.task, name), trained(reverse, name)];
        [title(name).to_owned(), a, b, c, d]
    });
    table(
        ["", "dates: pulled", "without", "reverse: pulled", "without"],
        rows,
    );
    section("Whole");
    value("dates, whole", trained(dates, "none"));
    value("reverse, whole", trained(reverse, "none"));
    value("dates, mask, pulled", pulled(dates.task, "mask"));
}

/// What the trained models get right when a switch is thrown, the mean.
fn pulled(task: Task, name: &str) -> String {
    let rows = log::table::<6>(PULLED)
        .filter(|[own, change, ..]| (*own, *change) == (task.name(), name));
    let percent = rows.map(|[_, _, _, of, _, right]| {
        100.0 * number::<f64>(right) / number::<f64>(of)
    });
    format!("{:.1}", Spread::of(percent).mean)
}

/// The ways that a deep model is trained.
pub const WAYS: [&str; 4] =
    ["after", "after, no warm-up", "before", "before, no warm-up"];

/// How many layers the deep models have.
pub const LAYERS: [usize; 4] = [2, 4, 8, 16];

/// What models of so many layers get right, trained in this way.
pub fn deep(layers: usize, way: &str) -> Spread {
    let name = format!("{layers} {way}");
    let runs = Run::all(DEPTH);
    let runs = runs.iter().filter(|run| run.change == name);
    Spread::of(runs.map(Run::score))
}

fn by_depth() {
    section("By depth");
    let rows = LAYERS.map(|layers| {
        let [a, b, c, d] =
            WAYS.map(|way| deep(layers, way).cells().join("  "));
        [layers.to_string(), a, b, c, d]
    });
    table(
        ["N", "after", "after, no warm-up", "before", "before, no warm-up"],
        rows,
    );
    section("How deep");
    value("models per depth", Run::all(DEPTH).len() / 16);
    for layers in LAYERS {
        for way in WAYS {
            let [mean, _] = deep(layers, way).cells();
            value(&format!("{layers} {way}"), mean);
        }
    }
}

/// A row of a small Table 3: its name, sizes and dropout, and the switch that
/// makes the same model, which has been trained already.
pub type Row = (&'static str, Config, f64, Option<&'static str>);

/// A small Table 3.
pub fn small_table_3() -> [Row; 16] {
    let base = Experiment::config;
    let heads = |heads: usize| {
        let d = base().d_model / heads;
        Config { heads, d_k: d, d_v: d, ..base() }
    };
    let wide = |d_model: usize| Config {
        d_model,
        d_k: d_model / 2,
        d_v: d_model / 2,
        ..base()
    };
    [
        ("base", base(), 0.0, Some("none")),
        ("A: h = 1", heads(1), 0.0, Some("one-head")),
        ("A: h = 4", heads(4), 0.0, None),
        ("A: h = 8", heads(8), 0.0, None),
        ("A: h = 16", heads(16), 0.0, None),
        ("B: d_k = 4", Config { d_k: 4, ..base() }, 0.0, None),
        ("B: d_k = 2", Config { d_k: 2, ..base() }, 0.0, None),
        ("C: N = 1", Config { layers: 1, ..base() }, 0.0, None),
        ("C: N = 3", Config { layers: 3, ..base() }, 0.0, None),
        ("C: d_model = 16", wide(16), 0.0, None),
        ("C: d_model = 64", wide(64), 0.0, None),
        ("C: d_ff = 32", Config { d_ff: 32, ..base() }, 0.0, None),
        ("C: d_ff = 256", Config { d_ff: 256, ..base() }, 0.0, None),
        ("D: dropout = 0.1", base(), 0.1, None),
        ("D: dropout = 0.3", base(), 0.3, None),
        ("E: learned positions", base(), 0.0, Some("learned")),
    ]
}

fn by_size(dates: &Compared) {
    section("By size");
    let runs = Run::all(SIZES);
    let models = runs.iter().filter(|run| run.change == "A: h = 4").count();
    let rows = small_table_3().map(|(name, config, _, known)| {
        let own: Vec<&Run> = match known {
            Some(change) => dates.runs(change).take(models).collect(),
            None => runs.iter().filter(|run| run.change == name).collect(),
        };
        let score = own.iter().map(|run| run.score());
        let [mean, range] = Spread::of(score).cells();
        let switch: Option<Switch> = known.and_then(|name| name.parse().ok());
        let switches = switch.into_iter().collect();
        let model: Ablated<Matrix<f32>> = Ablated::new(
            &config,
            switches,
            &mut generator(1, Stream::Weights),
        );
        let parameters = grouped(parameter_count(&model));
        [name.to_owned(), parameters, mean, range]
    });
    table(["", "parameters", "right", "from–to"], rows);
    section("With dropout");
    value("models per size", models);
    let most = runs.iter().filter(|run| run.change == "D: dropout = 0.3");
    let mean = Spread::of(most.map(Run::score)).mean;
    value("dropout 0.3", format!("{mean:.0}"));
}
