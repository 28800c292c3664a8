use all_you_need::attention::{Mask, Softmax, attention};
use all_you_need::heads::{Heads, MultiHead};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::one_hot;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::golden::{SplitMix64, close, largest, noise, normal, row};

/// Sizes that all differ, so that no two roles can be swapped unseen.
const N: usize = 3;
const M: usize = 5;
const D_MODEL: usize = 10;
const H: usize = 2;
const D_K: usize = 4;
const D_V: usize = 7;

fn heads(seed: u64) -> MultiHead<Matrix> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    MultiHead::new(H, D_MODEL, (D_K, D_V), rng)
}

fn xy() -> (Matrix, Matrix, Mask) {
    (noise(N, D_MODEL, 1), noise(M, D_MODEL, 2), Mask::none(N, M))
}

#[test]
fn slices_of_one_product_are_as_many_small_products() {
    let (x, y, mask) = xy();
    let heads = heads(3);
    let mut sum = Matrix::zeros(N, D_MODEL);
    for i in 0..H {
        let q = &x * heads.w_q.columns(i * D_K, D_K);
        let k = &y * heads.w_k.columns(i * D_K, D_K);
        let v = &y * heads.w_v.columns(i * D_V, D_V);
        sum += attention(&q, &k, &v, &mask) * heads.w_o.rows(i * D_V, D_V);
    }
    close(&heads.forward(&x, &y, &mask), &sum, 1e-14);
}

#[test]
fn one_head_without_projections_is_attention() {
    let (x, y, mask) = xy();
    let one = Matrix::identity(D_MODEL, D_MODEL);
    let [w_q, w_k, w_v, w_o] = [0; 4].map(|_| one.clone());
    let head = MultiHead { heads: 1, w_q, w_k, w_v, w_o };
    let plain = attention(&x, &y, &y, &mask);
    close(&head.forward(&x, &y, &mask), &plain, 1e-15);
    let two = MultiHead { heads: 2, ..head };
    assert!(largest(&(two.forward(&x, &y, &mask) - plain)) > 0.1);
}

#[test]
fn keys_and_values_serve_any_number_of_queries() {
    let (x, y, mask) = xy();
    let heads = heads(4);
    let kv = heads.keys_values(&y);
    assert_eq!(kv.keys.shape(), (M, H * D_K));
    assert_eq!(kv.values.shape(), (M, H * D_V));
    for x in [x.clone(), x * 2.0] {
        let again = heads.attend(&x, &kv, &mask);
        assert_eq!(again, heads.forward(&x, &y, &mask));
    }
}

#[test]
fn every_head_has_weights_of_its_own_and_each_row_is_one() {
    let (x, y, mask) = xy();
    let heads = heads(5);
    let weights = heads.weights(&x, &y, &mask);
    assert_eq!(weights.len(), H);
    for weights in &weights {
        assert_eq!(weights.shape(), (N, M));
        close(&row(weights.column_sum().as_slice()), &row(&[1.0; N]), 1e-14);
    }
    assert!(largest(&(&weights[0] - &weights[1])) > 0.1);
    let values = heads.keys_values(&y).values.chunk(H);
    let taken = |i: usize| &weights[i] * &values[i];
    let joined = Matrix::concat(&[taken(0), taken(1)]);
    close(&(joined * &heads.w_o), &heads.forward(&x, &y, &mask), 1e-14);
}

#[test]
fn a_mask_holds_for_every_head() {
    let (x, y, _) = xy();
    let mask = Mask::new(vec![0..2, 1..2, 3..5], M);
    for weights in heads(6).weights(&x, &y, &mask) {
        for (i, visible) in mask.visible().iter().enumerate() {
            for j in 0..M {
                assert_eq!(weights[(i, j)] > 0.0, visible.contains(&j));
            }
        }
    }
}

