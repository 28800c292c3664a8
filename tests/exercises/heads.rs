use all_you_need::attention::Mask;
use all_you_need::heads::MultiHead;
use all_you_need::loss::CrossEntropy;
use all_you_need::optimizer::descend;
use all_you_need::parameters::gradient;
use all_you_need::plain::attend;
use all_you_need::tensor::{Init, Matrix, Tensor};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::close;

#[path = "../../exercises/checks/heads.rs"]
mod check;

// Exercise 1
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

// Exercise 2
//
// One head, four times. Equal heads compute the same, so training changes all
// of them in the same way, and after a hundred steps they still agree in every
// number. Heads end up different because they start different.
#[test]
fn heads_that_start_equal_stay_equal() {
    let rng = &mut ChaCha8Rng::seed_from_u64(11);
    let x: Matrix = rng.uniform(6, 16, 1.0);
    let mut heads: MultiHead<Matrix> = MultiHead::new(4, 16, (4, 3), rng);
    for w in [&mut heads.w_q, &mut heads.w_k, &mut heads.w_v] {
        *w = Matrix::concat(&[0; 4].map(|_| w.chunk(4)[0].clone()));
    }
    let first = heads.w_o.rows(0, 3).into_owned();
    heads.w_o = Matrix::from_fn(12, 16, |i, j| first[(i % 3, j)]);
    let before = heads.w_q.clone();
    for _ in 0..100 {
        // An answer for each row: the first for the first, and so on.
        let (_, slope) = gradient(&heads, |heads| {
            let (x, mask) = (heads.w_q.constant(&x), Mask::none(6, 6));
            let rows = heads.forward(&x, &x, &mask);
            rows.cross_entropy(&[0, 1, 2, 3, 4, 5], 0.0)
        });
        descend(&mut heads, &slope, 0.5);
    }
    assert!((&heads.w_q - before).amax() > 0.01);
    for w in [&heads.w_q, &heads.w_k, &heads.w_v] {
        for head in w.chunk(4) {
            close(&head, &w.chunk(4)[0], 1e-9);
        }
    }
}

// Exercise 3
//
// Queries are cut into $h$ parts, keys and values into $g$, and head $i$ uses
// part $i g / h$, rounded down. With $g = 1$ this is multi-query attention,
// and with $g = h$ it is the attention of the chapter, without $W^O$.

/// h heads of queries share the keys and values of g heads.
pub fn grouped(
    [q, k, v]: [&Matrix; 3],
    (h, g): (usize, usize),
    mask: &Matrix,
) -> Matrix {
    let (d_k, d_v) = (q.ncols() / h, v.ncols() / g);
    let part = |m: &Matrix, i, d| m.columns(i * d, d).into_owned();
    let mut found = Matrix::zeros(q.nrows(), h * d_v);
    for i in 0..h {
        let own = [part(q, i, d_k), part(k, i * g / h, d_k)];
        let head = attend(&own[0], &own[1], &part(v, i * g / h, d_v), mask);
        found.columns_mut(i * d_v, d_v).copy_from(&head);
    }
    found
}

// Exercise 4
//
// Each head got columns of $W^O$, laid on their side, and needs rows. Side by
// side, what the heads have found is as wide as $W^O$ is high, so the columns
// of a head meet rows. If $W^O$ equals its transpose, nothing shows.

/// What the heads have found, each n × d_v, times W^O.
pub fn combine(found: &[Matrix], w_o: &Matrix) -> Matrix {
    let d_v = found[0].ncols();
    let part = |i: usize| w_o.rows(i * d_v, d_v);
    let parts = found.iter().enumerate().map(|(i, head)| head * part(i));
    parts.reduce(|sum, part| sum + part).expect("a head")
}
