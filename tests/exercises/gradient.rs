use all_you_need::attention::{Mask, attention};
use all_you_need::costs::Bill;
use all_you_need::encoder::Config;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::parameters::Parameters;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::transformer::Transformer;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::largest;

/// The sum of all cells, as 1 × 1.
fn sum(y: &Variable<f64>) -> Variable<f64> {
    let (rows, columns) = y.shape();
    let ones =
        |rows, columns| y.constant(&Matrix::from_element(rows, columns, 1.0));
    ones(1, rows).matmul(y).matmul(&ones(columns, 1))
}

// Exercise 1
// That of the keys: a score is the product of a query and a key, so its
// derivative by the key is the query. The query's own gradient is not zero.
#[test]
fn a_query_of_zeros_teaches_the_keys_nothing() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let tape = Tape::default();
    let q = tape.variable(Matrix::zeros(1, 4));
    let [k, v] =
        [(5, 4), (5, 2)].map(|(r, c)| tape.variable(rng.noise(r, c, 1.0)));
    let seen = attention(&q, &k, &v, &Mask::none(1, 5));
    let gradients = tape.gradients(&sum(&seen));
    assert_eq!(largest(&gradients.of(&k)), 0.0);
    assert!(largest(&gradients.of(&q)) > 0.01);
}

// Exercise 2
// W^Q and W^K. There is one key, its weight is 1 whatever the score, and so
// nothing depends on the score.
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

// Exercise 3
// Twice as much: G Bᵀ is n × m times m × k, and Aᵀ G is k × n times n × m.
#[test]
fn the_way_back_costs_twice_the_way_there() {
    let (n, k, m) = (3, 4, 5);
    let (there, back) = (Bill::default(), Bill::default());
    let _ = there.shape(n, k).matmul(&there.shape(k, m));
    let _ = back.shape(n, m).matmul_t(&back.shape(k, m));
    let _ = back.shape(n, k).transpose().matmul(&back.shape(n, m));
    let [there, back] = [there, back].map(|bill| bill.cost().multiply_adds);
    assert_eq!(back, 2 * there);
}
