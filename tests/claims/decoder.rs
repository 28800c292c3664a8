use all_you_need::attention::{Mask, attention};
use all_you_need::decoder::Decoder;
use all_you_need::encoder::{Config, Encoder};
use all_you_need::heads::MultiHead;
use all_you_need::parameters::Parameters;
use all_you_need::tensor::{Init, Matrix, Tensor};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::golden::{close, largest, noise};

/// The target's rows and the source's, as many as in the ledger.
const N: usize = 4;
const M: usize = 7;
const D_MODEL: usize = 10;

fn config() -> Config {
    Config {
        vocabulary: 11,
        layers: 3,
        d_model: D_MODEL,
        d_ff: 12,
        heads: 2,
        d_k: 3,
        d_v: 5,
    }
}

/// Every parameter random: gains of 1 and biases of 0 would not show that
/// one norm is taken for another.
fn decoder() -> Decoder<Matrix> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let decoder: Decoder<Matrix> = Decoder::new(&config(), rng);
    decoder.map("", &mut |_, leaf| {
        leaf + rng.uniform(leaf.nrows(), leaf.ncols(), 0.1)
    })
}

fn rows(count: usize, seed: u64) -> Matrix {
    noise(count, D_MODEL, seed)
}

fn open() -> Mask {
    Mask::none(N, M)
}

fn decode(y: &Matrix, x: &Matrix) -> Matrix {
    let n = y.nrows();
    decoder().forward(y, x, &Mask::causal(n), &Mask::none(n, x.nrows()))
}

/// `m` with another row `i`.
fn replaced(m: &Matrix, i: usize) -> Matrix {
    let mut other = m.clone();
    other.row_mut(i).copy_from(&rows(1, 99).row(0));
    other
}

/// One head of a layer's cross-attention, with the roles written out.
#[test]
fn the_target_asks_and_the_source_answers() {
    let layer = &decoder().layers[0];
    let cross = &layer.cross_attention;
    let (y, x) = (rows(N, 2), rows(M, 3));
    let head = |i: usize| {
        let part = |w: &Matrix| w.chunk(2).swap_remove(i);
        let q = &y * part(&cross.w_q);
        let (k, v) = (&x * part(&cross.w_k), &x * part(&cross.w_v));
        attention(&q, &k, &v, &open())
    };
    let by_hand = Matrix::concat(&[head(0), head(1)]) * &cross.w_o;
    close(&cross.forward(&y, &x, &open()), &by_hand, 1e-14);
    for weights in cross.weights(&y, &x, &open()) {
        assert_eq!(weights.shape(), (N, M));
        assert!(weights.iter().all(|&weight| weight > 0.0));
    }
}

#[test]
fn a_layer_is_three_parts_each_added_and_normed() {
    let layer = &decoder().layers[1];
    let (y, x) = (rows(N, 4), rows(M, 5));
    let past = Mask::causal(N);
    let said = layer.self_attention.forward(&y, &y, &past);
    let a = layer.self_norm.forward(&(&y + said));
    let seen = layer.cross_attention.forward(&a, &x, &open());
    let b = layer.cross_norm.forward(&(&a + seen));
    let thought = layer.feed_forward.forward(&b);
    let c = layer.feed_forward_norm.forward(&(&b + thought));
    close(&layer.forward(&y, &x, &past, &open()), &c, 1e-14);
}

#[test]
fn later_words_change_nothing_before_them() {
    let (y, x) = (rows(N, 6), rows(M, 7));
    let before = decode(&y, &x);
    for i in 0..N {
        let after = decode(&replaced(&y, i), &x);
        assert_eq!(before.rows(0, i), after.rows(0, i));
        for later in i..N {
            assert!(largest(&(before.row(later) - after.row(later))) > 1e-3);
        }
    }
}

