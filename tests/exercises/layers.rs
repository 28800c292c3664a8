use all_you_need::layers::{FeedForward, LayerNorm, Linear, Rowwise};
use all_you_need::tensor::{Init, Matrix};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::close;

// Exercise 1
// The mean lies halfway, and both numbers are equally far from it: only
// (−1, 1) and (1, −1) can come out, and (0, 0) if the two are equal. A norm
// over two numbers keeps a single bit: which is the larger.
#[test]
fn two_numbers_become_minus_one_and_one() {
    let x = dmatrix![3.0, 9.0; 900.0, 30.0; 4.0, 4.0];
    let expected = dmatrix![-1.0, 1.0; 1.0, -1.0; 0.0, 0.0];
    close(&x.standardize(), &expected, 1e-5);
}

// Exercise 2
// Nothing: the row goes around the sub-layer, and is on scale already. A
// layer that has learned nothing yet need not harm.
#[test]
fn a_silent_sub_layer_lets_the_row_through() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut network: FeedForward<Matrix> = FeedForward::new(5, 20, rng);
    network.outer.weight.fill(0.0);
    let norm: LayerNorm<Matrix> = LayerNorm::new(5, rng);
    let x: Matrix = rng.noise(3, 5, 1.0);
    let x = norm.forward(&x);
    let out = norm.add_norm(&x, &network.forward(&x));
    close(&out, &x, 1e-4);
}

// Exercise 3
// max(a, b) = b + max(0, a − b), and b = max(0, b) − max(0, −b): three
// hinges, a − b, b and −b, of which the last is taken away.
#[test]
fn the_larger_of_two_numbers() {
    let larger = FeedForward {
        inner: Linear {
            weight: dmatrix![1.0, 0.0, 0.0; -1.0, 1.0, -1.0],
            bias: dmatrix![0.0, 0.0, 0.0],
        },
        outer: Linear {
            weight: dmatrix![1.0; 1.0; -1.0],
            bias: dmatrix![0.0],
        },
    };
    let pairs = dmatrix![2.0, 1.0; 3.0, -1.0; -2.0, 2.0; -7.0, -5.0];
    let found = larger.forward(&pairs);
    assert_eq!(found, dmatrix![2.0; 3.0; 2.0; -5.0]);
}
