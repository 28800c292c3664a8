use all_you_need::attention::{Mask, Softmax, attention};
use all_you_need::gradient::{Tape, Variable};
use all_you_need::heads::{Heads, attend_by_head};
use all_you_need::layers::Rowwise;
use all_you_need::loss::{CrossEntropy, TiedCrossEntropy};
use all_you_need::parameters::Parameters;
use all_you_need::tensor::{Matrix, Tensor};
use nalgebra::dmatrix;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::golden::{noise, small};

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
    let mask = Mask::new(vec![0..4, 1..3, 2..2], 4);
    check(&[&a, &b], |x| x[0].matmul(&x[1]));
    check(&[&a, &noise(2, 4, 4)], |x| x[0].matmul_t(&x[1]));
    check(&[&a], |x| x[0].transpose());
    check(&[&a, &noise(3, 4, 5)], |x| x[0].add(&x[1]));
    check(&[&a], |x| x[0].add(&x[0]));
    check(&[&a], |x| x[0].scale(-2.5));
    check(&[&a], |x| x[0].gather(&[2, 0, 2]));
    check(&[&a], |x| x[0].chunk(2)[1].clone());
    check(&[&a, &noise(3, 2, 6)], |x| {
        Tensor::concat(&[x[0].clone(), x[1].clone()])
    });
    check(&[&a], |x| x[0].softmax(&mask));
    check(&[&a, &row], |x| x[0].add_row(&x[1]));
    check(&[&a, &row], |x| x[0].mul_row(&x[1]));
    check(&[&a], |x| x[0].relu());
    check(&[&a], |x| x[0].standardize());
    check(&[&a, &noise(3, 4, 5)], |x| x[0].mul_cells(&x[1]));
    check(&[&a], |x| x[0].mul_cells(&x[0]));
    check(&[&a], |x| x[0].map_cells(f64::sin, f64::cos));
}

#[test]
fn attention_agrees_with_finite_differences() {
    let (q, k, v) = (noise(3, 4, 1), noise(5, 4, 2), noise(5, 2, 3));
    let mask = Mask::none(3, 5);
    check(&[&q, &k, &v], |x| attention(&x[0], &x[1], &x[2], &mask));
    let (q, k, v) = (noise(3, 4, 1), noise(5, 4, 2), noise(5, 6, 3));
    check(&[&q, &k, &v], |x| {
        Heads::attend_heads(&x[0], &x[1], &x[2], 2, &mask)
    });
    check(&[&q, &k, &v], |x| attend_by_head(&x[0], &x[1], &x[2], 2, &mask));
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
    let _ = tape.gradients(&tape.variable(dmatrix![1.0, 2.0]));
}

type X = Variable<f64>;

/// Every operation on two variables, and on more.
const TOGETHER: [fn(&X, &X) -> X; 9] = [
    |x, y| x.matmul(y),
    |x, y| x.matmul_t(y),
    |x, y| x.add(y),
    |x, y| Tensor::concat(&[x.clone(), y.clone()]),
    |x, y| x.add_row(y),
    |x, y| x.mul_row(y),
    |x, y| Heads::attend_heads(x, y, x, 1, &Mask::none(1, 1)),
    |x, y| Heads::attend_heads(x, x, y, 1, &Mask::none(1, 1)),
    |x, y| x.tied_cross_entropy(y, &[0], 0.1),
];

/// Every operation on one variable.
const ALONE: [fn(&X) -> X; 8] = [
    |x| x.transpose(),
    |x| x.scale(2.0),
    |x| x.gather(&[0, 0]),
    |x| x.chunk(1).swap_remove(0),
    |x| x.softmax(&Mask::none(1, 1)),
    |x| x.relu(),
    |x| x.standardize(),
    |x| x.cross_entropy(&[0], 0.1),
];

/// What it says when it panics.
fn sentence<R>(misuse: impl FnOnce() -> R) -> String {
    let Err(error) = catch_unwind(AssertUnwindSafe(misuse)) else {
        panic!("nothing is said")
    };
    match error.downcast::<String>() {
        Ok(said) => *said,
        Err(error) => (*error.downcast::<&str>().unwrap()).to_owned(),
    }
}

const ANOTHER_TAPE: &str = "a variable of another tape, or from before this \
                            tape computed its gradients";
const ANOTHER_LOSS: &str =
    "these are the gradients of another tape, or of an earlier loss";

fn one(tape: &Tape<f64>) -> Variable<f64> {
    tape.variable(dmatrix![3.0])
}

#[test]
fn variables_of_two_tapes_cannot_be_combined() {
    for (i, combine) in TOGETHER.iter().enumerate() {
        let (one, other) = (one(&Tape::default()), one(&Tape::default()));
        let there = sentence(|| combine(&one, &other));
        let back = sentence(|| combine(&other, &one));
        assert_eq!((&*there, &*back), (ANOTHER_TAPE, ANOTHER_TAPE), "{i}");
    }
}

/// A score and a gradient once came from a slot that was another's.
#[test]
fn a_variable_is_of_no_use_after_its_tape_computed_gradients() {
    for (i, operate) in ALONE.iter().enumerate() {
        let tape = Tape::default();
        let x = one(&tape);
        let _ = tape.gradients(&x.scale(2.0));
        assert_eq!(sentence(|| operate(&x)), ANOTHER_TAPE, "{i}");
    }
    for (i, combine) in TOGETHER.iter().enumerate() {
        let tape = Tape::default();
        let old = one(&tape);
        let _ = tape.gradients(&old.scale(2.0));
        let new = one(&tape);
        for (x, y) in [(&old, &old), (&old, &new), (&new, &old)] {
            assert_eq!(sentence(|| combine(x, y)), ANOTHER_TAPE, "{i}");
        }
    }
}

