use all_you_need::costs::{Bill, Shape};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::Config;
use all_you_need::gradient::{Tape, Variable};
use all_you_need::layers::{FeedForward, LayerNorm, Linear, Rowwise};
use all_you_need::parameters::{
    Parameters, Trainable, WrongGradient, add_into, check_gradient, gradient,
    gradient_on, parameter_count, zip,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::BTreeSet;

use crate::golden::{close, largest, noise, random, sizes, small};

fn shapes(config: &Config) -> Transformer<Shape> {
    Transformer::new(config, &mut Bill::default())
}

/// A tree with two leaves of unequal size: 3 × 2 and 1 × 2.
pub type Tree = Linear<Matrix>;

pub fn tree(seed: u64) -> Tree {
    Linear { weight: noise(3, 2, seed), bias: noise(1, 2, seed + 1000) }
}

#[track_caller]
pub fn equal(one: &Tree, other: &Tree, tolerance: f64) {
    close(&one.weight, &other.weight, tolerance);
    close(&one.bias, &other.bias, tolerance);
}

#[test]
fn the_papers_table_has_nineteen_million_numbers() {
    let embedding: Embedding<Shape> =
        Embedding::new(37_000, 512, &mut Bill::default());
    let (rows, columns) = embedding.table.shape();
    assert_eq!(rows * columns, 18_944_000);
    assert_eq!(embedding.embed(&[3, 7, 0, 7]).shape(), (4, 512));
}

#[test]
fn the_base_models_feed_forward_has_two_million_parameters() {
    let bill = &mut Bill::default();
    let net: FeedForward<Shape> = FeedForward::new(512, 2048, bill);
    assert_eq!(parameter_count(&net), 2_099_712);
}

#[test]
fn the_papers_layers_have_the_papers_sizes() {
    for (config, of_layer) in
        [(Config::base(), 3_150_336), (Config::big(), 12_592_128)]
    {
        let Transformer { encoder, .. } = shapes(&config);
        assert_eq!(parameter_count(&encoder.layers[0]), of_layer);
        assert_eq!(parameter_count(&encoder), 6 * of_layer);
    }
    let layer = &shapes(&Config::base()).encoder.layers[0];
    assert_eq!(parameter_count(&layer.attention), 1_048_576);
    assert_eq!(parameter_count(&layer.feed_forward), 2_099_712);
}

#[test]
fn a_layer_of_the_base_model_has_4_199_936_parameters() {
    let layer = &shapes(&Config::base()).decoder.layers[0];
    assert_eq!(parameter_count(layer), 4_199_936);
}

#[test]
fn the_papers_models_have_the_papers_sizes() {
    assert_eq!(parameter_count(&shapes(&Config::base())), 63_045_632);
    assert_eq!(parameter_count(&shapes(&Config::big())), 214_171_648);
}

#[test]
fn a_matrix_and_a_shape_count_the_same() {
    let config = sizes(11);
    assert_eq!(
        parameter_count(&random(&config, 1)),
        parameter_count(&shapes(&config))
    );
}

#[test]
fn the_layers_are_counted_by_their_formulas() {
    let config = sizes(11);
    let model = shapes(&config);
    let (k, v) = (2 * 3, 2 * 5);
    let attention = 8 * (2 * k + 2 * v);
    let (network, norm) = (8 * 12 + 12 + 12 * 8 + 8, 2 * 8);
    let encoder = attention + network + 2 * norm;
    let decoder = 2 * attention + network + 3 * norm;
    assert_eq!(parameter_count(&model.encoder), 2 * encoder);
    assert_eq!(parameter_count(&model.decoder), 2 * decoder);
    assert_eq!(parameter_count(&model), 11 * 8 + 2 * (encoder + decoder));
}

#[test]
fn every_parameter_has_a_name_of_its_own() {
    let mut names = Vec::new();
    let model = shapes(&sizes(11));
    model.map("", &mut |name, _| names.push(name.to_string()));
    assert_eq!(names.len(), 1 + 2 * 12 + 2 * 18);
    assert_eq!(names[0], "embedding.table");
    assert_eq!(names[1], "encoder.layers.0.attention.w_q");
    assert_eq!(
        names.last().expect("a name"),
        "decoder.layers.1.feed_forward_norm.bias"
    );
    let distinct: BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
}

#[test]
fn names_start_with_what_is_given() {
    let mut names = Vec::new();
    let layer: Linear<Shape> = Linear::new(2, 3, &mut Bill::default());
    layer.map("here.", &mut |name, _| names.push(name.to_string()));
    assert_eq!(names, ["here.weight", "here.bias"]);
}

#[test]
fn a_tree_mapped_through_a_copy_is_the_same_tree() {
    let model = random(&sizes(11), 8);
    let copy = model.map("", &mut |_, leaf| leaf.clone());
    let (sources, targets) = ([vec![1, 2, 3]], [vec![4, 5]]);
    assert_eq!(
        copy.forward(&sources, &targets),
        model.forward(&sources, &targets)
    );
}

#[test]
fn the_gradient_is_a_tree_in_which_each_leaf_has_its_own() {
    let model = tree(1);
    let x = dmatrix![2.0, 0.0, -1.0];
    // The sum of all cells of x W + b.
    let sum = |model: &Linear<Variable<f64>>| {
        let y = model.forward(&model.bias.constant(&x));
        y.matmul(&y.constant(&dmatrix![1.0; 1.0]))
    };
    let (loss, gradients) = gradient(&model, sum);
    assert!((loss - (&x * &model.weight + &model.bias).sum()).abs() < 1e-14);
    equal(
        &gradients,
        &Tree {
            weight: dmatrix![2.0, 2.0; 0.0, 0.0; -1.0, -1.0],
            bias: dmatrix![1.0, 1.0],
        },
        1e-15,
    );
}

#[test]
fn leaves_come_by_name_and_in_the_order_of_map() {
    let mut model = random(&sizes(11), 1);
    let mut walked = Vec::new();
    model.map("", &mut |name, leaf| walked.push((name.to_owned(), leaf)));
    assert_eq!(model.leaves(), walked);
    let copies: Vec<_> = walked.into_iter().map(|(_, l)| l.clone()).collect();
    assert!(model.leaves_mut().into_iter().map(|l| &*l).eq(&copies));
    assert_eq!(copies.len(), 61);
}

#[test]
fn leaves_can_be_changed() {
    let mut changed = tree(1);
    changed.leaves_mut().into_iter().for_each(|leaf| leaf.fill(7.0));
    assert!(changed.weight.iter().chain(&changed.bias).all(|&w| w == 7.0));
}

#[test]
fn zip_pairs_each_leaf_with_its_own() {
    let (mut one, other) = (random(&sizes(11), 1), random(&sizes(11), 2));
    let pairs = zip(&mut one, &other);
    assert_eq!(pairs.len(), 61);
    for (pair, (_, leaf)) in pairs.iter().zip(other.leaves()) {
        assert!(std::ptr::eq(pair.1, leaf));
    }
    assert_eq!(*pairs[0].0, random(&sizes(11), 1).embedding.table);
}

#[test]
#[should_panic(expected = "a tree of 2 leaves meets a tree of 4")]
fn trees_of_other_leaves_do_not_pair() {
    zip(&mut vec![tree(1)], &vec![tree(1), tree(2)]);
}

#[test]
#[should_panic(expected = "bias: a leaf (1, 2) meets a leaf (1, 3)")]
fn leaves_of_other_sizes_do_not_pair() {
    let other = Tree { bias: noise(1, 3, 1), ..tree(1) };
    zip(&mut tree(1), &other);
}

#[test]
fn trees_add_leaf_by_leaf() {
    let (mut sum, other) = (tree(1), tree(2));
    add_into(&mut sum, &other);
    equal(
        &sum,
        &Tree {
            weight: tree(1).weight + other.weight,
            bias: tree(1).bias + other.bias,
        },
        0.0,
    );
}

/// One tree shared by two tapes, one of which has dropout.
#[test]
fn a_shared_model_has_the_gradient_of_the_model() {
    let model = small();
    let loss = |model: &Transformer<Variable<f64>>| {
        model.loss(&[[1, 2, 3]], &[[5, 4, 6]], 0.1)
    };
    let shared = model.share();
    let alone = gradient(&model, loss);
    let on = |tape: &Tape<f64>| -> (f64, Transformer<Matrix>) {
        gradient_on(tape, &shared, loss)
    };
    let (plain, again) = (on(&Tape::default()), on(&Tape::default()));
    assert_eq!((alone.0, plain.0), (plain.0, again.0));
    for tree in [&plain.1, &again.1] {
        let leaves = tree.leaves().into_iter().zip(alone.1.leaves());
        leaves.for_each(|((_, a), (_, b))| assert_eq!(a, b));
    }
    let tape = Tape::with_dropout(0.5, ChaCha8Rng::seed_from_u64(1));
    let (dropped, other) = on(&tape);
    assert_ne!(dropped, alone.0);
    let gap = other.embedding.table - alone.1.embedding.table;
    assert!(largest(&gap) > 1e-3);
}

#[test]
fn norms_and_vectors_of_layers_are_trees_too() {
    let norms: Vec<LayerNorm<Shape>> =
        (2..4).map(|d| LayerNorm::new(d, &mut Bill::default())).collect();
    let names: Vec<_> = norms.leaves().into_iter().map(|l| l.0).collect();
    assert_eq!(names, ["0.gain", "0.bias", "1.gain", "1.bias"]);
    assert_eq!(parameter_count(&norms), 2 * (2 + 3));
}

#[test]
fn from_equal_numbers_only_the_table_learns() {
    let random = random(&sizes(11), 1);
    let sentences = [vec![8, 3, 1, 4, 9], vec![8, 5, 9]];
    let moving = |number: Option<f64>| -> Vec<String> {
        let model = random.map("", &mut |name, leaf: &Matrix| match number {
            Some(number) if !name.contains("norm") => leaf.map(|_| number),
            _ => leaf.clone(),
        });
        let (_, slopes) =
            gradient(&model, |model| model.loss(&sentences, &sentences, 0.0));
        let leaves = slopes.leaves().into_iter();
        let moving = leaves.filter(|(_, leaf)| leaf.amax() > 1e-12);
        moving.map(|(name, _)| name).collect()
    };
    for equal in [0.0, 0.1] {
        assert_eq!(moving(Some(equal)), ["embedding.table"]);
    }
    assert_eq!(moving(None).len(), random.leaves().len());
}

/// A layer that is generic in another one.
struct Twice<T, M> {
    scale: T,
    inner: M,
    size: usize,
}

all_you_need::parameters!(Twice<M>, [scale], [inner], [size]);

#[test]
fn a_layer_may_be_generic_in_its_layers() {
    let inner = Linear { weight: noise(3, 2, 1), bias: noise(1, 2, 2) };
    let mut layer = Twice { scale: noise(1, 2, 3), inner, size: 2 };
    let names: Vec<_> = layer.leaves().into_iter().map(|l| l.0).collect();
    assert_eq!(names, ["scale", "inner.weight", "inner.bias"]);
    let sizes = layer.leaves_mut().into_iter().map(|leaf| leaf.len());
    assert!(sizes.eq([2, 6, 2]));
    let (_, tree) = gradient(&layer, |layer| {
        let Twice { scale, inner, size } = layer;
        let x = scale.constant(&noise(1, 3, 4));
        let y = inner.forward(&x).mul_cells(scale);
        y.matmul(&scale.constant(&Matrix::from_element(*size, 1, 1.0)))
    });
    assert_eq!(tree.size, 2);
    assert_eq!(tree.inner.bias, layer.scale);
}

/// The loss is the sum of the squares of x W + b.
fn squares(layer: &Linear<Variable<f64>>) -> Variable<f64> {
    let x = layer.weight.constant(&noise(1, 3, 5));
    let y = layer.forward(&x);
    y.matmul_t(&y)
}

#[test]
fn a_gradient_that_is_right_is_found_right() {
    let layer = Linear { weight: noise(3, 2, 1), bias: noise(1, 2, 2) };
    assert_eq!(check_gradient(&layer, squares), Ok(()));
}

/// Rounding moves the differences of a steep loss further than those of a
/// flat one.
#[test]
fn a_steep_gradient_that_is_right_is_found_right() {
    let layer = Linear { weight: noise(3, 2, 1), bias: noise(1, 2, 2) };
    assert_eq!(check_gradient(&layer, |l| squares(l).scale(1e7)), Ok(()));
}

/// The loss reads the bias with a derivative that is a tenth too large.
#[test]
fn a_gradient_that_is_wrong_is_found_with_its_place() {
    let layer = Linear { weight: noise(3, 2, 1), bias: noise(1, 2, 2) };
    let wrong = |factor: f64| {
        let found = check_gradient(&layer, |layer| {
            let bias = layer.bias.map_cells(|b| b, move |_| factor);
            squares(&Linear { weight: layer.weight.clone(), bias })
        });
        found.unwrap_err()
    };
    let WrongGradient { leaf, row, column, found, slope, .. } = wrong(1.1);
    assert_eq!((leaf.as_str(), row, column), ("bias", 0, 0));
    assert!((found / slope - 1.1).abs() < 1e-6);
    assert!(wrong(1.1).to_string().starts_with("bias, row 0, column 0: "));
    assert!(wrong(f64::NAN).found.is_nan());
}
