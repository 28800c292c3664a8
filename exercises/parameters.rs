//! Exercises of the chapter on parameters.

use all_you_need::layers::Linear;
use all_you_need::parameters::Parameters;
use all_you_need::tensor::Matrix;

#[cfg(test)]
#[path = "checks/parameters.rs"]
mod check;

// Exercise 2

/// Scales a gradient down to length `limit` if it is longer. Its length is
/// the root of the sum of the squares of all its numbers.
pub fn clip(gradient: &mut impl Parameters<Matrix>, limit: f64) {
    todo!("one sum over all leaves, then one factor for all leaves")
}

// Exercise 3

/// Sets the gradient of one branch, such as `encoder.layers.1`, to zero.
/// There is a mistake in it.
pub fn freeze(gradient: &mut impl Parameters<Matrix>, branch: &str) {
    let names: Vec<String> =
        gradient.leaves().into_iter().map(|(name, _)| name).collect();
    for (name, leaf) in names.iter().zip(gradient.leaves_mut()) {
        if name.starts_with(branch) {
            leaf.fill(0.0);
        }
    }
}

// Exercise 4

/// A layer with one leaf and one part.
pub struct Gated<T> {
    pub gate: T,
    pub inner: Linear<T>,
}

/// The layer in which every leaf is replaced by what `f` makes of its name,
/// which begins with `name`, and of the leaf.
pub fn map<'a, T, U>(
    layer: &'a Gated<T>,
    name: &str,
    f: &mut dyn FnMut(&str, &'a T) -> U,
) -> Gated<U> {
    todo!("call f for the leaf, and the walk of `inner` for the part")
}
