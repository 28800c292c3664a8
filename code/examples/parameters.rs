//! A model as a tree: `cargo run --example parameters`

use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::Parameters;
use all_you_need::tensor::Tensor;
use all_you_need::transformer::Transformer;

fn main() {
    plot::read_arguments();
    names();
}

fn size(m: &impl Tensor) -> String {
    let (rows, columns) = m.shape();
    format!("{rows} × {columns}")
}

/// Every parameter of the base model; of the layers the lowest only.
fn names() {
    let model: Transformer<Shape> =
        Transformer::new(&Config::base(), &mut Bill::default());
    let leaves = model.leaves();
    println!("== Every parameter");
    for (name, leaf) in &leaves {
        if !name.contains("layers") || name.contains("layers.0") {
            println!("{name:44}{:>12}", size(*leaf));
        }
    }
    println!("\nleaves in all = {}", leaves.len());
}
