use all_you_need::costs::{Bill, Cost, Shape};
use all_you_need::encoder::Config;
use all_you_need::training::Recipe;
use all_you_need::transformer::Transformer;

#[path = "../../exercises/checks/costs.rs"]
mod check;

// Exercise 1
//
// About two months. 100,000 steps of 25,000 tokens are 2.5 billion tokens, each
// costs three times 63 million multiply-adds, and 4.7 · 10¹⁷ of them at 90
// billion a second take 61 days, if nothing but products took time. The
// authors' eight cards needed twelve hours.
#[test]
fn the_base_model_would_take_two_months() {
    let recipe = Recipe::base();
    let tokens = (recipe.updates * recipe.batch_tokens) as f64;
    let work = 3.0 * tokens * Config::base().parameters() as f64;
    let days = work / 90e9 / 86_400.0;
    assert!((60.5..61.5).contains(&days), "{days}");
}

// Exercise 2
//
// The parameters stay the same, the multiply-adds become 2.02 times as many,
// and the exponentials nearly four times. Only the work between words grows
// with the square, and in short sentences it is a small part of all work.
// Under a causal mask the exponentials of n words are n(n + 1)/2, and twice
// the words are not quite four times as many.
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