#[test]
fn the_operations_of_these_lists_work_on_one_tape() {
    let tape = Tape::default();
    let x = one(&tape);
    TOGETHER.iter().for_each(|combine| drop(combine(&x, &one(&tape))));
    ALONE.iter().for_each(|operate| drop(operate(&x)));
}

#[test]
fn a_tape_can_be_used_again_for_new_variables() {
    let tape = Tape::default();
    for number in [3.0, 5.0] {
        let x = tape.variable(dmatrix![number]);
        let gradients = tape.gradients(&x.matmul(&x));
        assert_eq!(gradients.of(&x)[0], 2.0 * number);
    }
}

#[test]
fn gradients_know_the_variables_of_their_own_loss_only() {
    let (tape, other) = (Tape::default(), Tape::default());
    let (x, foreign) = (one(&tape), one(&other));
    let gradients = tape.gradients(&x.scale(2.0));
    let later = one(&tape);
    assert_eq!(sentence(|| gradients.of(&foreign)), ANOTHER_LOSS);
    assert_eq!(sentence(|| gradients.of(&later)), ANOTHER_LOSS);
    // What was made before can still be asked for.
    assert_eq!(gradients.of(&x)[0], 2.0);
    let next = tape.gradients(&later.scale(5.0));
    assert_eq!(sentence(|| next.of(&x)), ANOTHER_LOSS);
    assert_eq!((next.of(&later)[0], gradients.of(&x)[0]), (5.0, 2.0));
}

#[test]
fn a_loss_of_another_tape_or_computed_twice_is_refused() {
    let (tape, other) = (Tape::default(), Tape::default());
    let loss = one(&tape).scale(2.0);
    assert_eq!(sentence(|| other.gradients(&loss)), ANOTHER_LOSS);
    let _ = tape.gradients(&loss);
    assert_eq!(sentence(|| tape.gradients(&loss)), ANOTHER_LOSS);
}

#[test]
fn a_gradient_is_kept_as_long_as_its_variable() {
    let tape = Tape::default();
    let x = one(&tape);
    let y = x.scale(2.0);
    let z = y.scale(5.0);
    drop(y.clone());
    let gradients = tape.gradients(&z);
    assert_eq!(gradients.of(&y)[0], 5.0);
    assert_eq!(gradients.of(&x)[0], 10.0);
}

#[test]
fn a_tape_says_how_much_is_on_it() {
    let tape = Tape::default();
    let x = one(&tape).scale(2.0);
    assert_eq!(format!("{tape:?}"), "Tape of 2 operations");
    let _ = tape.gradients(&x);
    assert_eq!(format!("{tape:?}"), "Tape of 0 operations");
}

#[test]
fn every_parameter_of_the_whole_model_agrees_with_finite_differences() {
    let model = small();
    let leaves: Vec<_> = model.leaves().into_iter().map(|l| l.1).collect();
    check(&leaves, |leaves| {
        let mut next = leaves.iter();
        let model = model.map("", &mut |_, _| next.next().unwrap().clone());
        model.forward(&[vec![1, 2, 3], vec![4]], &[vec![5, 0], vec![6, 2, 1]])
    });
}

/// a · xᵀ + b, with the outer product of a column and a row, as an operation
/// of three inputs.
fn outer(
    a: &Variable<f64>,
    x: &Variable<f64>,
    b: &Variable<f64>,
) -> Variable<f64> {
    let [p, q] = [a, x].map(|v| v.value().clone());
    let value = &p * &q + b.value();
    Variable::operation([a, x, b], value, move |g| {
        [g * q.transpose(), p.transpose() * g, g.clone()]
    })
}

#[test]
fn an_operation_of_ones_own_agrees_with_finite_differences() {
    let (a, x, b) = (noise(3, 1, 1), noise(1, 2, 2), noise(3, 2, 3));
    check(&[&a, &x, &b], |v| outer(&v[0], &v[1], &v[2]));
    // One variable in two places gets both gradients.
    check(&[&noise(1, 1, 1)], |v| outer(&v[0], &v[0], &v[0]));
}

#[test]
#[should_panic(expected = "a gradient and its input: 1×1 and 1×2 differ")]
fn a_gradient_of_another_size_than_its_input_is_refused() {
    let tape = Tape::default();
    let x = tape.variable(dmatrix![1.0, 2.0]);
    let wrong = Variable::operation([&x], dmatrix![3.0], |g| [g.clone()]);
    let _ = tape.gradients(&wrong);
}

#[test]
#[should_panic(expected = "a variable of another tape")]
fn an_operation_on_two_tapes_is_refused() {
    let [x, y] = [1.0, 2.0].map(|x| Tape::default().variable(dmatrix![x]));
    let _ = x.mul_cells(&y);
}

#[test]
#[should_panic(expected = "an operation has an input")]
fn an_operation_without_inputs_is_refused() {
    let _ = Variable::<f64>::operation([], dmatrix![1.0], |_| []);
}
