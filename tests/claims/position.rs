use all_you_need::attention::{Mask, attention};
use all_you_need::embedding::Embedding;
use all_you_need::position::{shift, sinusoidal};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Token, Vocabulary, one_hot, words};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::golden::{close, largest};

fn positions(n: usize, d: usize) -> Matrix {
    sinusoidal(&Vec::from_iter(0..n), d)
}

/// Rows `k` and after, and the rows `k` before them.
fn apart(pe: &Matrix, k: usize) -> (Matrix, Matrix) {
    let n = pe.nrows() - k;
    (pe.rows(k, n).into(), pe.rows(0, n).into())
}

fn mean_distance(pe: &Matrix, k: usize) -> f64 {
    let (later, earlier) = apart(pe, k);
    let steps = later - earlier;
    steps.row_iter().map(|row| row.norm()).sum::<f64>() / steps.nrows() as f64
}

/// How far the best matrix stays from `k` places on, as a part of the whole.
fn residual(pe: &Matrix, k: usize) -> f64 {
    let (later, earlier) = apart(pe, k);
    let svd = earlier.clone().svd(true, true);
    let best = svd.solve(&later, 1e-12).unwrap();
    (earlier * best - &later).norm() / later.norm()
}

/// The third note's rule: sines at even time-steps, cosines at odd ones.
fn by_time_steps(n: usize, d: usize) -> Matrix {
    Matrix::from_fn(n, d, |p, c| {
        let angle = p as f64 / 10000f64.powf((c / 2 * 2) as f64 / d as f64);
        if p % 2 == 0 { angle.sin() } else { angle.cos() }
    })
}

#[test]
fn the_ledgers_golden_values_hold() {
    let golden = nalgebra::dmatrix![
        0.0, 1.0, 0.0, 1.0;
        0.8414709848078965, 0.5403023058681398, 0.009999833334166664, 0.9999500004166653;
        0.9092974268256817, -0.4161468365471424, 0.01999866669333308, 0.9998000066665778;
        0.1411200080598672, -0.9899924966004454, 0.02999550020249566, 0.9995500337489875
    ];
    close(&positions(4, 4), &golden, 1e-15);
}

#[test]
fn the_rows_are_the_positions_named_in_the_order_named() {
    let named = sinusoidal(&[5, 0, 2, 5], 6);
    assert_eq!(named, positions(6, 6).gather(&[5, 0, 2, 5]));
}

#[test]
fn at_position_0_every_hand_points_to_twelve() {
    let first = sinusoidal(&[0], 10);
    let twelve = Matrix::from_fn(1, 10, |_, c| (c % 2) as f64);
    assert_eq!(first, twelve);
}

#[test]
fn every_position_is_as_long_as_the_root_of_half_its_width() {
    for row in positions(300, 512).row_iter() {
        assert!((row.norm() - 16.0).abs() < 1e-12);
    }
    for row in positions(300, 10).row_iter() {
        assert!((row.norm() - 5f64.sqrt()).abs() < 1e-12);
    }
}

#[test]
fn the_longest_wavelength_falls_short_of_the_papers() {
    let one = sinusoidal(&[1], 512);
    let slowest = one[510].atan2(one[511]);
    assert!((1.0 / slowest - 9646.616199111992).abs() < 1e-6);
    let fastest = one[0].atan2(one[1]);
    assert!((fastest - 1.0).abs() < 1e-15);
}

#[test]
fn one_matrix_takes_every_position_k_places_on() {
    let (n, d) = (100, 64);
    for k in [0, 1, 2, 5, 13] {
        let (later, earlier) = apart(&positions(n, d), k);
        close(&(earlier * shift(k, d)), &later, 2e-14);
    }
}

#[test]
fn a_dot_product_knows_the_distance_and_nothing_else() {
    let pe = positions(200, 64);
    let products = pe.matmul_t(&pe);
    for k in [0, 1, 2, 5, 50] {
        for p in 0..200 - k {
            let gap = products[(p, p + k)] - products[(0, k)];
            assert!(gap.abs() < 1e-12);
        }
    }
}

#[test]
fn no_two_of_two_hundred_positions_come_near_each_other() {
    let pe = positions(200, 64);
    let distances = (1..200).flat_map(|k| {
        let (later, earlier) = apart(&pe, k);
        let steps = later - earlier;
        steps.row_iter().map(|row| row.norm()).collect::<Vec<_>>()
    });
    let beyond: Vec<f64> = distances.map(|d| d - 1.4718480480).collect();
    assert!(beyond.iter().all(|&beyond| beyond > -1e-9));
    assert!(beyond.iter().any(|&beyond| beyond < 1e-9));
}

#[test]
fn by_columns_near_positions_are_near() {
    let pe = positions(200, 64);
    for (k, distance) in
        [(1, 1.471848048), (2, 2.718874030), (20, 5.122666459)]
    {
        assert!((mean_distance(&pe, k) - distance).abs() < 1e-8);
        assert!(residual(&pe, k) < 1e-12);
    }
}

#[test]
fn by_time_steps_neighbours_are_farther_than_twenty_places() {
    let wrong = by_time_steps(200, 64);
    for (k, distance) in
        [(1, 7.269652698), (2, 2.677506943), (20, 5.090791817)]
    {
        assert!((mean_distance(&wrong, k) - distance).abs() < 1e-8);
    }
    let squares = wrong.row_iter().map(|row| row.norm_squared());
    let squares: Vec<f64> = squares.collect();
    assert!((largest(&squares) - 60.304).abs() < 1e-3);
    assert_eq!(wrong.row(0).norm(), 0.0);
    for (k, missed) in [(1, 0.557), (2, 0.345), (5, 0.553)] {
        assert!((residual(&wrong, k) - missed).abs() < 2e-2);
    }
}

