//! The models that `src/logs/ablation.sh` has trained, compared.

use all_you_need::ablation::Switch;
use all_you_need::tasks::Task;
use print::{Fixed, least, mean, most, spread};

#[path = "../shared/switched.rs"]
mod switched;

pub use switched::{Run, title};

impl Run {
    /// The mean over the last four looks, since a single one jumps.
    pub fn score(&self) -> f64 {
        mean(&self.right[4..])
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
        Self { low: least(&all), mean: mean(&all), high: most(&all) }
    }

    pub fn cells(&self) -> [String; 2] {
        let range = [self.low, self.high].fixed(0).join("–");
        [self.mean.fixed(1), range]
    }
}

/// All switches on one task.
pub struct Compared {
    pub task: Task,
    runs: Vec<Run>,
    /// Those of the paper's model, with ten seeds.
    pub paper: Spread,
}

impl Compared {
    pub fn new(task: Task) -> Self {
        let mut runs = Run::all("switches");
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

    /// What they get right after so many hundreds of updates, the mean.
    pub fn after(&self, hundreds: usize, change: &str) -> f64 {
        let right = self.runs(change).map(|run| run.right[hundreds - 1]);
        Spread::of(right).mean
    }

    pub fn score(&self, change: &str) -> Spread {
        Spread::of(self.runs(change).map(Run::score))
    }

    /// The scores of the models with a change. Another seed is none, so the
    /// paper's model has ten.
    pub fn scores(&self, change: &str) -> Vec<f64> {
        let own = self.runs(change);
        match change {
            "none" => own.chain(self.runs("seed")).map(Run::score).collect(),
            _ => own.map(Run::score).collect(),
        }
    }

    /// The scores of the models with a change, and those of the paper's.
    fn both(&self, change: &str) -> [Vec<f64>; 2] {
        [change, "none"].map(|name| self.scores(name))
    }

    /// The standard error of the difference of the two means.
    pub fn standard_error(&self, change: &str) -> f64 {
        let squares = self.both(change).map(|scores| {
            let (_, deviation) = spread(&scores);
            deviation * deviation / scores.len() as f64
        });
        squares.iter().sum::<f64>().sqrt()
    }

    /// Of all ways to pick as many models as have the change, from those and
    /// the paper's, how many have a mean as low.
    pub fn ways_as_low(&self, change: &str) -> usize {
        let [own, paper] = self.both(change);
        let all = [&own[..], &paper].concat();
        let sum: f64 = own.iter().sum();
        let picks = 0..1_usize << all.len();
        let picks = picks.filter(|p| p.count_ones() as usize == own.len());
        let as_low = picks.filter(|pick| {
            let picked = (0..all.len()).filter(|i| pick >> i & 1 == 1);
            picked.map(|i| all[i]).sum::<f64>() < sum + 1e-9
        });
        as_low.count()
    }

    /// Whether all five models are worse than all ten of the paper, or all
    /// better, or neither.
    pub fn verdict(&self, change: &str) -> &'static str {
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
