//! Trainings with other rates, in another order, and of too few words, as
//! `src/logs/training.sh` has made them.

use super::recipe;
use all_you_need::training::Recipe;
use print::log::{self, number};
use print::{Fixed, section, table, value};

/// How a model was doing, and the mean loss of the ten updates before.
pub struct Look {
    pub update: f64,
    pub training: f64,
    /// Nats a token of sixty words that are learned, and of held-out ones.
    pub learned: f64,
    pub held_out: f64,
    /// How many of a hundred held-out words are right.
    pub right: f64,
}

/// A training run, looked at before the first update and after every tenth.
pub struct Run(Vec<Look>);

impl Run {
    /// The run of this name.
    pub fn logged(name: &str) -> Self {
        let rows = log::table::<6>(log::read("training-runs"));
        let own = rows.filter(|row| row[0] == name);
        let look = |[_, cells @ ..]: [&str; 6]| {
            let [update, training, learned, held_out, right] =
                cells.map(number);
            Look { update, training, learned, held_out, right }
        };
        Self(own.map(look).collect())
    }

    /// The last look.
    pub fn last(&self) -> &Look {
        &self.0[self.0.len() - 1]
    }

    /// When held-out words cost least.
    pub fn stop(&self) -> &Look {
        let looks = self.0.iter();
        let least = looks.min_by(|a, b| a.held_out.total_cmp(&b.held_out));
        least.expect("looks")
    }

    /// What is said of each look.
    pub fn curve(&self, value: impl Fn(&Look) -> f64) -> Vec<(f64, f64)> {
        self.0.iter().map(|look| (look.update, value(look))).collect()
    }

    /// The losses while it learned.
    pub fn in_training(&self) -> Vec<(f64, f64)> {
        self.curve(|look| look.training).split_off(1)
    }
}

/// Learning rates, one of which is to be chosen.
pub const PEAKS: [f64; 5] = [0.0001, 0.001, 0.009, 0.03, 0.1];

/// Each with 200 updates.
pub fn with_peak(peak_lr: f64) -> Recipe {
    Recipe { peak_lr, updates: 200, ..recipe() }
}

pub fn five_peaks() {
    section("Five learning rates");
    let rows = PEAKS.map(|peak| {
        let run = Run::logged(&peak.to_string());
        let Look { training, held_out, right, .. } = *run.last();
        (peak, [training, held_out].fixed(2), right)
    });
    table(["peak", "loss", "held out", "right of 100"], rows);
}

pub fn without_shuffling() {
    let [shuffled, sorted] =
        [&PEAKS[2].to_string(), "sorted"].map(Run::logged);
    section("In alphabetical order");
    value("shuffled, right", shuffled.last().right);
    value("sorted, right", sorted.last().right);
}

/// So few words can be learned by heart.
pub const FEW: usize = 60;

/// Sixty words are learned in these ways: names, and shares of smoothing,
/// dropout and decay.
pub const WAYS: [(&str, [f64; 3]); 5] = [
    ("nothing", [0.0, 0.0, 0.0]),
    ("smoothing", [0.1, 0.0, 0.0]),
    ("smoothing + dropout", [0.1, 0.1, 0.0]),
    ("smoothing + decay", [0.1, 0.0, 0.5]),
    ("all three", [0.1, 0.1, 0.5]),
];

/// Five hundred updates in one of these ways.
pub fn with_way(
    [label_smoothing, dropout, weight_decay]: [f64; 3],
) -> Recipe {
    let (batch_tokens, updates) = (150, 500);
    Recipe {
        batch_tokens,
        updates,
        label_smoothing,
        dropout,
        weight_decay,
        ..recipe()
    }
}

pub fn by_heart() {
    section("Sixty words");
    let rows = WAYS.map(|(name, _)| {
        let run = Run::logged(name);
        let (last, stop) = (run.last(), run.stop());
        let costs = [last.learned, last.held_out].fixed(2);
        (name, costs, last.right, stop.held_out.fixed(2), stop.update)
    });
    table(["", "learned", "held out", "right of 100", "least", "at"], rows);
    section("By heart");
    let hard = Run::logged(WAYS[0].0);
    let (last, stop) = (hard.last(), hard.stop());
    value("stop at", stop.update);
    value("held out then", stop.held_out.fixed(2));
    value("right then", stop.right);
    value("held out in the end", last.held_out.fixed(2));
    value("right in the end", last.right);
}
