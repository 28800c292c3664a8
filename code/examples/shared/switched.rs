//! The models that `src/logs/ablation.sh` has trained, each by itself.

use all_you_need::ablation::Switch;
use print::log::{self, number};

/// A trained model: what was changed, the loss in the end, and the per cent
/// of the texts that are right after each hundred updates.
pub struct Run {
    pub task: &'static str,
    pub change: &'static str,
    pub loss: f64,
    pub right: [f64; 8],
}

impl Run {
    /// Those of a log, which `src/logs/ablation.sh` has made.
    pub fn all(log: &str) -> Vec<Self> {
        let run = |row: [&'static str; 14]| {
            let [task, change, _, of, _, loss, right @ ..] = row;
            let percent = |n| 100.0 * number::<f64>(n) / number::<f64>(of);
            let right = right.map(percent);
            Self { task, change, loss: number(loss), right }
        };
        log::table(log::read(&format!("ablation-{log}"))).map(run).collect()
    }
}

/// What a switch is called, and the unchanged model.
pub fn title(name: &str) -> &'static str {
    let switch: Result<Switch, _> = name.parse();
    switch.map_or("the paper's model", |switch| switch.names().1)
}
