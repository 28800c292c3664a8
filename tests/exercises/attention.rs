use all_you_need::attention::{Mask, Softmax, attention};
use nalgebra::dmatrix;

use crate::common::compare::largest;

/// Equal keys get equal weights, whatever the query: what comes out is the
/// mean of the values, here 17/3 and 4.
#[test]
fn exercise_1_if_all_keys_are_equal_every_query_gets_the_mean() {
    let q = dmatrix![5.0, -1.0; 0.0, 0.0];
    let k = dmatrix![1.0, 2.0; 1.0, 2.0; 1.0, 2.0];
    let v = dmatrix![10.0, 0.0; 5.0, 3.0; 2.0, 9.0];
    let seen = attention(&q, &k, &v, &Mask::none(2, 3));
    let mean = v.row_mean();
    assert!(largest(&(seen.row(0) - &mean)) < 1e-14);
    assert!(largest(&(seen.row(1) - &mean)) < 1e-14);
}

/// A louder query is a harder one: a hundred times (2, 0) leaves nothing for
/// banana, and the soft dictionary has become the hard one.
#[test]
fn exercise_2_a_loud_query_looks_up() {
    let k = dmatrix![2.0, 1.0; 1.0, 1.0; -2.0, 2.0];
    let v = dmatrix![10.0; 5.0; 2.0];
    let loud = dmatrix![200.0, 0.0];
    let seen = attention(&loud, &k, &v, &Mask::none(1, 3));
    assert_eq!(seen[0], 10.0);
}

/// e^a / (e^a + e^b) = 1 / (1 + e^(b−a)): divide above and below by e^a.
#[test]
fn exercise_3_for_two_keys_softmax_is_a_sigmoid() {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    for (a, b) in [(1.0, 3.0), (0.0, 0.0), (-2.0, 7.5)] {
        let weights = dmatrix![a, b].softmax(&Mask::none(1, 2));
        assert!((weights[0] - sigmoid(a - b)).abs() < 1e-15);
    }
}
