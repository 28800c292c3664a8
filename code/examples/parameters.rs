//! A model as a tree: `cargo run --example parameters`

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::layers::Linear;
use all_you_need::parameters::{
    Parameters, add_into, gradient, parameter_count,
};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use plot::print::grouped;
use plot::{Block, Diagram, Hue, Point};

fn main() {
    plot::read_arguments();
    draw_tree();
    names();
    branches();
    taxi();
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

/// Every parameter of the base model; of the layers the lowest only.
fn names() {
    let model = shapes(&Config::base());
    let leaves = model.leaves();
    println!("== Every parameter");
    for (name, leaf) in &leaves {
        if !name.contains("layers") || name.contains("layers.0") {
            println!("{name:44}{:>12}", size(*leaf));
        }
    }
    println!("\nleaves in all = {}", leaves.len());
}

/// How many numbers there are in each branch of two models.
fn branches() {
    let models = [Config::toy(), Config::base()].map(|c| shapes(&c));
    let counts = models.each_ref().map(|model| {
        let (encoder, decoder) =
            (&model.encoder.layers[0], &model.decoder.layers[0]);
        [
            ("embedding", parameter_count(&model.embedding)),
            ("encoder", parameter_count(&model.encoder)),
            ("  one layer", parameter_count(encoder)),
            ("    attention", parameter_count(&encoder.attention)),
            ("    feed_forward", parameter_count(&encoder.feed_forward)),
            ("    each norm", parameter_count(&encoder.attention_norm)),
            ("decoder", parameter_count(&model.decoder)),
            ("  one layer", parameter_count(decoder)),
            ("in all", parameter_count(model)),
        ]
    });
    println!("\n== The branches");
    println!("branch                 toy          base");
    for ((name, toy), (_, base)) in counts[0].iter().zip(counts[1]) {
        println!("{name:16} {:>9} {:>13}", grouped(toy), grouped(base));
    }
    let [toy, base] = models.each_ref().map(parameter_count);
    println!("\n== Counts");
    println!("parameters, toy = {}", grouped(toy));
    println!("parameters, base = {}", grouped(base));
    let rest = toy - parameter_count(&models[0].embedding);
    println!("share of the layers, toy = {} %", percent(rest, toy));
    let rest = base - parameter_count(&models[1].embedding);
    println!("share of the layers, base = {} %", percent(rest, base));
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

/// The price of a kilometre and the base fare as a linear layer.
fn taxi() {
    let taxi: Linear<Matrix> =
        Linear { weight: dmatrix![3.0], bias: dmatrix![1.0] };
    let (_, mut sum) =
        gradient(&taxi, |taxi| squared_error(taxi, (1.0, 5.0)));
    let (_, long) = gradient(&taxi, |taxi| squared_error(taxi, (3.0, 9.0)));
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
