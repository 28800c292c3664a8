use all_you_need::attention::{Mask, Softmax, attention, scores, weights};
use all_you_need::tensor::Matrix;

use crate::golden::{SplitMix64, close, noise, row};

/// Sizes that all differ, so that no two roles can be swapped unseen.
const N: usize = 3;
const M: usize = 5;
const D_K: usize = 4;
const D_V: usize = 2;

fn qkv() -> (Matrix, Matrix, Matrix) {
    (noise(N, D_K, 1), noise(M, D_K, 2), noise(M, D_V, 3))
}

/// Equation 1 once more, in three loops and without a matrix product.
fn by_hand(q: &Matrix, k: &Matrix, v: &Matrix) -> Matrix {
    Matrix::from_fn(q.nrows(), v.ncols(), |i, c| {
        let score = |j: usize| {
            let terms = (0..q.ncols()).map(|l| q[(i, l)] * k[(j, l)]);
            terms.sum::<f64>() / (q.ncols() as f64).sqrt()
        };
        let power = |j: usize| score(j).exp();
        let total: f64 = (0..k.nrows()).map(power).sum();
        (0..k.nrows()).map(|j| power(j) / total * v[(j, c)]).sum()
    })
}

#[test]
fn attention_agrees_with_three_loops() {
    let (q, k, v) = qkv();
    let fast = attention(&q, &k, &v, &Mask::none(N, M));
    close(&fast, &by_hand(&q, &k, &v), 1e-14);
}

#[test]
fn a_score_is_a_dot_product_over_the_root_of_its_length() {
    let (q, k, _) = qkv();
    let scores = scores(&q, &k);
    assert_eq!(scores.shape(), (N, M));
    for i in 0..N {
        for j in 0..M {
            let dot = q.row(i).dot(&k.row(j));
            let (found, expected) = (scores[(i, j)], dot / 2.0);
            assert!((found - expected).abs() < 1e-14, "{found}, {expected}");
        }
    }
}

#[test]
fn every_row_of_weights_is_positive_and_one_in_all() {
    let (q, k, _) = qkv();
    let weights = weights(&q, &k, &Mask::none(N, M));
    assert!(weights.iter().all(|&weight| weight > 0.0));
    close(&row(weights.column_sum().as_slice()), &row(&[1.0; N]), 1e-14);
}

#[test]
fn adding_the_same_to_every_score_changes_no_weight() {
    let scores = noise(N, M, 4);
    let mask = Mask::none(N, M);
    let shifted = scores.add_scalar(1000.0).softmax(&mask);
    close(&shifted, &scores.softmax(&mask), 1e-12);
}

#[test]
fn scores_too_large_for_an_exponential_still_make_weights() {
    let weights = (noise(N, M, 5) * 1e6).softmax(&Mask::none(N, M));
    close(&row(weights.column_sum().as_slice()), &row(&[1.0; N]), 1e-14);
}

#[test]
fn a_row_that_may_see_nothing_gets_nothing() {
    let (q, k, v) = qkv();
    let mask = Mask::new(vec![0..M, 0..0, 0..M], M);
    let seen = attention(&q, &k, &v, &mask);
    assert_eq!(seen.row(1), Matrix::zeros(1, D_V).row(0));
    let unmasked = attention(&q, &k, &v, &Mask::none(N, M));
    close(&seen.rows(2, 1).into(), &unmasked.rows(2, 1).into(), 1e-15);
}

#[test]
fn the_result_stays_between_the_smallest_and_the_largest_value() {
    let (q, k, v) = qkv();
    let seen = attention(&q, &k, &v, &Mask::none(N, M));
    for (seen, v) in seen.column_iter().zip(v.column_iter()) {
        let values = v.min()..=v.max();
        assert!(seen.iter().all(|number| values.contains(number)));
    }
}

#[test]
fn the_order_of_the_keys_does_not_matter() {
    let (q, k, v) = qkv();
    let order = [3, 0, 4, 1, 2];
    let (k2, v2) = (k.select_rows(&order), v.select_rows(&order));
    let mask = Mask::none(N, M);
    close(
        &attention(&q, &k2, &v2, &mask),
        &attention(&q, &k, &v, &mask),
        1e-14,
    );
}

#[test]
fn one_query_gets_the_same_alone_as_in_company() {
    let (q, k, v) = qkv();
    let all = attention(&q, &k, &v, &Mask::none(N, M));
    let second: Matrix = q.rows(1, 1).into();
    let alone = attention(&second, &k, &v, &Mask::none(1, M));
    close(&alone, &all.rows(1, 1).into(), 1e-15);
}

/// In its own row; the others do not see it.
#[test]
fn a_nan_among_the_scores_makes_the_weights_nan() {
    for place in 0..N * M {
        let mut scores = noise(N, M, 6);
        scores[place] = f64::NAN;
        let weights = scores.softmax(&Mask::none(N, M));
        for (i, row) in weights.row_iter().enumerate() {
            let broken = i == place % N;
            assert!(row.iter().all(|weight| weight.is_nan() == broken));
        }
    }
}

#[test]
fn a_nan_that_is_hidden_by_the_mask_is_in_no_weight() {
    let mut scores = noise(N, M, 7);
    scores[(1, 4)] = f64::NAN;
    let weights = scores.softmax(&Mask::padding(N, M, 4));
    assert!(weights.iter().all(|weight| weight.is_finite()));
}

#[test]
#[should_panic(expected = "softmax: scores 3×5 under a mask 5×3")]
fn a_mask_of_the_wrong_size_is_refused() {
    let _ = noise(N, M, 1).softmax(&Mask::none(M, N));
}

#[test]
#[should_panic(expected = "4 columns meet 3 rows")]
fn keys_of_another_width_than_the_queries_are_refused() {
    let _ = scores(&noise(N, D_K, 1), &noise(M, 3, 2));
}

/// The fourth note's setting under four factors: entries of the first row,
/// the mean highest weight and the mean entropy.
#[test]
fn the_ledgers_golden_values_hold() {
    let x = SplitMix64(1).matrix(16, 32);
    let golden = [
        (
            32f64.powf(-0.5),
            [0.466173317893262, 0.377793465466731, 0.401346813958038],
            0.0956058338089888,
            2.754269941383203,
        ),
        (
            1.0,
            [0.482729141202066, 0.517266576918433, 0.697346407872438],
            0.409293574269437,
            2.05627446106951,
        ),
        (
            32f64.sqrt(),
            [0.557888766142888, 0.737713622290065, 0.967831130022140],
            0.920205769327333,
            0.187566310848571,
        ),
        (
            1024.0,
            [0.566561575172281, 0.745781757262701, 0.971002753586796],
            0.999608090525277,
            0.00237840027483,
        ),
    ];
    for (factor, first, highest, entropy) in golden {
        let weights =
            (&x * x.transpose() * factor).softmax(&Mask::none(16, 16));
        let out = &weights * &x;
        close(&out.view((0, 0), (1, 3)).into(), &row(&first), 1e-13);
        let highest_mean =
            weights.row_iter().map(|r| r.max()).sum::<f64>() / 16.0;
        let surprise =
            weights.map(|w| if w > 0.0 { -w * w.ln() } else { 0.0 });
        let found = row(&[highest_mean, surprise.sum() / 16.0]);
        close(&found, &row(&[highest, entropy]), 1e-13);
    }
    let right = attention(&x, &x, &x, &Mask::none(16, 16));
    close(&right.view((0, 0), (1, 3)).into(), &row(&golden[0].1), 1e-13);
}
