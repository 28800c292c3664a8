use all_you_need::attention::{Mask, attention, weights};
use all_you_need::heads::MultiHead;
use all_you_need::position::{shift, sinusoidal};
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::close;

// Exercise 1
// W^K gets it. The key of place j then reads PE(j + 1), and the query
// PE(i), left as it is, finds it largest where j + 1 = i: one to the left.
// The first word has no such place and takes the nearest, its own.
#[test]
fn sines_have_a_left_neighbour_too() {
    let x = sinusoidal(&[0, 1, 2, 3, 4, 5], 16);
    let (q, k) = (&x * 100.0, &x * shift(1, 16));
    let weights = weights(&q, &k, &Mask::none(6, 6));
    for (i, left) in [0, 0, 1, 2, 3, 4].into_iter().enumerate() {
        assert!(weights[(i, left)] > 0.9999);
    }
}

// Exercise 2
// One head, and four times the identity. Then d_k = d_v = d_model, and
// every word looks mostly at itself.
#[test]
fn identities_in_one_head_are_plain_attention() {
    let x: Matrix = ChaCha8Rng::seed_from_u64(1).noise(5, 8, 1.0);
    let mask = Mask::none(5, 5);
    let [w_q, w_k, w_v, w_o] = [0; 4].map(|_| Matrix::identity(8, 8));
    let head = MultiHead { heads: 1, w_q, w_k, w_v, w_o };
    let plain = attention(&x, &x, &x, &mask);
    close(&head.forward(&x, &x, &mask), &plain, 1e-14);
}

// Exercise 3
// Its rows of head 1 and head 2 change places: d_v of them each. The order
// of the heads means nothing.
#[test]
fn heads_have_no_order() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let x: Matrix = rng.noise(5, 8, 1.0);
    let heads: MultiHead<Matrix> = MultiHead::new(2, 8, (3, 2), rng);
    let swapped = MultiHead {
        heads: 2,
        w_q: heads.w_q.select_columns(&[3, 4, 5, 0, 1, 2]),
        w_k: heads.w_k.select_columns(&[3, 4, 5, 0, 1, 2]),
        w_v: heads.w_v.select_columns(&[2, 3, 0, 1]),
        w_o: heads.w_o.select_rows(&[2, 3, 0, 1]),
    };
    let mask = Mask::none(5, 5);
    let result = heads.forward(&x, &x, &mask);
    close(&swapped.forward(&x, &x, &mask), &result, 1e-14);
}
