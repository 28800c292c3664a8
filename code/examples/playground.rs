//! Two models learn to write words backwards, and only one has positions:
//! `cargo run --example playground`

use all_you_need::ablation::{Experiment, Switch, Switches};
use all_you_need::tasks::Task;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{Stream, generator};
use print::{Fixed, least, mean, most, section, table, value};

#[path = "shared/switched.rs"]
mod switched;

use switched::{Run, title};

/// The word that they are asked for, the same as on the page.
pub const WORD: &str = "planet";

/// After how many updates we look.
pub const MOMENTS: [usize; 5] = [1, 50, 100, 200, 400];

fn main() {
    let [paper, changed] = both();
    section("Two models learn");
    let rows = paper.iter().zip(&changed).map(|(a, b)| {
        let [loss, other] = [a, b].map(|look| format!("{:.2}", look.loss));
        let [wrote, written] = [a, b].map(|look| look.legible());
        (a.updates, loss, wrote, other, written)
    });
    table(["updates", "loss", WORD, "no positions", WORD], rows);
    section("Two models, in the text");
    let recipe = Experiment::recipe();
    value("updates", recipe.updates);
    let v = Tokenizer::default().vocabulary() as f64;
    let each = recipe.label_smoothing / v;
    let right = 1.0 - recipe.label_smoothing + each;
    let perfect = -right * right.ln() - (v - 1.0) * each * each.ln();
    value("even guessing", v.ln().fixed(2));
    value("at best", perfect.fixed(2));
    let mut rng = generator(1, Stream::Data);
    value("a date", Task::Dates.example(&mut rng).0);
    let words = (0..1000).map(|_| Task::Reverse.example(&mut rng).0.len());
    let lengths: Vec<f64> = words.map(|letters| letters as f64).collect();
    value("letters, least", least(&lengths));
    value("letters, most", most(&lengths));
    words_backwards();
}

/// What five models with each change get right, from the one that learns
/// least.
fn words_backwards() {
    section("Words backwards");
    let mut runs = Run::all("switches");
    runs.retain(|run| run.task == Task::Reverse.name());
    let names = Switch::ALL.map(|switch| switch.names().0);
    let rows = ["none"].into_iter().chain(names).map(|name| {
        let own: Vec<_> = runs.iter().filter(|r| r.change == name).collect();
        let of = |number: fn(&Run) -> f64| {
            mean(&own.iter().map(|run| number(run)).collect::<Vec<_>>())
        };
        let after =
            [of(|r| r.right[1]), of(|r| r.right[3]), of(|r| r.right[7])];
        (title(name), after, of(|r| r.loss))
    });
    let mut rows: Vec<_> = rows.collect();
    let sum = |right: &[f64; 3]| right.iter().sum::<f64>();
    rows.sort_by(|(_, a, _), (_, b, _)| sum(a).total_cmp(&sum(b)));
    let rows = rows
        .into_iter()
        .map(|(name, right, loss)| (name, right.fixed(0), loss.fixed(2)));
    table(["", "200", "400", "800", "loss"], rows);
}

/// What a model says at one moment.
pub struct Look {
    pub updates: usize,
    /// The loss of the last update.
    pub loss: f32,
    pub wrote: String,
    /// Where it looked meanwhile: a row for each letter written and the end,
    /// a column for each letter read and the end.
    pub looks: Matrix<f32>,
}

impl Look {
    /// A model that has not learned much writes any bytes.
    pub fn legible(&self) -> String {
        let plain = |letter: char| match letter {
            ' '..='~' => letter,
            _ => '·',
        };
        self.wrote.chars().map(plain).collect()
    }
}

/// The paper's model, and the same without positions.
pub fn both() -> [Vec<Look>; 2] {
    let changed: Switches = [Switch::Positions].into_iter().collect();
    [Switches::default(), changed].map(|switches| {
        let mut model = Experiment::new(Task::Reverse, 1, switches);
        MOMENTS.map(|moment| look(&mut model, moment)).into()
    })
}

/// Learns up to this moment, and looks.
fn look(model: &mut Experiment, moment: usize) -> Look {
    let mut loss = f32::NAN;
    while model.learner.adam.steps < moment {
        loss = model.step().expect("it does not diverge");
    }
    let wrote = model.write(WORD);
    let looks = model.looks(WORD, &wrote);
    Look { updates: moment, loss, wrote, looks }
}
