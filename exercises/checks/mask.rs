//! Checks the exercises of the chapter on masks.

use super::{both, prefix};
use crate::expect::expect;
use all_you_need::attention::Mask;
use all_you_need::tensor::Matrix;

checks! {
    exercise_3: a_prefix_is_seen_by_all,
    exercise_4: both_masks_must_allow_a_key
}

/// 1 where a query may see a key, and 0 elsewhere.
fn cells(mask: &Mask) -> Matrix {
    mask.matrix().map(f64::exp)
}

fn a_prefix_is_seen_by_all() {
    let hint = "no question: a causal mask";
    expect(&cells(&prefix(4, 0)), &cells(&Mask::causal(4)), hint);
    let hint = "all four words are the question, and see each other";
    expect(&cells(&prefix(4, 4)), &cells(&Mask::none(4, 4)), hint);
    let hint = "a question of two words and an answer of three. May the \
                first word see the second? May the third see the fourth?";
    let expected = Mask::new(vec![0..2, 0..2, 0..3, 0..4, 0..5], 5);
    expect(&cells(&prefix(5, 2)), &cells(&expected), hint);
}

fn both_masks_must_allow_a_key() {
    let causal = Mask::causal(5);
    let padding = Mask::padding(5, 5, 3);
    let hint = "causal, and the last two words are padding";
    let expected = causal.and(&padding);
    expect(&cells(&both(&causal, &padding)), &cells(&expected), hint);
    let packed = Mask::packed(&[2, 3], &[2, 3]);
    let hint = "causal, and two sentences of two and three words. What does \
                the first word of the second sentence see?";
    let expected = causal.and(&packed);
    expect(&cells(&both(&causal, &packed)), &cells(&expected), hint);
    let hint = "the masks in the other order";
    expect(&cells(&both(&packed, &causal)), &cells(&expected), hint);
    let hint = "one mask allows a query only key 0, and the other only keys \
                3 and 4: nothing is left";
    let first = Mask::new(vec![0..1, 0..5], 5);
    let last = Mask::new(vec![3..5, 3..5], 5);
    let expected = Mask::new(vec![0..0, 3..5], 5);
    expect(&cells(&both(&first, &last)), &cells(&expected), hint);
}
