//! What `src/logs/translation.sh` has left.

use super::counted;
use all_you_need::bleu::Counts;
use print::log::{self, number, table};

/// The seeds, first that of the book's model.
pub const SEEDS: [&str; 3] = ["1", "2", "3"];

/// The tests, and what Wu and others (2021) report for them.
pub const TESTS: [(&str, &str); 3] =
    [("test2016", "41.02"), ("test2017", "33.36"), ("mscoco", "29.88")];

/// A log of `translation.sh`.
pub fn log(name: &str) -> &'static str {
    log::read(&format!("translation-{name}"))
}

/// A row of the log of a run.
pub struct Row {
    pub update: usize,
    pub training: f64,
    pub validation: f64,
    pub tokens: f64,
    pub seconds: f64,
}

pub fn rows(log: &str) -> Vec<Row> {
    let row = |cells: [&str; 6]| Row {
        update: number(cells[0]),
        training: number(cells[2]),
        validation: number(cells[3]),
        tokens: number(cells[4]),
        seconds: number(cells[5]),
    };
    table(log).map(row).collect()
}

/// The row with the lowest loss on the validation captions.
pub fn lowest(rows: &[Row]) -> &Row {
    let lower = |a: &&Row, b: &&Row| a.validation.total_cmp(&b.validation);
    rows.iter().min_by(lower).expect("a row")
}

/// A row of the scores on val: of a mean of so many checkpoints.
pub struct Score {
    seed: &'static str,
    pub mean_of: usize,
    beam: usize,
    pub alpha: f64,
    pub bleu: f64,
}

/// All of them.
fn scores() -> impl Iterator<Item = Score> {
    let rows = table(log("scores")).filter(|row: &[_; 8]| row[1] == "val");
    rows.map(|row: [&'static str; 8]| Score {
        seed: row[0],
        mean_of: number(row[2]),
        beam: number(row[3]),
        alpha: number(row[4]),
        bleu: number(row[5]),
    })
}

/// The BLEU of a mean of checkpoints on val, with the paper's α.
pub fn on_val(seed: &str, mean_of: usize, beam: usize) -> f64 {
    let is = |score: &Score| {
        (score.seed, score.mean_of, score.beam, score.alpha)
            == (seed, mean_of, beam, 0.6)
    };
    scores().find(is).expect("a score").bleu
}

/// What is chosen for a seed, as the script chooses: of equals the first. One
/// row is greedy.
pub fn chosen(seed: &str) -> Score {
    let beams = scores().filter(|it| it.seed == seed && it.beam > 1);
    let best = beams.reduce(|a, b| if b.bleu > a.bleu { b } else { a });
    best.expect("a beam")
}

/// What was counted in each sentence of a test.
pub fn sentences(seed: &str, set: &str) -> Vec<Counts> {
    counted::sentences(log(&format!("sentences-{seed}-{set}")))
}

/// The BLEU of a seed on a test.
pub fn score(seed: &str, set: &str) -> f64 {
    counted::score(&sentences(seed, set))
}

/// The BLEU of all seeds on a test.
pub fn of_all_seeds(set: &str) -> Vec<f64> {
    SEEDS.map(|seed| score(seed, set)).to_vec()
}
