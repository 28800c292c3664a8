//! The figures of the chapter on assistants.

#[path = "../code/examples/assistant.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::{KINDS, Measure, named, right, steps};
use plot::Chart;
use print::spread;

pub fn draw() {
    stages();
    rewards();
}

/// How many answers are right after each stage, and how far the seeds are
/// apart.
fn stages() {
    let stages = ["read", "tuned", "lora", "checked"].map(named);
    let found = |stage: &'static str, kind| {
        spread(&right(stage, kind, Measure::Drawn))
    };
    let said = stages.map(|(stage, name)| {
        let each = [0, 1, 2].map(|kind| {
            let (mean, deviation) = found(stage, kind);
            format!("{} {mean:.0} ± {deviation:.0}", KINDS[kind])
        });
        format!("{name}: {}", each.join(", "))
    });
    let described = format!(
        "The share of drawn answers that are right, in per cent, after each \
         stage; a cross for each kind of questions has the mean of the seeds \
         and a standard deviation to both sides. {}.",
        said.join("; ")
    );
    // Who rewards is said on the page.
    let names = stages.map(|(_, name)| name.split(" by ").next());
    let names = names.map(|name| name.expect("a name begins"));
    let chart = Chart::new("What each stage did", &described)
        .size(500.0, 320.0)
        .x_names(&names)
        .y("right, per cent")
        .y_range(0.0..100.0);
    // A point outside of the chart ends a line.
    let pause = (0.0, 0.0);
    let crosses = |kind: usize| -> Vec<(f64, f64)> {
        let cross =
            |(i, (stage, _)): (usize, &(&'static str, &'static str))| {
                let (mean, deviation) = found(stage, kind);
                let x = 0.85 + i as f64 + 0.15 * kind as f64;
                let (low, high) = (mean - deviation, mean + deviation);
                [
                    (x, low.max(0.0)),
                    (x, high.min(100.0)),
                    pause,
                    (x - 0.06, mean),
                    (x + 0.06, mean),
                    pause,
                ]
            };
        stages.iter().enumerate().flat_map(cross).collect()
    };
    let chart = (0..KINDS.len())
        .fold(chart, |chart, kind| chart.line(KINDS[kind], crosses(kind)));
    plot::save("assistant-stages", &chart.draw());
}

/// The mean reward of each ten updates.
fn rewards() {
    let both = [("checked", "the check"), ("careless", "the careless check")];
    let said = both.map(|(stage, name)| {
        let all = steps(stage, 0);
        let ends = [all[0], all[all.len() - 1]];
        let [first, last] = ends.map(|(_, y)| format!("{y:.2}"));
        format!("{name} from {first} to {last}")
    });
    let described = format!(
        "The mean reward of the drawn answers over the updates of the policy \
         gradient, the mean of all seeds: {}.",
        said.join("; ")
    );
    let chart = Chart::new("Rewards", &described)
        .size(500.0, 300.0)
        .x("updates")
        .y("mean reward")
        .y_range(0.0..1.0);
    let chart = both.iter().fold(chart, |chart, (stage, name)| {
        chart.line(name, steps(stage, 0))
    });
    plot::save("assistant-rewards", &chart.draw());
}