#[test]
fn single_precision_gives_the_same() {
    let (x, y, mask) = xy();
    let heads = heads(7);
    let single = |m: &Matrix| m.map(|number| number as f32);
    let quick = MultiHead {
        heads: H,
        w_q: single(&heads.w_q),
        w_k: single(&heads.w_k),
        w_v: single(&heads.w_v),
        w_o: single(&heads.w_o),
    };
    let quick = quick.forward(&single(&x), &single(&y), &mask);
    close(&quick.map(f64::from), &heads.forward(&x, &y, &mask), 1e-5);
}

#[test]
fn no_values_tell_apart_what_a_mixture_has_mixed() {
    let evenly = Matrix::from_row_slice(1, 2, &[0.5, 0.5]);
    // The cat at place 0 and the fence at place 1, and the reverse.
    let one = Matrix::concat(&[one_hot(&[0, 1], 2), one_hot(&[0, 1], 2)]);
    let other = Matrix::concat(&[one_hot(&[1, 0], 2), one_hot(&[0, 1], 2)]);
    let w_v = noise(4, 3, 8);
    close(&(&evenly * one * &w_v), &(&evenly * other * &w_v), 1e-15);
}

#[test]
#[should_panic(expected = "chunk: 8 columns do not make 3 equal chunks")]
fn heads_that_do_not_divide_the_columns_are_refused() {
    let (x, y, mask) = xy();
    let _ = MultiHead { heads: 3, ..heads(9) }.forward(&x, &y, &mask);
}

#[test]
#[should_panic(expected = "matmul: 3×9 times 10×8: 9 columns meet 10 rows")]
fn rows_of_another_width_are_refused() {
    let (_, y, mask) = xy();
    let _ = heads(9).forward(&noise(N, 9, 1), &y, &mask);
}

/// What the ledger calls E8: 6 rows of 16 numbers, 4 heads.
struct Ledger {
    x: Matrix,
    w: [Matrix; 3],
}

impl Ledger {
    fn new() -> Self {
        let source = &mut SplitMix64(21);
        let x = normal(source, 6, 16);
        Self { x, w: [0; 3].map(|_| normal(source, 16, 16) / 4.0) }
    }

    /// The heads' results, side by side.
    fn joined(&self, x: &Matrix) -> Matrix {
        let [q, k, v] = self.w.each_ref().map(|w| x * w);
        Matrix::attend_heads(&q, &k, &v, 4, &Mask::none(6, 6))
    }
}

/// How far each head has moved.
fn moved(before: &Matrix, after: &Matrix) -> Matrix {
    let gap = Tensor::chunk(&(before - after), 4);
    row(&gap.iter().map(largest).collect::<Vec<_>>())
}

#[test]
fn only_the_raw_array_keeps_features_from_the_other_heads() {
    let ledger = Ledger::new();
    let mut other = ledger.x.clone();
    for (i, mut row) in other.columns_mut(12, 4).row_iter_mut().enumerate() {
        row.add_scalar_mut((i + 1) as f64);
    }
    let raw =
        |x: &Matrix| Matrix::attend_heads(x, x, x, 4, &Mask::none(6, 6));
    close(
        &moved(&raw(&ledger.x), &raw(&other)),
        &row(&[0.0, 0.0, 0.0, 7.1928]),
        5e-5,
    );
    close(
        &moved(&ledger.joined(&ledger.x), &ledger.joined(&other)),
        &row(&[6.7998, 1.9402, 6.2279, 4.9629]),
        5e-5,
    );
}

#[test]
fn the_farthest_word_reaches_every_head() {
    let ledger = Ledger::new();
    let mut other = ledger.x.clone();
    other.row_mut(5).add_scalar_mut(1.0);
    let first = |x: &Matrix| ledger.joined(x).rows(0, 1).into_owned();
    close(
        &moved(&first(&ledger.x), &first(&other)),
        &row(&[0.6182, 0.4656, 0.0468, 0.1262]),
        5e-5,
    );
}

