//! The figures of the chapter on parameters.

#[path = "../code/examples/parameters.rs"]
#[expect(dead_code)] // what it prints
mod example;

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::layers::Linear;
use all_you_need::optimizer::descend;
use all_you_need::parameters::gradient;
use all_you_need::tensor::Matrix;
use all_you_need::transformer::Transformer;
use example::{LR, both_rides, guess};
use plot::{Block, Diagram, Hue, Point, Side};

pub fn draw() {
    step();
    tree();
    types();
}

/// A step of the taxi: its tree, that of its gradient, and what they become.
fn step() {
    let before = guess();
    let (_, slopes) = gradient(&before, both_rides);
    let mut after = before.clone();
    descend(&mut after, &slopes, LR);
    let trees = [("taxi", &before), ("gradient", &slopes), ("taxi", &after)];
    let list = |tree: &Linear<Matrix>| {
        format!("{} and {}", tree.weight[0], tree.bias[0])
    };
    let mut figure = Diagram::new(
        "A step, leaf by leaf",
        &format!(
            "Three trees of one form, each with the leaves weight and bias. \
             The taxi, {}, minus {LR} times the gradient, {}, is the next \
             taxi, {}.",
            list(&before),
            list(&slopes),
            list(&after)
        ),
        35.0,
        6.4,
    )
    .across(14.5);
    for (i, (name, tree)) in (0..).zip(trees) {
        let x = 4.9 + 12.6 * f64::from(i);
        let root = figure.block((x, 1.3), (6.4, 1.7), name, Hue::Rule);
        for (across, leaf, number) in
            [(-2.5, "weight", tree.weight[0]), (2.5, "bias", tree.bias[0])]
        {
            let text = format!("{leaf}\n{number}");
            let leaf = figure.block((x + across, 4.8), (4.4, 2.3), &text, Hue::TARGET);
            figure.line(&[root.bottom(), leaf.top()], Hue::Ink);
        }
    }
    figure.note((11.2, 4.8), Side::On, &format!("− {LR} ·"));
    figure.note((23.8, 4.8), Side::On, "=");
    plot::save("parameters-step", &figure.draw());
}

/// The model of the toy, whose branches are drawn as far as they differ.
fn tree() {
    let model = Transformer::<Shape>::new(&Config::toy(), &mut Bill::default());
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
    )
    .across(14.3);
    let mut node = |x: f64, y: f64, width: f64, text: &str, hue: Hue| {
        figure.block((x, y), (width, 1.7), text, hue)
    };
    let root = node(2.9, 9.0, 5.4, "Transformer", Hue::Rule);
    let parts = [("embedding", 1.3), ("encoder", 9.0), ("decoder", 17.4)];
    let parts = parts.map(|(name, y)| node(9.9, y, 5.6, name, Hue::Rule));
    let table = node(31.7, 1.3, 8.4, "table", Hue::Ink);
    let first = node(15.5, 7.4, 2.2, "0", Hue::Rule);
    let second = node(15.5, 15.0, 2.2, "1", Hue::Rule);
    let below = node(15.5, 17.4, 2.4, "0, 1", Hue::Rule);
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
        let part = node(22.0, y, 7.4, name, Hue::Rule);
        edges.push((first, part));
        for (i, leaf) in (0..).zip(leaves) {
            let leaf =
                node(31.7, y + f64::from(2 * i), 8.4, leaf, Hue::Ink);
            edges.push((part, leaf));
        }
    }
    let same = node(22.0, 15.0, 7.4, "the same again", Hue::Rule);
    let more = node(22.6, 17.4, 8.6, "and cross-attention", Hue::Rule);
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
fn types() {
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
        let block = figure.block((6.0, y), (11.6, 1.8), tree, Hue::Rule);
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

