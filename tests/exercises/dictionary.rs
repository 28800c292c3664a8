use all_you_need::dictionary::{soft_lookup, softmax};

#[path = "../../exercises/checks/dictionary.rs"]
mod check;

// Exercise 1
//
// Their logarithms: the exponential undoes them, and the exponentials sum to
// 1 already. There are many more answers, because the same number can be
// added to all three scores.
#[test]
fn the_logarithms_of_the_weights_are_scores_for_them() {
    let wanted = [0.5, 0.3, 0.2];
    for added in [0.0, 7.0, -40.0] {
        let scores = wanted.map(|weight: f64| weight.ln() + added);
        for (found, wanted) in softmax(&scores).iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-14);
        }
    }
}

// Exercise 2
//
// Weights are between 0 and 1, so as scores they differ by 1 at most. The
// largest weight is reached from 1, 0 and 0, and it is $e / (e + 2)$, about
// 0.576.
#[test]
fn a_second_softmax_leaves_no_weight_near_1() {
    let once = softmax(&[1000.0, 0.0, 0.0]);
    let twice = softmax(&once);
    assert_eq!(once[0], 1.0);
    assert!((twice[0] - 0.576).abs() < 0.001);
}

// Exercise 3
//
// The slope is the weight of the key, times how far its value is above the
// answer. So when the score of a key rises whose value is below the answer,
// the answer goes down.

/// How far the answer moves per unit that each score rises.
pub fn slopes(scores: &[f64], values: &[f64]) -> Vec<f64> {
    let weights = softmax(scores);
    let answer = soft_lookup(&weights, values);
    let slope = |(weight, value)| weight * (value - answer);
    weights.iter().zip(values).map(slope).collect()
}

// Exercise 4
//
// The search for the highest score begins at 0, so among negative scores it
// finds 0, and nothing is subtracted. At −800 each exponential is then 0, and
// so is their sum.

/// Turns any scores into weights, as softmax does.
pub fn weights(scores: &[f64]) -> Vec<f64> {
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exps = scores.iter().map(|s| (s - highest).exp());
    let exps: Vec<f64> = exps.collect();
    let total: f64 = exps.iter().sum();
    exps.iter().map(|e| e / total).collect()
}