#[test]
fn equal_heads_are_one_head() {
    let mut ledger = Ledger::new();
    assert_eq!(ledger.joined(&ledger.x).rank(1e-9), 6);
    ledger.w = ledger.w.map(|w| {
        let first = Tensor::chunk(&w, 4)[0].clone();
        Matrix::concat(&[0; 4].map(|_| first.clone()))
    });
    let joined = ledger.joined(&ledger.x);
    let parts = Tensor::chunk(&joined, 4);
    assert!(parts.iter().all(|part| largest(&(part - &parts[0])) < 1e-15));
    assert_eq!(joined.rank(1e-9), 4);
}

/// What the ledger calls E22: 8 words in a ring.
#[test]
fn two_heads_fetch_both_neighbours_where_one_mixes_them() {
    let tokens = [0, 3, 1, 4, 2, 0, 1, 3];
    let (words, places) = (one_hot(&tokens, 5), Matrix::identity(8, 8));
    let asks = |steps: &[usize]| {
        let mut q = Matrix::zeros(8, 8);
        for (place, step) in
            (0..8).flat_map(|p| steps.iter().map(move |s| (p, s)))
        {
            q[(place, (place + step) % 8)] = 200.0;
        }
        attention(&q, &places, &words, &Mask::none(8, 8))
    };
    let (left, right) = (asks(&[7]), asks(&[1]));
    close(&left, &one_hot(&[3, 0, 3, 1, 4, 2, 0, 1], 5), 1e-15);
    close(&right, &one_hot(&[3, 1, 4, 2, 0, 1, 3, 0], 5), 1e-15);
    let mixture = asks(&[7, 1]);
    close(&mixture, &((left + right) / 2.0), 1e-15);
    close(
        &mixture.rows(2, 1).into(),
        &row(&[0.0, 0.0, 0.0, 0.5, 0.5]),
        1e-15,
    );
}

/// A head's scores over √d_model are too close together.
#[test]
fn heads_divide_by_the_root_of_their_own_width() {
    let (q, k, v) = (noise(N, 32, 1), noise(M, 32, 2), noise(M, 4, 3));
    let mask = Mask::none(N, M);
    let seen = Matrix::attend_heads(&q, &k, &v, 2, &mask);
    let by = |d: f64| {
        let [q, k, v] = [&q, &k, &v].map(|m| Tensor::chunk(m, 2));
        let head = |i: usize| {
            (&q[i] * k[i].transpose() / d.sqrt()).softmax(&mask) * &v[i]
        };
        Matrix::concat(&[head(0), head(1)])
    };
    close(&seen, &by(16.0), 1e-14);
    assert!(largest(&(seen - by(32.0))) > 0.01);
}

/// Memory read straight through gives the first head the first words.
#[test]
fn heads_cut_along_the_wrong_axis_do_not_see_every_word() {
    let (x, mut other) = (noise(4, 8, 1), noise(4, 8, 1));
    other.row_mut(3).copy_from(&noise(1, 8, 2));
    let straight = |x: &Matrix| {
        let flat: Vec<f64> = x.transpose().iter().copied().collect();
        let head = Matrix::from_row_slice(4, 4, &flat[..16]);
        attention(&head, &head, &head, &Mask::none(4, 4))
    };
    let columns = |x: &Matrix| {
        let head = &Tensor::chunk(x, 2)[0];
        attention(head, head, head, &Mask::none(4, 4))
    };
    assert_eq!(straight(&x), straight(&other));
    assert!(largest((columns(&x) - columns(&other)).row(0).iter()) > 0.01);
}

#[test]
#[should_panic(expected = "multi-head attention needs a head or more")]
fn there_must_be_a_head() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let _: MultiHead<Matrix> = MultiHead::new(0, 8, (2, 2), rng);
}

#[test]
#[should_panic(expected = "4 heads of 4611686018427387904 columns are too")]
fn heads_whose_columns_cannot_be_counted_are_refused() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let _: MultiHead<Matrix> = MultiHead::new(4, 8, (1 << 62, 2), rng);
}
