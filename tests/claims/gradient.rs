use all_you_need::attention::{Mask, Softmax, attention};
use all_you_need::gradient::{Tape, Variable};
use all_you_need::heads::Heads;
use all_you_need::layers::Rowwise;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::transformer::Parameters;
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::golden::small;

fn noise(rows: usize, cols: usize, seed: u64) -> Matrix {
    ChaCha8Rng::seed_from_u64(seed).noise(rows, cols, 1.0)
}

/// a Y b, one number in which every cell of Y has its own share.
fn share<T: Tensor>(y: &T) -> T {
    let (rows, cols) = y.shape();
    let (a, b) = (noise(1, rows, 91), noise(cols, 1, 92));
    y.constant(&a).matmul(y).matmul(&y.constant(&b))
}

/// Every partial derivative of `formula`, a matrix of any size.
#[track_caller]
fn check(
    inputs: &[&Matrix],
    formula: impl Fn(&[Variable<f64>]) -> Variable<f64>,
) {
    check_loss(inputs, |x| share(&formula(x)));
}

/// Every partial derivative of `loss`, 1 × 1, from the tape, against a nudge
/// of 1e-5 to each side.
#[track_caller]
pub fn check_loss(
    inputs: &[&Matrix],
    loss: impl Fn(&[Variable<f64>]) -> Variable<f64>,
) {
    let run = |inputs: &[Matrix]| {
        let tape = Tape::default();
        let put = |m: &Matrix| tape.variable(m.clone());
        let variables: Vec<_> = inputs.iter().map(put).collect();
        let loss = loss(&variables);
        (tape, variables, loss)
    };
    let inputs: Vec<Matrix> = inputs.iter().copied().cloned().collect();
    let (tape, variables, loss) = run(&inputs);
    let gradients = tape.gradients(&loss);
    for (i, variable) in variables.iter().enumerate() {
        let found = gradients.of(variable);
        for cell in 0..found.len() {
            let nudged = |by: f64| {
                let mut inputs = inputs.clone();
                inputs[i][cell] += by;
                run(&inputs).2.value()[0]
            };
            let slope = (nudged(1e-5) - nudged(-1e-5)) / 2e-5;
            let gap = (slope - found[cell]).abs() / slope.abs().max(1e-2);
            assert!(
                gap < 1e-6,
                "input {i}, cell {cell}: {slope} is not {}",
                found[cell]
            );
        }
    }
}

#[test]
fn every_operation_agrees_with_finite_differences() {
    let (a, b, row) = (noise(3, 4, 1), noise(4, 2, 2), noise(1, 4, 3));
    let mask = Mask { visible: vec![0..4, 1..3, 2..2], keys: 4 };
    check(&[&a, &b], |x| x[0].matmul(&x[1]));
    check(&[&a, &noise(2, 4, 4)], |x| x[0].matmul_t(&x[1]));
    check(&[&a], |x| x[0].transpose());
    check(&[&a, &noise(3, 4, 5)], |x| x[0].add(&x[1]));
    check(&[&a], |x| x[0].add(&x[0]));
    check(&[&a], |x| x[0].scale(-2.5));
    check(&[&a], |x| x[0].gather(&[2, 0, 2]));
    check(&[&a], |x| x[0].split(2)[1].clone());
    check(&[&a, &noise(3, 2, 6)], |x| {
        Tensor::concat(&[x[0].clone(), x[1].clone()])
    });
    check(&[&a], |x| x[0].softmax(&mask));
    check(&[&a, &row], |x| x[0].add_row(&x[1]));
    check(&[&a, &row], |x| x[0].mul_row(&x[1]));
    check(&[&a], |x| x[0].relu());
    check(&[&a], |x| x[0].standardize());
}

#[test]
fn attention_agrees_with_finite_differences() {
    let (q, k, v) = (noise(3, 4, 1), noise(5, 4, 2), noise(5, 2, 3));
    let mask = Mask::none(3, 5);
    check(&[&q, &k, &v], |x| attention(&x[0], &x[1], &x[2], &mask));
    let (q, k, v) = (noise(3, 4, 1), noise(5, 4, 2), noise(5, 6, 3));
    check(&[&q, &k, &v], |x| Heads::attend(&x[0], &x[1], &x[2], 2, &mask));
}

#[test]
fn two_uses_of_a_matrix_add_their_gradients() {
    let tape = Tape::default();
    let x = tape.variable(dmatrix![3.0]);
    let gradients = tape.gradients(&x.matmul(&x));
    assert_eq!(gradients.of(&x)[0], 6.0);
}

#[test]
fn what_the_loss_does_not_depend_on_has_the_gradient_zero() {
    let tape = Tape::default();
    let (x, idle) =
        (tape.variable(dmatrix![3.0]), tape.variable(dmatrix![1.0, 2.0]));
    let gradients = tape.gradients(&x.scale(2.0));
    assert_eq!(gradients.of(&idle), dmatrix![0.0, 0.0]);
}

#[test]
#[should_panic(expected = "a loss is 1×1, not (1, 2)")]
fn a_loss_of_two_numbers_is_refused() {
    let tape = Tape::default();
    tape.gradients(&tape.variable(dmatrix![1.0, 2.0]));
}

#[test]
fn every_parameter_of_the_whole_model_agrees_with_finite_differences() {
    let model = small();
    let mut leaves = Vec::new();
    model.map("", &mut |_, leaf: &Matrix| leaves.push(leaf.clone()));
    check(&leaves.iter().collect::<Vec<_>>(), |leaves| {
        let mut next = leaves.iter();
        let model = model.map("", &mut |_, _| next.next().unwrap().clone());
        model.forward(&[vec![1, 2, 3], vec![4]], &[vec![5, 0], vec![6, 2, 1]])
    });
}
