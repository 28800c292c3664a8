//! The figures of the chapter on what each part is good for.

#[path = "../code/examples/ablation.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tasks::Task;
use example::{Compared, LAYERS, Spread, WAYS, by_cost, deep, title};
use plot::{Bars, Chart, Hue};

pub fn draw() {
    let tasks = [Task::Dates, Task::Reverse].map(Compared::new);
    costs(&tasks);
    curves(&tasks[0]);
    depth();
}

/// How much is right without each part.
fn costs(tasks: &[Compared; 2]) {
    let [dates, _] = tasks;
    let names = by_cost(tasks).into_iter().filter(|name| *name != "seed");
    let scores: Vec<_> =
        names.map(|name| (title(name), dates.score(name).mean)).collect();
    let listed = scores.iter().map(|(name, right)| format!("{name} {right:.0}"));
    let described = format!(
        "Bars for the per cent of dates that are right, the mean of all \
         seeds. The paper's model: {:.0}. With one thing changed: {}.",
        dates.paper.mean,
        listed.collect::<Vec<_>>().join(", ")
    );
    let bars = Bars::new("Dates that are right", &described)
        .heading("per cent of the dates")
        .decimals(0)
        .full(100.0)
        .bar_in(Hue::OURS, title("none"), dates.paper.mean);
    let bars = scores.iter().fold(bars, |bars, (name, right)| {
        bars.bar_in(Hue::RIVAL, name, *right)
    });
    plot::save("ablation-costs", &bars.draw());
}

/// What is right after each hundred updates, the mean of all seeds.
fn curve(dates: &Compared, name: &str) -> Vec<(f64, f64)> {
    let mean = |look: usize| {
        Spread::of(dates.runs(name).map(|run| run.right[look])).mean
    };
    (0..8).map(|look| (100.0 * (look + 1) as f64, mean(look))).collect()
}

fn curves(dates: &Compared) {
    let series = [
        (Hue::OURS, "none"),
        (Hue::Green, "learned"),
        (Hue::Purple, "embedding-scale"),
        (Hue::RIVAL, "key-scale"),
        (Hue::Yellow, "feed-forward"),
        (Hue::Ink, "positions"),
    ];
    let series = series.map(|(hue, name)| (hue, name, curve(dates, name)));
    let said = series.iter().map(|(_, name, points)| {
        let at = |look: usize| points[look].1;
        format!("{}, {:.0} and {:.0}", title(name), at(2), at(7))
    });
    let described = format!(
        "Curves that rise, the mean of all seeds: the per cent of dates that \
         are right after each hundred updates. At the third hundred and in \
         the end: {}.",
        said.collect::<Vec<_>>().join("; ")
    );
    let chart = Chart::new("Dates learned, with one thing changed", &described)
        .size(560.0, 320.0)
        .x("update")
        .y("per cent right")
        .y_range(0.0..100.0);
    let chart = series.into_iter().fold(chart, |chart, (hue, name, points)| {
        chart.line_in(hue, title(name), points)
    });
    plot::save("ablation-curves", &chart.draw());
}

/// The norm after and before, with more and more layers.
fn depth() {
    let hues = [Hue::OURS, Hue::Sky, Hue::RIVAL, Hue::Yellow];
    let points = |way: &str| {
        LAYERS.map(|layers| (layers as f64, deep(layers, way).mean))
    };
    let said = WAYS.map(|way| {
        let all = points(way).map(|(_, right)| format!("{right:.0}"));
        format!("norm {way}: {}", all.join(", "))
    });
    let described = format!(
        "Four lines: the per cent of dates that are right, for models of {} \
         layers. {}.",
        LAYERS.map(|n| n.to_string()).join(", "),
        said.join("; ")
    );
    let chart = Chart::new("Deeper and deeper", &described)
        .size(560.0, 300.0)
        .log_x()
        .x("layers on each side")
        .y("per cent right")
        .y_range(0.0..100.0);
    let chart = hues.into_iter().zip(WAYS).fold(chart, |chart, (hue, way)| {
        chart.line_in(hue, way, points(way))
    });
    plot::save("ablation-depth", &chart.draw());
}