#[test]
fn all_rows_at_once_are_the_rows_one_word_at_a_time() {
    let (y, x) = (rows(N, 8), rows(M, 9));
    let together = decode(&y, &x);
    for i in 0..N {
        let so_far = decode(&y.rows(0, i + 1).into(), &x);
        let apart = largest(&(so_far.row(i) - together.row(i)));
        assert!(apart < 1e-14);
    }
}

#[test]
fn without_the_mask_they_are_not() {
    let (y, x) = (rows(N, 8), rows(M, 9));
    let all = |y: &Matrix| {
        let n = y.nrows();
        decoder().forward(y, &x, &Mask::none(n, n), &Mask::none(n, M))
    };
    let first = all(&y.rows(0, 1).into());
    assert!(largest(&(first.row(0) - all(&y).row(0))) > 0.1);
}

#[test]
fn every_row_hears_every_word_of_the_source() {
    let (y, x) = (rows(N, 10), rows(M, 11));
    let before = decode(&y, &x);
    for j in 0..M {
        let after = decode(&y, &replaced(&x, j));
        for i in 0..N {
            assert!(largest(&(before.row(i) - after.row(i))) > 1e-6);
        }
    }
}

#[test]
fn the_order_of_the_source_rows_does_not_matter() {
    let (y, x) = (rows(N, 12), rows(M, 13));
    let mixed = x.select_rows(&[3, 0, 6, 2, 5, 1, 4]);
    close(&decode(&y, &mixed), &decode(&y, &x), 1e-13);
}

#[test]
fn padding_of_the_source_is_not_heard() {
    let (y, x) = (rows(N, 14), rows(M, 15));
    let past = Mask::causal(N);
    let padded = Mask::padding(N, M, 5);
    let seen = decoder().forward(&y, &x, &past, &padded);
    let other = decoder().forward(&y, &replaced(&x, 6), &past, &padded);
    assert_eq!(seen, other);
    close(&seen, &decode(&y, &x.rows(0, 5).into()), 1e-13);
}

/// Not layer by layer: the second decoder layer gets the same `x` as the
/// first, whatever is below the top of the encoder.
#[test]
fn every_layer_reads_the_top_of_the_encoder() {
    let encoder: Encoder<Matrix> =
        Encoder::new(&config(), &mut ChaCha8Rng::seed_from_u64(2));
    let x = encoder.forward(&rows(M, 16), &Mask::none(M, M));
    let past = Mask::causal(N);
    let mut y = rows(N, 17);
    let all = decode(&y, &x);
    for layer in &decoder().layers {
        y = layer.forward(&y, &x, &past, &open());
    }
    assert_eq!(all, y);
}

#[test]
fn keys_and_values_of_the_source_serve_one_row_at_a_time() {
    let cross: MultiHead<Matrix> =
        MultiHead::new(2, D_MODEL, (3, 5), &mut ChaCha8Rng::seed_from_u64(3));
    let (y, x) = (rows(N, 18), rows(M, 19));
    let kv = cross.keys_values(&x);
    let together = cross.forward(&y, &x, &open());
    for i in 0..N {
        let row = y.rows(i, 1).into();
        let alone = cross.attend(&row, &kv, &Mask::none(1, M));
        close(&alone, &together.rows(i, 1).into(), 1e-14);
    }
}

#[test]
#[should_panic(expected = "softmax: scores 4×7 under a mask 7×4")]
fn masks_of_the_swapped_roles_are_refused() {
    let (y, x) = (rows(N, 20), rows(M, 21));
    let _ = decoder().forward(&y, &x, &Mask::causal(N), &Mask::none(M, N));
}

#[test]
#[should_panic(expected = "matmul: 4×7 times 4×5: 7 columns meet 4 rows")]
fn values_of_the_target_do_not_fit_keys_of_the_source() {
    let (y, x) = (rows(N, 22), rows(M, 23));
    let [w_q, w_k, w_v]: [Matrix; 3] =
        [3, 3, 5].map(|d| ChaCha8Rng::seed_from_u64(4).weight(D_MODEL, d));
    let _ = attention(&(&y * w_q), &(x * w_k), &(y * w_v), &open());
}
