//! The gradients of a layer, and of a whole model.

use super::rows;
use all_you_need::encoder::Config;
use all_you_need::gradient::Tape;
use all_you_need::layers::{LayerOps, Rowwise};
use all_you_need::parameters::{Parameters, gradient, parameter_count};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use print::{grouped, section, table, value};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// A linear layer with ReLU on the crate's tape: what is computed, and the
/// gradient of the sum of all results with respect to it.
pub fn a_layer() {
    let tape = Tape::default();
    let x = tape.variable(dmatrix![1.0, 2.0; 0.0, 1.0]);
    let w = tape.variable(dmatrix![1.0, -3.0; 1.0, 1.0]);
    let b = tape.variable(dmatrix![1.0, 0.0]);
    let product = x.matmul(&w);
    let sum = product.add_row(&b);
    let y = sum.relu();
    let gradients = tape.gradients(&total(&y));
    let all = [
        ("0 x", &x),
        ("1 W", &w),
        ("2 b", &b),
        ("3 product", &product),
        ("4 sum", &sum),
        ("5 ReLU", &y),
    ];
    section("A layer on the tape");
    table(
        ["place", "value", "gradient"],
        all.map(|(name, x)| (name, rows(x.value()), rows(&gradients.of(x)))),
    );
}

/// The sum of all cells, as 1 × 1: a row of ones, the matrix, a column of
/// ones.
fn total<T: LayerOps>(x: &T) -> T {
    let (rows, columns) = x.shape();
    let ones = |n, m| x.constant(&Matrix::repeat(n, m, 1.0));
    ones(1, rows).matmul(x).matmul(&ones(columns, 1))
}

/// The sum of all positive logits of a model, for two pairs of sentences.
fn loss<T: LayerOps>(model: &Transformer<T>) -> T {
    let (sources, targets) =
        ([vec![1, 2, 3], vec![4]], [vec![5, 0], vec![6, 2, 1]]);
    total(&model.forward(&sources, &targets).relu())
}

/// How many derivatives of the loss two-sided differences of a step h
/// confirm, to a millionth.
fn agreeing(model: &Transformer<Matrix>, h: f64) -> usize {
    let (_, slopes) = gradient(model, loss);
    let leaves = slopes.leaves().into_iter().enumerate();
    let leaf = |(i, (_, slopes)): (usize, (String, &Matrix))| {
        let agrees = |&cell: &usize| {
            let moved = |by: f64| {
                let mut model = model.clone();
                model.leaves_mut()[i][cell] += by;
                loss(&model)[0]
            };
            let tried = (moved(h) - moved(-h)) / (2.0 * h);
            (tried - slopes[cell]).abs() <= 1e-6 * tried.abs().max(0.01)
        };
        (0..slopes.len()).filter(agrees).count()
    };
    leaves.map(leaf).sum()
}

pub fn the_whole_model() {
    let config = Config {
        vocabulary: 7,
        layers: 1,
        d_model: 6,
        d_ff: 5,
        heads: 2,
        d_k: 3,
        d_v: 2,
    };
    let model: Transformer<Matrix> =
        Transformer::new(&config, &mut ChaCha8Rng::seed_from_u64(1));
    let parameters = parameter_count(&model);
    section("The whole model");
    value("parameters", parameters);
    value("parameters that agree", agreeing(&model, 1e-5));
    value("forward passes for the nudges", grouped(2 * parameters));
    section("How large a step");
    table(
        ["h", "agree"],
        [1e-1, 1e-3, 1e-5, 1e-7, 1e-9]
            .map(|h| (format!("{h:.0e}"), agreeing(&model, h))),
    );
}
