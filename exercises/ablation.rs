//! Exercises of the chapter on what each part is good for.

use all_you_need::ablation::{Ablated, Experiment, Switch, Switches};
use all_you_need::tensor::Matrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

#[cfg(test)]
#[path = "checks/ablation.rs"]
mod check;

// Exercise 2

/// Of all ways to pick as many scores as are changed from all scores together,
/// the share of those with a mean as low as that of the changed ones, or
/// lower. There are at most twenty scores.
pub fn as_low_by_luck(changed: &[f64], unchanged: &[f64]) -> f64 {
    todo!(
        "each pick is a number of so many bits, in which the ones are picked"
    )
}

// Exercise 3

/// The paper's model and one with a switch thrown, both new, to be trained on
/// the same examples and compared. There is a mistake in it.
pub fn to_compare(seed: u64, switch: Switch) -> [Ablated<Matrix>; 2] {
    let config = Experiment::config();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let thrown = [switch].into_iter().collect();
    [Switches::default(), thrown]
        .map(|switches| Ablated::new(&config, switches, &mut rng))
}
