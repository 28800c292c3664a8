//! Checks the exercises of the chapter on gradients.

use super::{Numbers, softmax_backward};
use crate::expect::expect;
use all_you_need::attention::{Mask, Softmax};
use all_you_need::gradient::Tape;
use all_you_need::tensor::{Init, Matrix, Tensor};
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_2: two_more_operations_make_a_softmax,
    exercise_3: the_scores_get_the_gradient_that_a_tape_gives
}

/// The way back over a tape for single numbers.
fn gradients(tape: &Numbers, loss: usize) -> Vec<f64> {
    let last = tape.values.len() - 1;
    assert!(
        loss == last,
        "the result was written at place {last}, and place {loss} was returned"
    );
    let mut gradients = vec![0.0; tape.values.len()];
    gradients[loss] = 1.0;
    for place in (0..=loss).rev() {
        for &(input, slope) in &tape.inputs[place] {
            assert!(
                input < place,
                "the number at place {place} can't come from place {input}"
            );
            gradients[input] += slope * gradients[place];
        }
    }
    gradients
}

fn add(tape: &mut Numbers, a: usize, b: usize) -> usize {
    let sum = tape.values[a] + tape.values[b];
    tape.record(sum, &[(a, 1.0), (b, 1.0)])
}

fn row(numbers: &[f64]) -> Matrix {
    Matrix::from_row_slice(1, numbers.len(), numbers)
}

fn two_more_operations_make_a_softmax() {
    let given = |numbers: &[f64]| {
        let mut tape = Numbers::default();
        for &number in numbers {
            tape.record(number, &[]);
        }
        tape
    };
    let mut tape = given(&[0.0, 2.0]);
    let power = tape.exp(1);
    let slope = gradients(&tape, power)[1];
    let value = tape.values[power];
    let hint = "e² is 7.389…, and so is its slope";
    expect(&row(&[value, slope]), &row(&[2f64.exp(); 2]), hint);

    let mut tape = given(&[6.0, 3.0]);
    let quotient = tape.div(0, 1);
    let slopes = gradients(&tape, quotient);
    expect(&row(&[tape.values[quotient]]), &row(&[2.0]), "6 / 3 is 2");
    let hint = "by a, the slope of a / b is 1 / b; by b, it is −a / b²";
    expect(&row(&slopes[..2]), &row(&[1.0 / 3.0, -6.0 / 9.0]), hint);

    let scores = [0.5, -1.0, 2.0];
    let mut tape = given(&scores);
    let powers = [0, 1, 2].map(|place| tape.exp(place));
    let two = add(&mut tape, powers[0], powers[1]);
    let sum = add(&mut tape, two, powers[2]);
    let weight = tape.div(powers[0], sum);
    let matrices = Tape::default();
    let x = matrices.variable(row(&scores));
    let weights = x.softmax(&Mask::none(1, 3));
    let first = matrices.gradients(&weights.chunk(3)[0]).of(&x);
    let hint = "the first weight of a softmax, and the crate's tape";
    expect(&row(&gradients(&tape, weight)[..3]), &first, hint);
}

fn the_scores_get_the_gradient_that_a_tape_gives() {
    let p = dmatrix![0.5, 0.25, 0.25];
    let found = softmax_backward(&p, &dmatrix![7.0, 7.0, 7.0]);
    let hint = "if all weights had the same gradient, no change of the \
                scores would change the loss, because the weights sum to 1: \
                what is the mean that the row makes of g?";
    expect(&found, &Matrix::zeros(1, 3), hint);

    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let scores: Matrix = rng.uniform(2, 4, 1.0);
    let g: Matrix = rng.uniform(2, 4, 1.0);
    let tape = Tape::default();
    let x = tape.variable(scores);
    let weights = x.softmax(&Mask::none(2, 4));
    // A loss whose gradient with respect to the weights is g: the trace of W Gᵀ.
    let products = weights.matmul_t(&tape.variable(g.clone())).chunk(2);
    let cells = [products[0].gather(&[0]), products[1].gather(&[1])];
    let expected = tape.gradients(&cells[0].add(&cells[1])).of(&x);
    let found = softmax_backward(weights.value(), &g);
    expect(&found, &expected, "the crate's tape, for two rows");
}
