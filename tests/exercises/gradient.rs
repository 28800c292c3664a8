use all_you_need::attention::{Mask, attention};
use all_you_need::encoder::Config;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::parameters::Parameters;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::transformer::Transformer;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::largest;

#[path = "../../exercises/checks/gradient.rs"]
mod check;

/// The numbers of one computation in the order in which they were computed,
/// and for each of them the places of its inputs and its slopes.
#[derive(Default)]
pub struct Numbers {
    pub values: Vec<f64>,
    pub inputs: Vec<Vec<(usize, f64)>>,
}

impl Numbers {
    /// Writes a number down. Returns its place.
    pub fn record(&mut self, value: f64, inputs: &[(usize, f64)]) -> usize {
        self.values.push(value);
        self.inputs.push(inputs.to_vec());
        self.values.len() - 1
    }
}

/// The sum of all cells, as 1 × 1.
fn sum(y: &Variable<f64>) -> Variable<f64> {
    let (rows, columns) = y.shape();
    let ones =
        |rows, columns| y.constant(&Matrix::from_element(rows, columns, 1.0));
    ones(1, rows).matmul(y).matmul(&ones(columns, 1))
}

// Exercise 1
//
// The gradient with respect to the keys. A score is the dot product of a
// query and a key, so its derivative with respect to the key is the query,
// which is zero. The derivative with respect to the query is the key, which
// is not, and the values are mixed with equal weights.
#[test]
fn a_query_of_zeros_teaches_the_keys_nothing() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let tape = Tape::default();
    let q = tape.variable(Matrix::zeros(1, 4));
    let [k, v] =
        [(5, 4), (5, 2)].map(|(r, c)| tape.variable(rng.uniform(r, c, 1.0)));
    let seen = attention(&q, &k, &v, &Mask::none(1, 5));
    let gradients = tape.gradients(&sum(&seen));
    assert_eq!(largest(&gradients.of(&k)), 0.0);
    assert!(largest(&gradients.of(&q)) > 0.01);
}

// Exercise 2
//
// The exponential is its own slope, so the value is recorded twice. A quotient
// x/y has two inputs: by x its slope is 1/y, and by y it is −x/y², which is the
// quotient itself divided by −y.

impl Numbers {
    /// Writes down e to the power of the number at `a`, and returns its place.
    pub fn exp(&mut self, a: usize) -> usize {
        let value = self.values[a].exp();
        self.record(value, &[(a, value)])
    }

    /// Writes down the number at `a` divided by that at `b`, and returns its
    /// place.
    pub fn div(&mut self, a: usize, b: usize) -> usize {
        let (x, y) = (self.values[a], self.values[b]);
        self.record(x / y, &[(a, 1.0 / y), (b, -x / (y * y))])
    }
}

// Exercise 3
//
// The row makes a mean of g with its weights: the sum of all p·g. The
// function took the plain mean of these products, which is their sum divided
// by the number of keys.

/// The gradient of the scores, from the weights p = softmax(scores) and
/// their gradient g, row by row.
pub fn softmax_backward(p: &Matrix, g: &Matrix) -> Matrix {
    let mut gradient = p.component_mul(g);
    for (mut row, p) in gradient.row_iter_mut().zip(p.row_iter()) {
        let mean = row.sum();
        row -= p * mean;
    }
    gradient
}

// Exercise 4
//
// W^Q and W^K, which make the scores. There is only one key, and its weight is
// 1 whatever its score is, so the loss does not depend on the score.
#[test]
fn with_one_key_there_is_nothing_to_choose() {
    let config = Config {
        vocabulary: 7,
        layers: 1,
        d_model: 6,
        d_ff: 5,
        heads: 2,
        d_k: 3,
        d_v: 2,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let model: Transformer<Matrix> = Transformer::new(&config, rng);
    let tape = Tape::default();
    let model = model.map("", &mut |_, m| tape.variable(m.clone()));
    let logits = model.forward(&[[1, 2, 3]], &[[4]]);
    let gradients = tape.gradients(&sum(&logits));
    let idle = |x: &Variable<f64>| largest(&gradients.of(x)) == 0.0;
    let attention = &model.decoder.layers[0].self_attention;
    assert!(idle(&attention.w_q) && idle(&attention.w_k));
    assert!(!idle(&attention.w_v) && !idle(&attention.w_o));
}
