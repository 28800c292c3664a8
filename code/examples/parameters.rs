//! A model as a tree: `cargo run --example parameters`

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::layers::{FeedForward, Linear};
use all_you_need::optimizer::descend;
use all_you_need::parameters::{
    Parameters, add_into, gradient, parameter_count,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use plot::{Block, Diagram, Hue, Point, Side};
use print::grouped;
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn main() {
    draw_tree();
    draw_types();
    feed_forward();
    branches();
    names();
    taxi();
    forgotten();
}

fn shapes(config: &Config) -> Transformer<Shape> {
    Transformer::new(config, &mut Bill::default())
}

fn size(m: &impl Tensor) -> String {
    let (rows, columns) = m.shape();
    format!("{rows} × {columns}")
}

/// The model of the toy, whose branches are drawn as far as they differ.
fn draw_tree() {
    let model = shapes(&Config::toy());
    let layers = model.encoder.layers.len();
    let mut figure = Diagram::new(
        "The model as a tree",
        &format!(
            "From left to right a Transformer branches into embedding, encoder \
             and decoder, the encoder into {layers} layers, a layer into \
             attention, feed-forward network and norms, and these into their \
             matrices, the leaves. The decoder's layers have a second \
             attention and a third norm."
        ),
        36.0,
        19.5,
    );
    let mut node = |x: f64, y: f64, width: f64, text: &str, hue: Hue| {
        figure.block((x, y), (width, 1.7), text, hue)
    };
    let root = node(2.9, 9.0, 5.4, "Transformer", Hue::Purple);
    let parts = [("embedding", 1.3), ("encoder", 9.0), ("decoder", 17.4)];
    let parts = parts.map(|(name, y)| node(9.9, y, 5.0, name, Hue::Blue));
    let table = node(32.0, 1.3, 7.6, "table", Hue::Orange);
    let first = node(15.3, 7.4, 2.2, "0", Hue::Blue);
    let second = node(15.3, 15.0, 2.2, "1", Hue::Blue);
    let below = node(15.3, 17.4, 2.2, "0, 1", Hue::Blue);
    let of_layer = [
        ("attention", 3.9, &["w_q, w_k, w_v, w_o"][..]),
        ("attention norm", 6.3, &["gain, bias"]),
        (
            "feed-forward",
            8.7,
            &["inner: weight, bias", "outer: weight, bias"],
        ),
        ("its norm", 12.9, &["gain, bias"]),
    ];
    let mut edges = Vec::new();
    for (name, y, leaves) in of_layer {
        let part = node(22.0, y, 6.6, name, Hue::Blue);
        edges.push((first, part));
        for (i, leaf) in (0..).zip(leaves) {
            let leaf =
                node(32.0, y + f64::from(2 * i), 7.6, leaf, Hue::Orange);
            edges.push((part, leaf));
        }
    }
    let same = node(22.0, 15.0, 6.6, "the same again", Hue::Rule);
    let more = node(22.0, 17.4, 6.6, "and cross-attention", Hue::Rule);
    edges.extend(parts.map(|part| (root, part)));
    edges.extend([
        (parts[0], table),
        (parts[1], first),
        (parts[1], second),
        (parts[2], below),
        (second, same),
        (below, more),
    ]);
    for (from, to) in edges {
        figure.line(&branch(from, to), Hue::Ink);
    }
    plot::save("parameters-tree", &figure.draw());
}

/// From the right of one block to the left of another, with one step.
fn branch(from: Block, to: Block) -> [Point; 4] {
    let (start, end) = (from.right(), to.left());
    let middle = start.0 + 0.7;
    [start, (middle, start.1), (middle, end.1), end]
}

/// The trees on the way to a gradient, one below the other.
fn draw_types() {
    let mut figure = Diagram::new(
        "From a model to its gradient",
        "Four boxes, one below the other, with arrows between them. A linear \
         layer of matrices, called L, is mapped by share to one of shared \
         matrices, called L::Shared. This is mapped by the tape's variable to \
         one of variables, called L::OnTape. This is mapped by the gradients' \
         take to one of matrices, called L again: the gradient.",
        17.0,
        13.6,
    );
    let trees = [
        ("Linear<Matrix>", "the model, L"),
        ("Linear<Arc<Matrix>>", "L::Shared"),
        ("Linear<Variable>", "L::OnTape"),
        ("Linear<Matrix>", "the gradient, L"),
    ];
    let mut y = 1.1;
    let mut blocks = Vec::new();
    for (tree, name) in trees {
        let block = figure.block((6.0, y), (11.6, 1.8), tree, Hue::Blue);
        figure.note(block.right(), Side::Right, name);
        blocks.push(block);
        y += 3.8;
    }
    let steps = ["share", "tape.variable", "gradients.take"];
    for (pair, step) in blocks.windows(2).zip(steps) {
        let (from, to) = (pair[0].bottom(), pair[1].top());
        figure.arrow(&[from, to], Hue::Ink);
        let middle = (from.0, (from.1 + to.1) / 2.0);
        figure.note(middle, Side::Right, step);
    }
    plot::save("parameters-types", &figure.draw());
}

/// A tree of zeros in the form of a feed-forward network.
fn zeros(net: &FeedForward<Matrix>) -> FeedForward<Matrix> {
    net.map("", &mut |name, leaf: &Matrix| {
        println!("{name:12} {}", size(leaf));
        Matrix::zeros(leaf.nrows(), leaf.ncols())
    })
}

fn feed_forward() {
    println!("== Zeros");
    let net = FeedForward::new(2, 8, &mut ChaCha8Rng::seed_from_u64(1));
    let zeros = zeros(&net);
    assert!(zeros.leaves().iter().all(|(_, leaf)| leaf.amax() == 0.0));
}

/// The parameters of one layer of the base model.
fn names() {
    let model = shapes(&Config::base());
    let leaves = model.leaves();
    println!("\n== One layer");
    for (name, leaf) in &leaves {
        if name.starts_with("encoder.layers.0.") {
            println!("{name:44}{:>12}", size(*leaf));
        }
    }
    println!("\n== Leaves");
    println!("leaves in all = {}", leaves.len());
}

/// How many numbers there are in each branch of the toy.
fn branches() {
    let [toy, base] = [Config::toy(), Config::base()].map(|c| shapes(&c));
    let (encoder, decoder) = (&toy.encoder.layers[0], &toy.decoder.layers[0]);
    println!("\n== The branches");
    for (name, count) in [
        ("embedding", parameter_count(&toy.embedding)),
        ("encoder", parameter_count(&toy.encoder)),
        ("  one layer", parameter_count(encoder)),
        ("    attention", parameter_count(&encoder.attention)),
        ("    feed_forward", parameter_count(&encoder.feed_forward)),
        ("    each norm", parameter_count(&encoder.attention_norm)),
        ("decoder", parameter_count(&toy.decoder)),
        ("  one layer", parameter_count(decoder)),
        ("in all", parameter_count(&toy)),
    ] {
        println!("{name:16} {:>9}", grouped(count));
    }
    println!("\n== Counts");
    for (name, model) in [("toy", toy), ("base", base)] {
        let all = parameter_count(&model);
        let layers = all - parameter_count(&model.embedding);
        println!("parameters, {name} = {}", grouped(all));
        println!("share of the layers, {name} = {} %", percent(layers, all));
    }
}

fn percent(part: usize, of: usize) -> usize {
    (100 * part + of / 2) / of
}

/// The squared error of one ride in a taxi.
fn squared_error(
    taxi: &Linear<Variable<f64>>,
    (km, price): (f64, f64),
) -> Variable<f64> {
    let number = |x| taxi.bias.constant(&dmatrix![x]);
    let error = taxi.forward(&number(km)).add(&number(-price));
    error.matmul(&error)
}

/// A price of 4 for a kilometre and a base fare of 2, as a linear layer.
fn guess() -> Linear<Matrix> {
    Linear { weight: dmatrix![4.0], bias: dmatrix![2.0] }
}

const RIDES: [(f64, f64); 2] = [(1.0, 7.0), (3.0, 13.0)];

fn taxi() {
    let taxi = guess();
    let [(_, mut sum), (_, long)] =
        RIDES.map(|ride| gradient(&taxi, |taxi| squared_error(taxi, ride)));
    let row = |name: &str, tree: &Linear<Matrix>| {
        println!("{name:14} {:6} {:5}", tree.weight[0], tree.bias[0]);
    };
    println!("\n== The taxi as a layer");
    println!("               weight  bias");
    row("parameters", &taxi);
    row("short ride", &sum);
    row("long ride", &long);
    add_into(&mut sum, &long);
    row("both, added", &sum);
}

/// The loss of both rides after so many steps of a twentieth of the gradient,
/// in which the base fare takes part or not.
fn learn(steps: usize, with_fare: bool) -> f64 {
    let mut taxi = guess();
    let both = |taxi: &Linear<Variable<f64>>| {
        let [short, long] = RIDES.map(|ride| squared_error(taxi, ride));
        short.add(&long)
    };
    for _ in 0..steps {
        let (_, mut gradients) = gradient(&taxi, both);
        if !with_fare {
            gradients.bias.fill(0.0);
        }
        descend(&mut taxi, &gradients, 0.05);
    }
    gradient(&taxi, both).0
}

fn forgotten() {
    println!("\n== Forgetting the fare");
    println!("at the start = {:.2}", learn(0, true));
    println!("without the fare = {:.2}", learn(200, false));
    println!("with both = {:.2}", learn(200, true));
}
