use all_you_need::attention::{Mask, attention, weights};
use all_you_need::heads::MultiHead;
use all_you_need::position::{shift, sinusoidal};
use all_you_need::tensor::{Init, Matrix, Tensor};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::close;

#[path = "../../exercises/checks/heads.rs"]
mod check;

// Exercise 1
//
// $W^K$ gets the shift, and $W^Q$ is 100 times the identity. The key of place
// $j$ is then $\mathrm{PE}(j + 1)$, and the query $\mathrm{PE}(i)$ fits it
// best where $j + 1 = i$, which is one place to the left. (The first word has
// nothing to its left, and takes itself.)
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
//
// The rows of $W^O$ that belong to heads 1 and 2 must change places, too,
// $d_v$ rows for each head. After that the result is the same, so the order
// of the heads means nothing.
#[test]
fn heads_have_no_order() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let x: Matrix = rng.uniform(5, 8, 1.0);
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

// Exercise 3
//
// Queries are cut into $h$ parts, keys and values into $g$, and head $i$ uses
// part $i g / h$, rounded down. With $g = 1$ this is multi-query attention,
// and with $g = h$ it is the attention of the chapter.

/// h heads of queries share the keys and values of g heads.
pub fn grouped(
    [q, k, v]: [&Matrix; 3],
    (h, g): (usize, usize),
    mask: &Mask,
) -> Matrix {
    let (q, k, v) = (q.chunk(h), k.chunk(g), v.chunk(g));
    let head = |i: usize| {
        let group = i * g / h;
        attention(&q[i], &k[group], &v[group], mask)
    };
    let heads: Vec<Matrix> = (0..h).map(head).collect();
    Matrix::concat(&heads)
}

// Exercise 4
//
// It is the reshape of the chapter: the numbers are cut row after row, so the
// first head gets all features of the first words and nothing of the others.
// With a single word there is only one row, and the mistake does not show.

/// Cuts n × h·d into h matrices of n × d.
pub fn cut(x: &Matrix, heads: usize) -> Vec<Matrix> {
    let d = x.ncols() / heads;
    let part = |i| x.columns(i * d, d).into_owned();
    (0..heads).map(part).collect()
}
