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
// If the change did nothing, any five of the fifteen scores could as well be
// its own. So we go through all picks, and count those as low as the one that
// we have. The smallest share that there can be is one pick of all, 1 in 3003
// for five and ten. (A sum may differ in its last digit by the order of its
// numbers, hence the small addition.)

/// Of all ways to pick as many scores as are changed from all scores together,
/// the share of those with a mean as low, or lower.
pub fn as_low_by_luck(changed: &[f64], unchanged: &[f64]) -> f64 {
    let all = [changed, unchanged].concat();
    let bound = changed.iter().sum::<f64>() + 1e-9;
    let (mut picks, mut as_low) = (0, 0);
    for pick in 0..1_u32 << all.len() {
        if pick.count_ones() as usize == changed.len() {
            let picked = (0..all.len()).filter(|i| pick >> i & 1 == 1);
            picks += 1;
            if picked.map(|i| all[i]).sum::<f64>() <= bound {
                as_low += 1;
            }
        }
    }
    f64::from(as_low) / f64::from(picks)
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
