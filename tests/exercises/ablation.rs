use all_you_need::ablation::{Ablated, Experiment, Switch, Switches};
use all_you_need::tensor::Matrix;
use rand::{SeedableRng, rngs::ChaCha8Rng};

#[path = "../../exercises/checks/ablation.rs"]
mod check;

// Exercise 1
//
// From five. Of ten places in a row, five can be chosen in 252 ways, and in
// one of them the changed models have the lowest. With four of each it is
// 1 in 70, and with three, which is a common number, 1 in 20.
#[test]
fn three_of_each_prove_little() {
    // Each order as a number whose ones are the models with the change.
    let orders = |models: u32| {
        let places = 0..1_u32 << (2 * models);
        places.filter(|order| order.count_ones() == models).count()
    };
    assert_eq!([3, 4, 5].map(orders), [20, 70, 252]);
}

// Exercise 2
//
// The lowest of all is a changed one with a probability of 5 in 15, the next
// one then with 4 in 14, and so on. For five and ten it is 1 in 3003.

/// How probable it is that of `changed + unchanged` scores in a random order
/// the changed ones are the lowest.
pub fn by_chance(changed: usize, unchanged: usize) -> f64 {
    let left = (1..=changed).rev();
    left.map(|n| n as f64 / (n + unchanged) as f64).product()
}

// Exercise 3
//
// The second model is made with the random numbers that come after those of
// the first, so it has another embedding, other heads, other everything, and
// the comparison is one of seeds as well. Each needs a generator of its own
// from the same seed.

/// The paper's model and one with a switch thrown, both new, to be trained on
/// the same examples and compared.
pub fn to_compare(seed: u64, switch: Switch) -> [Ablated<Matrix>; 2] {
    let config = Experiment::config();
    let thrown = [switch].into_iter().collect();
    [Switches::default(), thrown].map(|switches| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Ablated::new(&config, switches, &mut rng)
    })
}
