use all_you_need::costs::{Bill, Cost, Shape, convolve};
use all_you_need::encoder::Config;
use all_you_need::transformer::Transformer;

#[path = "../../exercises/checks/costs.rs"]
mod check;

// Exercise 1
//
// About twice as many, 999, because each layer now brings the first word
// nearer by one place instead of two. If the steps are dilated by 3 from
// layer to layer, the reach of $l$ layers is $(3^l - 1)/2$ to either side,
// and seven layers are still enough.
#[test]
fn looking_both_ways_takes_twice_the_layers() {
    let both_ways = |x: &[f64], step| {
        let backwards: Vec<f64> = x.iter().rev().copied().collect();
        let left = convolve(x, &[0.5, 0.5], step);
        let right = convolve(&backwards, &[0.0, 0.5], step);
        let sum = left.iter().zip(right.iter().rev()).map(|(a, b)| a + b);
        sum.map(|x| f64::from(x != 0.0)).collect::<Vec<f64>>()
    };
    let layers = |dilated: bool| {
        let (mut x, mut step) = (vec![0.0; 1000], 1);
        x[0] = 1.0;
        for layers in 1.. {
            x = both_ways(&x, step);
            if x[999] != 0.0 {
                return layers;
            }
            step *= if dilated { 3 } else { 1 };
        }
        unreachable!()
    };
    assert_eq!(layers(false), 999);
    assert_eq!(layers(true), 7);
}

// Exercise 2
//
// The parameters stay the same, the multiply-adds become 2.02 times as many,
// and the exponentials nearly four times. Only the work between words grows
// with the square, and in short sentences it is a small part of all work.
// (Under a causal mask the exponentials of n words are n(n + 1)/2.)
#[test]
fn twice_as_many_words() {
    let cost = |n: usize| -> Cost {
        let mut bill = Bill::default();
        let model: Transformer<Shape> =
            Transformer::new(&Config::base(), &mut bill);
        let _ = model.forward(&[vec![0; n]], &[vec![0; n]]);
        bill.cost()
    };
    let (once, twice) = (cost(30), cost(60));
    assert_eq!(twice.parameters, once.parameters);
    let times = twice.exponentials as f64 / once.exponentials as f64;
    assert!((3.98..4.0).contains(&times), "{times}");
    let times = twice.multiply_adds as f64 / once.multiply_adds as f64;
    assert!((times - 2.02).abs() < 0.005, "{times}");
}

// Exercise 3
//
// Each word is multiplied with every matrix once, so these products cost n
// times their parameters. The scores cost $n^2 d_k$ and the mixtures $n^2 d_v$
// in each of the $h$ heads.

/// The multiply-adds of one encoder layer for a sentence of n words.
pub fn layer_cost(config: &Config, n: u64) -> u64 {
    let size = |size: usize| size as u64;
    let heads = size(config.heads * (config.d_k + config.d_v));
    let projections = 2 * size(config.d_model) * heads;
    let feed_forward = 2 * size(config.d_model) * size(config.d_ff);
    n * (projections + feed_forward) + n * n * heads
}

// Exercise 4
//
// The projections lead to $h\,d_k$ or $h\,d_v$ columns, and nothing says that
// this is $d_\text{model}$. In most models it is, so the mistake shows only in
// others, such as two that the paper tried (Table 3, B), whose queries and keys
// have 16 or 32 numbers a head while the values keep their 64.

/// The parameters of one multi-head attention.
pub fn attention_parameters(config: &Config) -> usize {
    let heads = config.heads * (config.d_k + config.d_v);
    2 * config.d_model * heads
}
