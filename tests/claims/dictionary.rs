use all_you_need::dictionary::{
    hard_lookup, soft_lookup, softmax, sum_of_matches,
};

use crate::golden::{close, row};

const PAIRS: [(&str, f64); 3] =
    [("apple", 10.0), ("banana", 5.0), ("chair", 2.0)];
const VALUES: [f64; 3] = [10.0, 5.0, 2.0];

/// Scores for *fruit*: e to the power of the first two is 0.6 and 0.4.
fn fruit(chair: f64) -> [f64; 3] {
    [0.6f64.ln(), 0.4f64.ln(), chair]
}

fn answer(scores: &[f64]) -> f64 {
    soft_lookup(&softmax(scores), &VALUES)
}

#[test]
fn a_hard_look_up_finds_a_key_or_says_so() {
    assert_eq!(hard_lookup(&PAIRS, "apple"), Some(10.0));
    assert_eq!(hard_lookup(&PAIRS, "chair"), Some(2.0));
    assert_eq!(hard_lookup(&PAIRS, "fruit"), None);
    assert_eq!(hard_lookup(&[], "apple"), None);
}

#[test]
fn a_sum_of_matches_finds_the_same_but_cannot_say_none() {
    for (key, value) in PAIRS {
        assert_eq!(sum_of_matches(&PAIRS, key), value);
    }
    assert_eq!(sum_of_matches(&PAIRS, "fruit"), 0.0);
}

#[test]
fn a_key_twice_is_found_once_and_summed_twice() {
    let pairs = [("apple", 10.0), ("banana", 5.0), ("apple", 7.0)];
    assert_eq!(hard_lookup(&pairs, "apple"), Some(10.0));
    assert_eq!(sum_of_matches(&pairs, "apple"), 17.0);
}

#[test]
fn six_parts_apple_and_four_parts_banana_make_eight() {
    assert_eq!(soft_lookup(&[0.6, 0.4, 0.0], &VALUES), 8.0);
}

#[test]
fn doubled_weights_double_the_answer() {
    assert_eq!(soft_lookup(&[1.2, 0.8, 0.0], &VALUES), 16.0);
}

#[test]
#[should_panic(expected = "one weight for each value")]
fn a_weight_too_few_is_refused() {
    soft_lookup(&[0.6, 0.4], &VALUES);
}

#[test]
fn softmax_agrees_with_its_formula() {
    let scores = [0.3, -1.2, 2.0, 0.0, -7.5];
    let total: f64 = scores.iter().map(|s: &f64| s.exp()).sum();
    let formula = scores.map(|s| s.exp() / total);
    close(&row(&softmax(&scores)), &row(&formula), 1e-15);
}

#[test]
fn weights_are_positive_and_one_in_all_and_keep_the_order_of_the_scores() {
    let scores = [-700.0, -3.0, 0.0, 0.5, 4.0];
    let weights = softmax(&scores);
    assert!(weights[0] > 0.0);
    assert!(weights.is_sorted());
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
}

#[test]
fn only_differences_between_scores_count() {
    for added in [-1e4, -3.0, 3.0, 1e4] {
        let shifted = fruit(-5.0).map(|score| score + added);
        close(&row(&softmax(&shifted)), &row(&softmax(&fruit(-5.0))), 1e-12);
    }
}

#[test]
fn scores_of_any_size_make_weights() {
    assert_eq!(softmax(&[1e300, -1e300]), [1.0, 0.0]);
    assert_eq!(softmax(&[-1e300, -1e300]), [0.5, 0.5]);
    assert_eq!(softmax(&[0.0, f64::NEG_INFINITY]), [1.0, 0.0]);
}

#[test]
fn a_cold_dictionary_is_hard_and_a_hot_one_takes_the_mean() {
    let at = |t: f64| answer(&fruit(-5.0).map(|score| score / t));
    assert!((at(0.01) - 10.0).abs() < 1e-12);
    assert!((at(1e9) - 17.0 / 3.0).abs() < 1e-8);
}

#[test]
fn the_order_of_the_pairs_does_not_matter() {
    let [apple, banana, chair] = fruit(-5.0);
    let turned = softmax(&[chair, apple, banana]);
    let turned = soft_lookup(&turned, &[2.0, 10.0, 5.0]);
    assert!((turned - answer(&fruit(-5.0))).abs() < 1e-14);
}

#[test]
fn the_answer_stays_between_the_smallest_and_the_largest_value() {
    for chair in [-30.0, 0.0, 5.0, 30.0] {
        let answer = answer(&fruit(chair));
        assert!((2.0..=10.0).contains(&answer));
    }
}

/// *chair*'s score against the answer: (8 + 2e^L) / (1 + e^L).
#[test]
fn the_ledgers_golden_values_hold() {
    let golden = [
        (-5.0, 0.006_692_850_924_284_855, 7.959_842_894_454_29),
        (-10.0, 4.539_786_870_243_438e-5, 7.999_727_612_787_785),
        (-20.0, 2.061_153_618_190_206_6e-9, 7.999_999_987_633_078),
        (-30.0, 9.357_622_968_839_313e-14, 7.999_999_999_999_44),
        (-700.0, 9.859_676_543_759_682e-305, 8.0),
        (-800.0, 0.0, 8.0),
    ];
    for (chair, weight, value) in golden {
        let found = softmax(&fruit(chair))[2];
        assert!((found - weight).abs() <= 1e-12 * weight, "{found}");
        assert!((answer(&fruit(chair)) - value).abs() < 1e-13);
    }
}

/// What the fifth note's sigmoid would give, and how it depends on a number
/// that should not matter.
#[test]
fn sigmoids_are_no_weights() {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let golden = [
        (0.0, 0.660_714_285_714_379_2, 5.178_571_428_571_615, 1e-13),
        (3.0, 1.812_689_103_985_369, 13.680_342_571_343_612, 1e-13),
    ];
    for (added, total, value, tolerance) in golden {
        let scores = fruit(-30.0).map(|score| score + added);
        let weights = scores.map(sigmoid);
        let sum: f64 = weights.iter().sum();
        assert!((sum - total).abs() < tolerance);
        let found = soft_lookup(&weights, &VALUES);
        assert!((found - value).abs() < tolerance);
        assert!((answer(&scores) - 7.999_999_999_999_44).abs() < 1e-12);
    }
}
