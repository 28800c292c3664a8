//! The figure of the chapter on assistants.

#[path = "../code/examples/assistant.rs"]
#[expect(dead_code)] // what it prints
mod example;

use example::steps;
use plot::Chart;

/// The mean reward of each ten updates.
pub fn draw() {
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
