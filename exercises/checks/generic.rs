//! Checks the exercises of the chapter on generic functions.

use super::add_norm;
use crate::expect::expect;
use all_you_need::costs::Bill;
use all_you_need::gradient::Tape;
use all_you_need::plain;
use all_you_need::tensor::{Matrix, Tensor};
use nalgebra::dmatrix;

checks! { exercise_2: one_function_for_three_kinds_of_tensors }

/// Gain, bias, the rows, and what a sublayer made of them.
fn inputs() -> [Matrix; 4] {
    [
        dmatrix![1.0, 2.0, -1.0, 0.5],
        dmatrix![0.0, 1.0, 0.0, -2.0],
        dmatrix![3.0, 9.0, 11.0, 17.0; 1.0, 0.0, 2.0, 2.0],
        dmatrix![0.0, 0.0, 0.0, 0.0; 1.0, -1.0, 0.0, 4.0],
    ]
}

fn one_function_for_three_kinds_of_tensors() {
    let [gain, bias, x, made] = inputs();
    let hint = "matrices: what plain `add_norm` returns. Is the sum \
                normalized, then multiplied by the gain, then moved by the \
                bias?";
    let norm = [gain.clone(), bias.clone()];
    let expected = plain::add_norm(&norm, &x, &made);
    expect(&add_norm(&gain, &bias, &x, &made), &expected, hint);

    let bill = Bill::default();
    let [g, b, s, m] = inputs().map(|m| bill.shape(m.nrows(), m.ncols()));
    let size = add_norm(&g, &b, &s, &m).shape();
    assert_eq!(size, (2, 4), "shapes: the result is as large as x");

    let tape = Tape::default();
    let [g, b, s, m] = inputs().map(|m| tape.variable(m));
    let y = add_norm(&g, &b, &s, &m);
    let first = y.gather(&[0]).chunk(4).swap_remove(0);
    let slopes = tape.gradients(&first);
    let hint = "variables: the first number of the result rises by 1 with \
                the first number of the bias, and not with the others";
    expect(&slopes.of(&b), &dmatrix![1.0, 0.0, 0.0, 0.0], hint);
    let hint = "variables: x and what was made of it are added, so both \
                have the same gradient";
    expect(&slopes.of(&s), &slopes.of(&m), hint);
    assert!(slopes.of(&s).amax() > 0.01, "variables: x has a gradient");
}
