//! The crate against PyTorch: the same weights, the same sentences, the same
//! numbers. What is in `reference/` says how they were made.

#[path = "common/compare.rs"]
mod compare;
#[path = "reference/export.rs"]
mod export;
#[path = "reference/pages.rs"]
mod pages;
#[path = "reference/published.rs"]
mod published;
#[path = "reference/slopes.rs"]
mod slopes;

use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::loss::shift_right;
use all_you_need::optimizer::{Adam, learning_rate, paper_peak_lr};
use all_you_need::parameters::{Parameters, gradient};
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use compare::{close, largest};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use safetensors::tensor::{Dtype, SafeTensors};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const BOS: Token = 1;
const EOS: Token = 2;
const WARMUP: usize = 4;

fn sizes() -> Config {
    Config {
        vocabulary: 11,
        layers: 2,
        d_model: 8,
        d_ff: 12,
        heads: 4,
        d_k: 2,
        d_v: 2,
    }
}

fn sources() -> [Vec<Token>; 3] {
    [vec![3, 4, 5, 6], vec![7, 8], vec![9, 10, 3, 3, 5]]
}

fn targets() -> [Vec<Token>; 3] {
    let targets = [vec![6, 5, 4], vec![8, 7, 10, 9, 3], vec![4]];
    targets.map(|target| [vec![BOS], target, vec![EOS]].concat())
}

/// No weight is 0 or 1, not even in a norm.
fn random() -> Transformer<Matrix<f32>> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let model: Transformer<Matrix<f32>> = Transformer::new(&sizes(), rng);
    model.map("", &mut |_, leaf: &Matrix<f32>| {
        rng.uniform(leaf.nrows(), leaf.ncols(), 0.4)
    })
}

/// The same numbers with more digits.
fn model() -> Transformer<Matrix> {
    random().map("", &mut |_, leaf: &Matrix<f32>| leaf.map(f64::from))
}

fn at(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/reference")
        .join(name)
}

/// What PyTorch has computed.
static TORCH: LazyLock<BTreeMap<String, Matrix>> = LazyLock::new(|| {
    let bytes = fs::read(at("torch.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let matrix = |(name, tensor): (&str, safetensors::tensor::TensorView)| {
        let &[rows, cols] = tensor.shape() else {
            panic!("{name} has not two dimensions")
        };
        assert_eq!(tensor.dtype(), Dtype::F64);
        let numbers = tensor.data().as_chunks().0.iter();
        let numbers = numbers.map(|&bytes| f64::from_le_bytes(bytes));
        (name.to_string(), Matrix::from_row_iterator(rows, cols, numbers))
    };
    file.iter().map(matrix).collect()
});

/// Apart by at most this, against the largest number of the matrix. On the
/// machine where they were made, nothing was apart by more than 3e-12, and no
/// gradient by more than 1e-13.
const TOLERANCE: f64 = 1e-9;

#[track_caller]
fn agree(found: &Matrix, name: &str) {
    let expected = &TORCH[name];
    assert_eq!(found.shape(), expected.shape(), "{name}");
    println!("{name}"); // to be read if they are apart
    close(found, expected, TOLERANCE * largest(expected));
}

/// Every leaf of a tree, and as many as PyTorch has.
#[track_caller]
fn agree_all(tree: &Transformer<Matrix>, before: &str) {
    let leaves = tree.leaves();
    for (name, leaf) in &leaves {
        agree(leaf, &format!("{before}{name}"));
    }
    let expected = TORCH.keys().filter(|name| name.starts_with(before));
    assert_eq!(leaves.len(), expected.count());
}

fn loss(model: &Transformer<Variable<f64>>) -> Variable<f64> {
    model.loss(&sources(), &targets(), 0.1)
}

#[test]
fn a_layer_norm_agrees() {
    let norm = &model().encoder.layers[0].attention_norm;
    agree(&norm.forward(&TORCH["x"]), "layer_norm");
}

#[test]
fn a_feed_forward_network_agrees() {
    let network = &model().encoder.layers[0].feed_forward;
    agree(&network.forward(&TORCH["x"]), "feed_forward");
}

#[test]
fn an_attention_agrees_and_so_do_the_weights_of_its_heads() {
    let attention = &model().decoder.layers[0].cross_attention;
    let (y, x, mask) = (&TORCH["y"], &TORCH["x"], Mask::none(3, 5));
    agree(&attention.forward(y, x, &mask), "attention");
    let heads = attention.weights(y, x, &mask);
    assert_eq!(heads.len(), 4);
    for (i, head) in heads.iter().enumerate() {
        agree(head, &format!("weights.{i}"));
    }
}

#[test]
fn a_masked_attention_agrees() {
    let attention = &model().decoder.layers[0].self_attention;
    let y = &TORCH["y"];
    let found = attention.forward(y, y, &Mask::causal(3));
    agree(&found, "masked_attention");
}

#[test]
fn an_encoder_layer_agrees() {
    let layer = &model().encoder.layers[0];
    let found = layer.forward(&TORCH["x"], &Mask::none(5, 5));
    agree(&found, "encoder_layer");
}

/// There the last row of x is padding.
#[test]
fn a_decoder_layer_agrees() {
    let layer = &model().decoder.layers[0];
    let (past, source) = (Mask::causal(3), Mask::padding(3, 5, 4));
    let found = layer.forward(&TORCH["y"], &TORCH["x"], &past, &source);
    agree(&found, "decoder_layer");
}

/// Ours lie end to end, PyTorch's are padded.
#[test]
fn the_scores_of_a_batch_agree() {
    let targets = targets();
    let inputs = targets.each_ref().map(|target| shift_right(target).0);
    agree(&model().forward(&sources(), &inputs), "logits");
}

#[test]
fn every_gradient_agrees() {
    let (nats, slope) = gradient(&model(), loss);
    let expected = TORCH["losses"][0];
    assert!((nats - expected).abs() <= TOLERANCE * expected);
    agree_all(&slope, "gradient.");
}

#[test]
fn every_weight_agrees_after_three_steps_of_adam() {
    let mut model = model();
    let mut adam = Adam::new(&model);
    for step in 1..=3 {
        let (nats, slope) = gradient(&model, loss);
        let rate = learning_rate(paper_peak_lr(8, WARMUP), step, WARMUP);
        for (found, name) in [(nats, "losses"), (rate, "rates")] {
            let expected = TORCH[name][step - 1];
            assert!((found - expected).abs() <= TOLERANCE * expected);
        }
        adam.step(&mut model, &slope, rate);
    }
    agree_all(&model, "after.");
}
