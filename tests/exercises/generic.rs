use all_you_need::attention::{Mask, attention};
use all_you_need::costs::Bill;
use all_you_need::gradient::Tape;
use all_you_need::layers::Rowwise;
use all_you_need::tensor::Tensor;
use nalgebra::dmatrix;

#[path = "../../exercises/checks/generic.rs"]
mod check;

// Exercise 1
//
// Sixteen times as many. The scores are a product of n × d and d × n, the
// mixture one of n × n and n × d, so both grow with the square of n.
#[test]
fn four_times_the_words_are_sixteen_times_the_products() {
    let work = |n: usize| {
        let bill = Bill::default();
        let [q, k, v] = [(); 3].map(|()| bill.shape(n, 64));
        let _ = attention(&q, &k, &v, &Mask::none(n, n));
        bill.cost().multiply_adds
    };
    assert_eq!(work(120), 16 * work(30));
}

// Exercise 2
//
// Each operation of the trait stands for a line of the plain function. The
// mean and the variance are inside `standardize`, where a shape has nothing
// to compute and a variable has one way back for both.

/// LayerNorm(x + made) for any kind of tensor; `gain` and `bias` are rows.
pub fn add_norm<T: Rowwise>(gain: &T, bias: &T, x: &T, made: &T) -> T {
    x.add(made).standardize().mul_row(gain).add_row(bias)
}

// Exercise 3
//
// A shape has no cells that it could return. And a function that reads a
// number, computes with it and puts the result back by `constant` leaves a
// gap on the tape: the result is right, and the gradient is 0, because what
// was done with the number is not recorded.
#[test]
fn what_is_read_and_put_back_has_no_gradient() {
    let tape = Tape::default();
    let x = tape.variable(dmatrix![3.0]);
    let square = x.constant(&(x.value() * x.value()));
    assert_eq!(square.value()[0], 9.0);
    assert_eq!(tape.gradients(&square).of(&x)[0], 0.0);
}
