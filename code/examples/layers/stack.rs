//! Twenty-four random layers, and what becomes of six words in them.

use all_you_need::attention::Mask;
use all_you_need::embedding::Embedding;
use all_you_need::gradient::Tape;
use all_you_need::heads::MultiHead;
use all_you_need::layers::{FeedForward, LayerOps};
use all_you_need::parameters::Parameters;
use all_you_need::position::sinusoidal;
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::tokens::{Vocabulary, words};
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// Six words, each a row of 64 numbers.
pub const SENTENCE: &str = "the cat jumped over the fence";
pub const D_MODEL: usize = 64;
/// The heads and hidden units of a layer, and how many layers there are.
const HEADS: usize = 4;
const D_K: usize = D_MODEL / HEADS;
const D_FF: usize = 4 * D_MODEL;
pub const LAYERS: usize = 24;

/// The sentence, embedded at random, with positions.
pub fn sentence() -> Matrix {
    let words = words(SENTENCE);
    let vocabulary = Vocabulary::of(&words);
    let ids = vocabulary.encode(&words).expect("its own words");
    let rng = &mut ChaCha8Rng::seed_from_u64(6);
    let embedding: Embedding<Matrix> =
        Embedding::new(vocabulary.len(), D_MODEL, rng);
    let positions: Vec<usize> = (0..words.len()).collect();
    embedding.embed(&ids) + sinusoidal(&positions, D_MODEL)
}

/// One layer without sums and norms.
pub struct Layer<T> {
    attention: MultiHead<T>,
    feed_forward: FeedForward<T>,
}

impl Layer<Matrix> {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        Self {
            attention: MultiHead::new(HEADS, D_MODEL, (D_K, D_K), rng),
            feed_forward: FeedForward::new(D_MODEL, D_FF, rng),
        }
    }
}

/// Random layers, by their seed.
pub fn layers(seed: u64) -> Vec<Layer<Matrix>> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    (0..LAYERS).map(|_| Layer::random(rng)).collect()
}

/// What to do with rows and a sublayer.
#[derive(Clone, Copy)]
pub enum Order {
    Bare,
    Sum,
    Norm,
    Post,
    Pre,
}

impl Order {
    pub const ALL: [(&str, Order); 5] = [
        ("S(x)", Order::Bare),
        ("x + S(x)", Order::Sum),
        ("LN(S(x))", Order::Norm),
        ("LN(x + S(x))", Order::Post),
        ("x + S(LN(x))", Order::Pre),
    ];

    fn around<T: LayerOps>(self, x: &T, sublayer: impl Fn(&T) -> T) -> T {
        match self {
            Order::Bare => sublayer(x),
            Order::Sum => x.add(&sublayer(x)),
            Order::Norm => sublayer(x).standardize(),
            Order::Post => x.add(&sublayer(x)).standardize(),
            Order::Pre => x.add(&sublayer(&x.standardize())),
        }
    }

    /// The rows before the first layer and after each.
    pub fn through<T: LayerOps>(self, x: T, layers: &[Layer<T>]) -> Vec<T> {
        let (n, _) = x.shape();
        let all = Mask::none(n, n);
        let mut rows = vec![x];
        for Layer { attention, feed_forward } in layers {
            let x = &rows[rows.len() - 1];
            let x = self.around(x, |x| attention.forward(x, x, &all));
            rows.push(self.around(&x, |x| feed_forward.forward(x)));
        }
        rows
    }
}

/// The root of the mean square of all numbers.
pub fn size(x: &Matrix) -> f64 {
    x.norm() / (x.len() as f64).sqrt()
}

/// How much of the numbers is what the rows do not have in common: 0 if all
/// rows are one row.
pub fn how_far_apart(x: &Matrix) -> f64 {
    let mean = x.row_mean().select_rows(&vec![0; x.nrows()]);
    (x - mean).norm() / x.norm()
}

/// The medians, over five random stacks, of what is measured of a stack.
pub fn medians<const N: usize>(of: impl Fn(u64) -> [f64; N]) -> [f64; N] {
    let stacks = [1, 2, 3, 4, 5].map(of);
    std::array::from_fn(|i| {
        let mut found = stacks.map(|stack| stack[i]);
        found.sort_by(f64::total_cmp);
        found[2]
    })
}

/// The mean size of the gradients of W₁ in the lowest layer and in the
/// highest. The result is a sum of all that comes out at the top, with random
/// weights.
pub fn gradients_of(order: Order, layers: &[Layer<Matrix>]) -> [f64; 2] {
    let tape = Tape::default();
    let put = &mut |_: &str, leaf: &Matrix| tape.variable(leaf.clone());
    let layer = |Layer { attention, feed_forward }: &Layer<Matrix>| Layer {
        attention: attention.map("", put),
        feed_forward: feed_forward.map("", put),
    };
    let layers: Vec<Layer<_>> = layers.iter().map(layer).collect();
    let rows = order.through(tape.variable(sentence()), &layers);
    let rng = &mut ChaCha8Rng::seed_from_u64(7);
    let [left, right] = [(1, 6), (D_MODEL, 1)]
        .map(|(n, m)| tape.variable(rng.uniform(n, m, 1.0)));
    let result = left.matmul(&rows[LAYERS]).matmul(&right);
    let gradients = tape.gradients(&result);
    [0, LAYERS - 1].map(|l| {
        let weights = &layers[l].feed_forward.inner.weight;
        gradients.of(weights).abs().mean()
    })
}
