//! From a writer to an assistant: what is added to the plain writer.

use super::{Matrix, writer::Writer, writer::scores};

/// The loss of the answer that begins at `asked`: its surprise, times what it
/// is worth.
pub fn answer_loss(
    p: &Writer,
    text: &[usize],
    asked: usize,
    worth: f64,
) -> f64 {
    let scores = scores(p, text);
    let nats = |i: usize| {
        let row = scores.row(i - 1); // predicts token i
        let largest = row.max();
        let sum = row.map(|score| (score - largest).exp()).sum();
        largest + sum.ln() - row[text[i]]
    };
    worth * (asked..text.len()).map(nats).sum::<f64>()
}

/// What each answer of a group is worth: its reward minus their mean.
pub fn worths(rewards: &[f64]) -> Vec<f64> {
    let mean = rewards.iter().sum::<f64>() / rewards.len() as f64;
    rewards.iter().map(|reward| reward - mean).collect()
}

/// What a matrix does with two narrow ones beside it, which alone are learned:
/// from n × d_in to n × d_out.
pub fn lora(w: &Matrix, [down, up]: &[Matrix; 2], x: &Matrix) -> Matrix {
    x * w + x * down * up
}

/// The same as one matrix, when all is learned.
pub fn merge(w: &Matrix, [down, up]: &[Matrix; 2]) -> Matrix {
    w + down * up
}
