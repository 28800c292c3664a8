//! The figures of the chapter on what each part is good for.

#[path = "../code/examples/ablation.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::tasks::Task;
use example::{Compared, title};
use plot::Chart;

pub fn draw() {
    curves(&Compared::new(Task::Dates));
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
