use all_you_need::attention::{Mask, attention};
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::{Config, Encoder, EncoderLayer};
use all_you_need::heads::Heads;
use all_you_need::tensor::Matrix;

#[path = "../../exercises/checks/encoder.rs"]
mod check;

// Exercise 1
//
// At 6,144 words, twice as many as in the base model. The work between words
// is $2 n^2 d$. All else is $4 n d^2$ in the projections and $8 n d^2$ in the
// feed-forward network, and $2 n^2 d = 12 n d^2$ at $n = 6 d$. (The test
// counts with a type of the chapter on [costs](costs.md).)
#[test]
fn the_big_model_is_even_at_6144_words() {
    let config = Config::big();
    let n = 6 * config.d_model;
    assert_eq!(n, 6144);
    let mut bill = Bill::default();
    let x = bill.shape(n, config.d_model);
    let mask = Mask::none(n, n);
    let _ = Shape::attend_heads(&x, &x, &x, config.heads, &mask);
    let between = bill.cost().multiply_adds;
    let layer: EncoderLayer<Shape> = EncoderLayer::new(&config, &mut bill);
    let _ = layer.forward(&x, &mask);
    let layer = bill.cost().multiply_adds - between;
    assert_eq!(layer - between, between);
}

// Exercise 2
//
// 65 women. Each layer doubles the number of generations, so six layers
// lead 64 generations up, and the oldest is the sixty-fifth.
#[test]
fn six_layers_lead_64_generations_up() {
    let oldest_known = |n: usize, layers: usize| {
        let who = Matrix::identity(n, n);
        let mother: Vec<usize> = (0..n).map(|i| (i + 1).min(n - 1)).collect();
        let mut known = who.select_rows(&mother);
        for _ in 0..layers {
            let loudly = &known * 1000.0;
            known = attention(&loudly, &who, &known, &Mask::none(n, n));
        }
        known.row(0).transpose().argmax().0
    };
    assert_eq!(oldest_known(9, 3), 8);
    assert_eq!(oldest_known(65, 6), 64);
    assert_eq!(oldest_known(66, 6), 64);
}

// Exercise 3
//
// We run the encoder once on the rows as they are, and then once for each
// word, with a single number of its row changed. A row of the result that is
// not the same as before has heard of that word.

/// 1 where word i has heard of word j.
pub fn heard(encoder: &Encoder<Matrix>, x: &Matrix, mask: &Mask) -> Matrix {
    let n = x.nrows();
    let before = encoder.forward(x, mask);
    let mut heard = Matrix::zeros(n, n);
    for j in 0..n {
        let mut changed = x.clone();
        changed[(j, 0)] += 1.0;
        let after = encoder.forward(&changed, mask);
        for i in 0..n {
            heard[(i, j)] = f64::from(after.row(i) != before.row(i));
        }
    }
    heard
}

// Exercise 4
//
// The second residual connection started from `x` and not from `y`, so it
// went around the attention as well. What a word had heard reached the result
// only through the feed-forward network.

/// An encoder layer, from n × d_model to n × d_model.
pub fn forward(
    layer: &EncoderLayer<Matrix>,
    x: &Matrix,
    mask: &Mask,
) -> Matrix {
    let attended = layer.attention.forward(x, x, mask);
    let y = layer.attention_norm.add_norm(x, &attended);
    let mapped = layer.feed_forward.forward(&y);
    layer.feed_forward_norm.add_norm(&y, &mapped)
}
