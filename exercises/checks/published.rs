//! Checks the exercises of the chapter on published models.

use super::halves;
use all_you_need::plain::{Matrix, published::turn};

checks! {
    exercise_2: neighbours_get_the_scores_that_they_had
}

/// Turns columns 2i and 2i + 1 of each head together.
fn turn_neighbours(d_k: usize, x: &Matrix) -> Matrix {
    Matrix::from_fn(x.nrows(), x.ncols(), |place, column| {
        let i = column % d_k / 2;
        let speed = 10000f64.powf(-2.0 * i as f64 / d_k as f64);
        let (sin, cos) = (place as f64 * speed).sin_cos();
        match column % 2 {
            0 => x[(place, column)] * cos - x[(place, column + 1)] * sin,
            _ => x[(place, column)] * cos + x[(place, column - 1)] * sin,
        }
    })
}

fn neighbours_get_the_scores_that_they_had() {
    let cell = |k: usize| {
        move |i: usize, j: usize| {
            ((k + 3 * i + 5 * j + 7 * i * j) as f64).sin()
        }
    };
    for d_k in [4, 6] {
        let x = Matrix::from_fn(5, 3, cell(1));
        let w =
            [cell(2), cell(3)].map(|cell| Matrix::from_fn(3, 2 * d_k, cell));
        for head in 0..2 {
            let own = |m: Matrix| m.columns(head * d_k, d_k).into_owned();
            let [q, k] =
                [&w[0], &w[1]].map(|w| own(turn_neighbours(d_k, &(&x * w))));
            let right = q * k.transpose();
            let [q, k] = [&w[0], &w[1]]
                .map(|w| own(turn(d_k, 10000.0, &(&x * halves(d_k, w)))));
            let apart = (q * k.transpose() - right).amax();
            assert!(
                apart < 1e-9,
                "head {head} of {d_k} columns: the scores are {apart:.2} off"
            );
        }
    }
    let columns = Matrix::from_fn(1, 8, |_, j| j as f64);
    let order = halves(4, &columns);
    assert_eq!(
        order.as_slice(),
        [0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0],
        "heads of four columns"
    );
}
