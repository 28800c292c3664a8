//! Exercises of the chapter on what each part is good for.

use all_you_need::ablation::{Ablated, Experiment, Switch, Switches};
use all_you_need::tensor::Matrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

#[cfg(test)]
#[path = "checks/ablation.rs"]
mod check;

// Exercise 2

/// How probable it is that of `changed + unchanged` scores in a random order
/// the changed ones are the lowest.
pub fn by_chance(changed: usize, unchanged: usize) -> f64 {
    todo!("in how many ways can the lowest scores be shared out?")
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
