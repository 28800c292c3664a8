use all_you_need::loss::{CrossEntropy, perplexity};
use all_you_need::tensor::Matrix;

#[path = "../../exercises/checks/loss.rs"]
mod check;

// Exercise 1
//
// By 0.144, from 1.016 to 1.160. With $p$ for the favourite the loss is
// $-\ln p$ when the model is right and $-\ln((1 - p)/999)$ when it is not. The
// nine good times save 0.095 each, and the tenth costs 2.303 more. The mean is
// smallest where $p$ is the share of times that the model is right. (A loss is
// a 1 × 1 matrix, and `[0]` takes its number.)
#[test]
fn honesty_is_cheapest() {
    let pays = |p: f64| {
        let mut row = Matrix::from_element(1, 1000, ((1.0 - p) / 999.0).ln());
        row[0] = p.ln();
        let right = row.cross_entropy(&[0], 0.0)[0];
        let wrong = row.cross_entropy(&[1], 0.0)[0];
        0.9 * right + 0.1 * wrong
    };
    let sure = (1..100).map(|percent| f64::from(percent) / 100.0);
    let best = sure.min_by(|&a, &b| pays(a).total_cmp(&pays(b)));
    assert_eq!(best, Some(0.90));
    assert!((pays(0.90) - 1.016).abs() < 5e-4);
    assert!((pays(0.99) - 1.160).abs() < 5e-4);
}

// Exercise 2
//
// Ours is $0.1 \cdot V/(V - 1)$. Our ε gives the right token a part ε/V
// back, so it loses $\varepsilon (1 - 1/V)$, and that should be 0.1. For five
// tokens our ε is 0.125.
#[test]
fn two_smoothings_are_one() {
    let scores: Matrix =
        Matrix::from_row_slice(1, 5, &[0.3, -1.0, 2.0, 0.5, 0.0]);
    let total: f64 = scores.iter().map(|x| x.exp()).sum();
    let among_the_others: f64 = scores
        .iter()
        .enumerate()
        .map(|(j, x)| {
            let q = if j == 2 { 0.9 } else { 0.1 / 4.0 };
            -q * (x.exp() / total).ln()
        })
        .sum();
    let ours = scores.cross_entropy(&[2], 0.1 * 5.0 / 4.0)[0];
    assert!((ours - among_the_others).abs() < 1e-14);
}

// Exercise 3
//
// The largest logit is subtracted before the exponentials, so that none
// overflows, and added again after the logarithm. A logit minus the
// log-sum-exp is the logarithm of its probability, so the exponential of this
// is $p$, and $q$ is 1 at the right token.

/// The cross-entropy of one row of logits, and its slope by each of them.
pub fn surprise(logits: &[f64], target: usize) -> (f64, Vec<f64>) {
    let largest = logits.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    let sum: f64 = logits.iter().map(|x| (x - largest).exp()).sum();
    let total = largest + sum.ln();
    let p = logits.iter().map(|x| (x - total).exp());
    let mut slopes: Vec<f64> = p.collect();
    slopes[target] -= 1.0;
    (total - logits[target], slopes)
}

// Exercise 4
//
// It took the mean of the perplexities, and should take the perplexity of the
// mean. Losses are logarithms and may be averaged over tokens; after the
// exponential a few hard parts count far too much.

/// The perplexity of a text that was measured in parts.
pub fn text_perplexity(parts: &[(f64, usize)]) -> f64 {
    let tokens: usize = parts.iter().map(|(_, tokens)| tokens).sum();
    let sum = |&(loss, tokens): &(f64, usize)| loss * tokens as f64;
    perplexity(parts.iter().map(sum).sum::<f64>() / tokens as f64)
}
