use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::layers::Linear;
use all_you_need::parameters::Parameters;
use all_you_need::tensor::Matrix;
use all_you_need::transformer::Transformer;

#[path = "../../exercises/checks/parameters.rs"]
mod check;

// Exercise 1
//
// The big model has 181, too. Wider matrices are larger, but there are not
// more of them, and all heads of an attention share four matrices. One more layer on
// each side has 12 + 18 leaves, as (181 − 1) / 6 = 30 also says, so the model
// with seven layers has 211.
#[test]
fn leaves_are_counted_by_the_layers() {
    let leaves = |config: &Config| {
        let model: Transformer<Shape> =
            Transformer::new(config, &mut Bill::default());
        model.leaves().len()
    };
    assert_eq!(leaves(&Config::base()), 181);
    assert_eq!(leaves(&Config::big()), 181);
    assert_eq!(leaves(&Config { layers: 7, ..Config::base() }), 211);
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
// From eleven layers on, the name of layer 10 begins with that of layer 1, and
// in every layer `attention_norm` begins with `attention`. A branch ends with a
// dot, so that is part of what the name has to begin with.

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

// Exercise 4
//
// The leaf goes to `f` under its own name, and the part walks through itself
// under a name that ends with a dot. If a field is left out, the struct is
// incomplete and does not compile.

/// A layer with one leaf and one part.
pub struct Gated<T> {
    pub gate: T,
    pub inner: Linear<T>,
}

/// The layer in which every leaf is replaced by what `f` makes of it.
pub fn map<'a, T, U>(
    layer: &'a Gated<T>,
    name: &str,
    f: &mut dyn FnMut(&str, &'a T) -> U,
) -> Gated<U> {
    Gated {
        gate: f(&format!("{name}gate"), &layer.gate),
        inner: layer.inner.map(&format!("{name}inner."), f),
    }
}
