//! From a writer to an assistant: what is added to the plain writer.

use super::{Matrix, softmax, writer::Writer, writer::scores};

/// What an answer costs, which begins at `asked`: minus the logarithm of its
/// probability, times what it is worth.
pub fn answer_loss(
    p: &Writer,
    text: &[usize],
    asked: usize,
    worth: f64,
) -> f64 {
    let shares = softmax(&scores(p, text));
    let nats = |i: usize| -shares[(i - 1, text[i])].ln();
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
