//! What each part is good for: `cargo run --example ablation`

use all_you_need::ablation::{Ablated, Experiment, Switch, Switches};
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::tasks::Task;
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::training::{Stream, generator};
use all_you_need::transformer::Transformer;
use print::{Fixed, grouped, mean, section, table, value};

#[path = "ablation/captions.rs"]
mod captions;
#[path = "ablation/frequency.rs"]
mod frequency;
#[path = "ablation/pulled.rs"]
mod pulled;
#[path = "ablation/runs.rs"]
mod runs;
#[path = "../../tests/bench/common/sizes.rs"]
mod sizes;

use runs::Run;
pub use runs::{Compared, Spread, by_cost, title};
use sizes::{LAYERS, WAYS, small_table_3};

fn main() {
    the_experiment();
    let tasks = [Task::Dates, Task::Reverse].map(Compared::new);
    one_thing_changed(&tasks);
    captions::on_captions();
    pulled::pulled_out(&tasks);
    by_depth();
    by_size(&tasks[0]);
}

fn the_experiment() {
    section("The experiment");
    let (config, recipe) = (Experiment::config(), Experiment::recipe());
    let new = Experiment::new(Task::Dates, 1, Switches::default());
    let Ablated { model, .. } = &new.learner.model;
    let all = parameter_count(model);
    value("switches", Switch::ALL.len());
    value("parameters", grouped(all));
    value("in feed-forward networks", in_networks(model));
    value("d_model", config.d_model);
    value("layers", config.layers);
    value("heads", config.heads);
    value("d_k", config.d_k);
    value("d_ff", config.d_ff);
    value("peak", recipe.peak_lr);
    value("warm-up", recipe.warmup);
    value("batch", recipe.batch_tokens);
    value("updates", recipe.updates);
    value("held out", new.held_out.len());
    let word = (config.d_model as f64).sqrt();
    value("length of a word", word.fixed(1));
    let place = length_of_a_place(&config);
    value("length of a place", place.fixed(0));
    value("length of a long place", (place * word).fixed(1));
    for (name, word, place) in [
        ("paper", word, place),
        ("unscaled", 1.0, place),
        ("learned", word, word),
        ("long", word, place * word),
    ] {
        value(format!("sum, {name}"), word.hypot(place).fixed(1));
    }
    let models = Run::all("switches").len();
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
    let (smoothing, all) = (recipe.label_smoothing, config.vocabulary);
    let learned = 1.0 - smoothing + smoothing / all as f64;
    value("what smoothing leaves", (-learned.ln()).fixed(3));
}

/// How many per cent of a model's parameters are in feed-forward networks.
fn in_networks<T: Tensor>(model: &Transformer<T>) -> usize {
    let encoder = model.encoder.layers.iter().map(|one| &one.feed_forward);
    let decoder = model.decoder.layers.iter().map(|one| &one.feed_forward);
    let networks: usize = encoder.chain(decoder).map(parameter_count).sum();
    100 * networks / parameter_count(model)
}

/// The length of a row of sines.
fn length_of_a_place(config: &Config) -> f64 {
    (config.d_model as f64 / 2.0).sqrt()
}

fn one_thing_changed(tasks: &[Compared; 2]) {
    section("One thing changed");
    let names = ["none"].into_iter().chain(by_cost(tasks));
    let rows = names.map(|name| {
        let [dates, reverse] = tasks.each_ref().map(|task| match name {
            "none" => (task.paper.cells(), task.verdict(name)),
            _ => (task.score(name).cells(), task.verdict(name)),
        });
        (title(name), dates, reverse)
    });
    let names = ["", "dates", "from–to", "", "reverse", "from–to", ""];
    table(names, rows);
    section("In numbers");
    let [dates, reverse] = tasks;
    let Spread { low, high, .. } = dates.paper;
    value("lowest of the paper", low.fixed(1));
    value("highest of the paper", high.fixed(1));
    value("difference", (high - low).fixed(1));
    value("reverse, lowest", reverse.paper.low.fixed(0));
    for (name, score) in
        [("none", reverse.paper), ("smoothing", reverse.score("smoothing"))]
    {
        let range = [score.low, score.high].fixed(0).join(" to ");
        value(format!("reverse, {name}, from and to"), range);
    }
    for name in ["positions", "key-scale", "feed-forward", "embedding-scale"]
    {
        let mean = dates.score(name).mean;
        value(format!("dates, {name}"), mean.fixed(0));
    }
    let without = dates.score("embedding-scale").low;
    value("dates, embedding-scale, lowest", without.fixed(0));
    for name in ["none", "residual", "mask", "shift"] {
        let loss = Spread::of(dates.runs(name).map(|run| run.loss)).mean;
        value(format!("dates, {name}, loss"), loss.fixed(3));
    }
    without_a_verdict(tasks);
    frequency::by_frequency();
}

/// What may hide in the rows without a verdict.
fn without_a_verdict(tasks: &[Compared; 2]) {
    let names = [
        "one-head",
        "output-projection",
        "norm-first",
        "tying",
        "smoothing",
        "warm-up",
    ];
    for task in tasks {
        let errors = names.map(|name| 2.0 * task.standard_error(name));
        let name = format!("uncertain, {}", task.task.name());
        value(name, mean(&errors).fixed(0));
    }
    let [dates, _] = tasks;
    for name in ["norm", "feed-forward"] {
        let lower = dates.paper.mean - dates.score(name).mean;
        value(format!("{name}, lower by"), lower.fixed(1));
        value(format!("{name}, ways as low"), dates.ways_as_low(name));
    }
}

/// What models of so many layers get right, trained in this way.
fn deep(layers: usize, way: &str) -> Spread {
    let name = format!("{layers} {way}");
    let runs = Run::all("depth");
    let runs = runs.iter().filter(|run| run.change == name);
    Spread::of(runs.map(Run::score))
}

fn by_depth() {
    section("By depth");
    let rows = LAYERS.map(|layers| {
        (layers, WAYS.map(|way| deep(layers, way).cells().join("  ")))
    });
    table(
        ["N", "after", "after, no warm-up", "before", "before, no warm-up"],
        rows,
    );
    section("How deep");
    value("models per depth", Run::all("depth").len() / 16);
}

fn by_size(dates: &Compared) {
    let runs = Run::all("sizes");
    let models = runs.iter().filter(|run| run.change == "A: h = 4").count();
    let rows = small_table_3().map(|(name, config, _, known)| {
        let own: Vec<&Run> = match known {
            Some(change) => dates.runs(change).take(models).collect(),
            None => runs.iter().filter(|run| run.change == name).collect(),
        };
        let score = own.iter().map(|run| run.score());
        let score = Spread::of(score).cells();
        let switch: Option<Switch> = known.and_then(|name| name.parse().ok());
        let switches = switch.into_iter().collect();
        let model: Ablated<Matrix<f32>> = Ablated::new(
            &config,
            switches,
            &mut generator(1, Stream::Weights),
        );
        (name, grouped(parameter_count(&model)), score)
    });
    let first = |name: &str| {
        let widths = name.starts_with("C: d_model");
        widths || !["A", "B", "C"].contains(&&name[..1])
    };
    let (first, others): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|(name, ..)| first(name));
    for (title, rows) in [("By size", first), ("The other sizes", others)] {
        section(title);
        table(["", "parameters", "right", "from–to"], rows);
    }
    section("With dropout");
    value("models per size", models);
}
