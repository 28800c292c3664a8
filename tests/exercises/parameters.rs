use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::Matrix;
use all_you_need::transformer::Transformer;

#[path = "../../exercises/checks/parameters.rs"]
mod check;

// Exercise 1
//
// Nearly four times. Both sides of each matrix are twice as long, so a matrix
// has four times as many numbers. Only the rows, which are the biases and the
// norms, have twice as many.
#[test]
fn twice_as_wide_is_nearly_four_times_as_many() {
    let layer = |config: &Config| {
        let model: Transformer<Shape> =
            Transformer::new(config, &mut Bill::default());
        parameter_count(&model.encoder.layers[0]) as f64
    };
    let times = layer(&Config::big()) / layer(&Config::base());
    assert!((3.99..4.0).contains(&times));
}

// Exercise 2
//
// The length is that of one long row with the numbers of all leaves, so there
// is one sum of squares and one factor. If each leaf were clipped by itself,
// the gradient would change its direction.

/// Scales a gradient down to length `limit` if it is longer.
pub fn clip(gradient: &mut impl Parameters<Matrix>, limit: f64) {
    let leaves = gradient.leaves().into_iter();
    let squares: f64 = leaves.map(|(_, leaf)| leaf.norm_squared()).sum();
    let length = squares.sqrt();
    if length > limit {
        for leaf in gradient.leaves_mut() {
            *leaf *= limit / length;
        }
    }
}

// Exercise 3
//
// From ten layers on, the names of layers 10 to 19 begin with that of layer 1.
// A branch ends with a dot, so that is part of what the name has to begin with.

/// Sets the gradient of one branch, such as `encoder.layers.1`, to zero.
pub fn freeze(gradient: &mut impl Parameters<Matrix>, branch: &str) {
    let branch = format!("{branch}.");
    let names: Vec<String> =
        gradient.leaves().into_iter().map(|(name, _)| name).collect();
    for (name, leaf) in names.iter().zip(gradient.leaves_mut()) {
        if name.starts_with(&branch) {
            leaf.fill(0.0);
        }
    }
}
