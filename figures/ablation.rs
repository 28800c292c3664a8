//! The figures of the chapter on what each part is good for.

#[path = "../code/examples/ablation.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tasks::Task;
use example::{Compared, by_cost, title};
use plot::{Chart, Dots};

pub fn draw() {
    let tasks = [Task::Dates, Task::Reverse].map(Compared::new);
    models(&tasks);
    curves(&tasks[0]);
}

/// Every model of the table as a dot, those of the paper in the first row.
fn models(tasks: &[Compared; 2]) {
    let switches = by_cost(tasks);
    let said = tasks.each_ref().map(|task| {
        let verdicts =
            |verdict| move |name: &&&str| task.verdict(name) == verdict;
        let worse = switches.iter().filter(verdicts("worse")).count();
        let better = switches.iter().filter(verdicts("better")).count();
        format!(
            "On {} those of the paper lie from {:.0} to {:.0} %; wholly left \
             of them are {worse} rows, wholly right of them {better}",
            task.task.name(),
            task.paper.low,
            task.paper.high
        )
    });
    let described = format!(
        "{} rows of dots in two columns, one dot for the score of each \
         model, from 0 to 100 % right. {}.",
        switches.len() + 1,
        said.join(". ")
    );
    let dots = Dots::new("Each model with one thing changed", &described);
    let dots = tasks.iter().fold(dots, |dots, task| {
        dots.column(task.task.name(), task.paper.low..task.paper.high)
    });
    let names = ["none"].into_iter().chain(switches);
    let dots = names.fold(dots, |dots, name| {
        let scores = tasks.each_ref().map(|task| task.scores(name));
        dots.row(title(name), scores)
    });
    plot::save("ablation-models", &dots.draw());
}

/// What is right after each hundred updates, the mean of all seeds.
fn curve(dates: &Compared, name: &str) -> Vec<(f64, f64)> {
    let looks = 1..=8;
    looks.map(|look| (100.0 * look as f64, dates.after(look, name))).collect()
}

fn curves(dates: &Compared) {
    let names = [
        "none",
        "key-scale",
        "learned",
        "embedding-scale",
        "long-positions",
        "feed-forward",
    ];
    let series = names.map(|name| (title(name), curve(dates, name)));
    let early = 2;
    let said = series.iter().map(|(name, points)| {
        let [(_, then), (_, last)] = [points[early], points[7]];
        format!("{name}, {then:.0} and {last:.0}")
    });
    let described = format!(
        "Curves that rise, the mean of all seeds: the per cent of dates that \
         are right. After {} updates and in the end: {}.",
        series[0].1[early].0,
        said.collect::<Vec<_>>().join("; ")
    );
    let chart =
        Chart::new("Dates learned, with one thing changed", &described)
            .size(500.0, 320.0)
            .x("update")
            .y("per cent right")
            .y_range(0.0..100.0);
    let chart = series
        .into_iter()
        .fold(chart, |chart, (name, points)| chart.line(name, points));
    plot::save("ablation-curves", &chart.draw());
}