#[test]
fn divided_outside_the_sine_position_44_is_position_0() {
    let d = 64;
    let outside = Matrix::from_fn(45, d, |p, c| {
        let wave = [f64::sin, f64::cos][c % 2];
        wave(p as f64) / 10000f64.powf((c / 2 * 2) as f64 / d as f64)
    });
    assert!((outside.row(44) - outside.row(0)).norm() < 0.03);
    let right = positions(45, d);
    assert!((right.row(44) - right.row(0)).norm() > 4.0);
}

const IDS: [Token; 6] = [0, 1, 2, 3, 0, 4];
const SWAP: [usize; 6] = [0, 5, 2, 3, 4, 1];

#[test]
fn ids_and_one_hot_rows_keep_the_order() {
    let sentences =
        ["the cat jumped over the fence", "the fence jumped over the cat"];
    let vocabulary = Vocabulary::of(&words(sentences[0]));
    let [ids, swapped] =
        sentences.map(|s| vocabulary.encode(&words(s)).unwrap());
    assert_eq!(ids, IDS);
    assert_ne!(ids, swapped);
    assert_eq!(one_hot(&swapped, 5), one_hot(&ids, 5).gather(&SWAP));
    let rows = one_hot(&ids, 5);
    let back = rows.row_iter().map(|row| row.transpose().argmax().0);
    assert_eq!(Vec::from_iter(back.map(|id| id as Token)), ids);
}

/// The sentence, embedded: 6 × 16. The same each time.
fn embedded() -> Matrix {
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    Embedding::new(5, 16, rng).embed(&IDS)
}

/// Attention with random weights: 6 × 3. The same weights each time.
fn attended(x: &Matrix, mask: &Mask) -> Matrix {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let [w_q, w_k, w_v]: [Matrix; 3] = [4, 4, 3].map(|d| rng.weight(16, d));
    attention(&(x * w_q), &(x * w_k), &(x * w_v), mask)
}

#[test]
fn without_positions_results_move_along_with_their_words() {
    let (x, all) = (embedded(), Mask::none(6, 6));
    let (seen, swapped) = (attended(&x, &all), x.gather(&SWAP));
    close(&attended(&swapped, &all), &seen.gather(&SWAP), 1e-14);
    assert!(largest(&(attended(&swapped, &all) - &seen)) > 0.1);
    let mean = |m: &Matrix| m.row_mean();
    let moved = mean(&attended(&swapped, &all)) - mean(&seen);
    assert!(largest(&moved) < 1e-14);
}

#[test]
fn with_positions_or_a_causal_mask_they_do_not() {
    let (x, all) = (embedded(), Mask::none(6, 6));
    let causal = Mask::causal(6);
    let gap = attended(&x.gather(&SWAP), &causal)
        - attended(&x, &causal).gather(&SWAP);
    assert!(largest(&gap) > 0.1);
    let pe = positions(6, 16);
    let gap = attended(&(x.gather(&SWAP) + &pe), &all)
        - attended(&(x + &pe), &all).gather(&SWAP);
    assert!(largest(&gap) > 0.05);
}

#[test]
fn the_same_word_twice_is_told_apart_by_its_position_only() {
    let (x, all) = (embedded(), Mask::none(6, 6));
    let the = |x: &Matrix| {
        let seen = attended(x, &all);
        largest(&(seen.row(0) - seen.row(4)))
    };
    assert!(the(&x) < 1e-14);
    assert!(the(&(&x + positions(6, 16))) > 0.05);
}

#[test]
fn side_by_side_and_a_matrix_are_a_sum_again() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let (e, pe) = (embedded(), positions(6, 10));
    let w: Matrix = rng.weight(26, 7);
    let (upper, lower) = (w.rows(0, 16), w.rows(16, 10));
    let wide = Matrix::from_fn(6, 26, |i, c| {
        if c < 16 { e[(i, c)] } else { pe[(i, c - 16)] }
    });
    close(&(wide * &w), &(e * upper + pe * lower), 1e-14);
}

#[test]
fn first_all_sines_is_the_same_encoding_in_another_order() {
    let d = 64;
    let pe = positions(50, d);
    let order = Vec::from_iter((0..d).step_by(2).chain((1..d).step_by(2)));
    let sorted = pe.select_columns(&order);
    close(&sorted.matmul_t(&sorted), &pe.matmul_t(&pe), 1e-13);
    let w: Matrix = ChaCha8Rng::seed_from_u64(6).weight(d, 5);
    close(&(sorted * w.select_rows(&order)), &(pe * w), 1e-13);
}

#[test]
#[should_panic(expected = "sines and cosines come in pairs: 7 is odd")]
fn an_odd_width_has_half_a_hand() {
    let _ = sinusoidal(&[0, 1], 7);
}

#[test]
#[should_panic(expected = "sines and cosines come in pairs: 7 is odd")]
fn half_a_hand_cannot_be_turned() {
    let _ = shift(1, 7);
}

#[test]
#[should_panic(expected = "a matrix of 4294967296×4294967296 has more")]
fn a_shift_that_is_too_large_for_a_matrix_is_refused() {
    let _ = shift(1, 1 << 32);
}

#[test]
#[should_panic(expected = "a matrix of 4×4611686018427387904 has more")]
fn positions_that_are_too_wide_for_a_matrix_are_refused() {
    let _ = sinusoidal(&[0; 4], 1 << 62);
}
