//! What was counted of each sentence of a test, and tests drawn from it.

#![allow(dead_code)] // Each example takes what it needs.

use all_you_need::bleu::Counts;
use print::log::number;
use rand::{RngExt, rngs::ChaCha8Rng};

/// Four matches, four totals and the length of the reference.
pub fn counts(cells: &[usize]) -> Counts {
    let four = |from: usize| std::array::from_fn(|i| cells[from + i]);
    Counts { matches: four(0), totals: four(4), reference_length: cells[8] }
}

/// The sentences of a log, which has no line with names.
pub fn sentences(log: &str) -> Vec<Counts> {
    let cells =
        |line: &str| -> Vec<usize> { line.split('\t').map(number).collect() };
    log.lines().map(|line| counts(&cells(line))).collect()
}

/// The BLEU of a test.
pub fn score(test: &[Counts]) -> f64 {
    test.iter().copied().sum::<Counts>().bleu().score
}

/// What so many resamples of a test score, from the least to the best.
pub fn resampled(
    counts: &[Counts],
    times: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    let mut draw = || counts[rng.random_range(0..counts.len())];
    let resample = |_| {
        let drawn: Counts = counts.iter().map(|_| draw()).sum();
        drawn.bleu().score
    };
    let mut scores: Vec<f64> = (0..times).map(resample).collect();
    scores.sort_by(f64::total_cmp);
    scores
}

/// By how much one model is ahead of another on a thousand tests, for which
/// the same sentences are drawn for both: from the least to the most.
pub fn paired(
    one: &[Counts],
    other: &[Counts],
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    let n = one.len();
    let mut ahead = || {
        let drawn: Vec<_> = (0..n).map(|_| rng.random_range(0..n)).collect();
        let score = |of: &[Counts]| {
            drawn.iter().map(|&i| of[i]).sum::<Counts>().bleu().score
        };
        score(one) - score(other)
    };
    let mut all: Vec<f64> = (0..1000).map(|_| ahead()).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// The words of the translations, divided by those of the references.
pub fn ratio(counts: &[Counts]) -> f64 {
    let words = counts.iter().map(|counts| counts.totals[0]);
    let wanted = counts.iter().map(|counts| counts.reference_length);
    words.sum::<usize>() as f64 / wanted.sum::<usize>() as f64
}
