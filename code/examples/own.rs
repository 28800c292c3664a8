//! A model of one's own, with other layers than the paper's:
//! `cargo run --example own`

use all_you_need::attention::Mask;
use all_you_need::embedding::Embedding;
use all_you_need::encoder::{Encoder, EncoderLayer};
use all_you_need::heads::MultiHead;
use all_you_need::layers::{Layer, LayerOps, Linear};
use all_you_need::loss::TiedCrossEntropy;
use all_you_need::parameters;
use all_you_need::parameters::{check_gradient, parameter_count};
use all_you_need::tensor::{Init, Matrix};
use all_you_need::tokens::{Token, Tokenizer};
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{Trainer, TrainingExample, mean_loss};
use print::{Fixed, section, value};
use rand::RngExt;
use std::ops::ControlFlow::{self, Continue};

/// x / √(mean(x²) + ε) · γ (Zhang and Sennrich, 2019)
pub struct RmsNorm<T> {
    pub gain: T,
}

parameters!(RmsNorm, [gain], [], []);

impl<T: LayerOps> Layer<T> for RmsNorm<T> {
    fn forward(&self, x: &T) -> T {
        let (_, d) = x.shape();
        let mean = Matrix::from_element(d, d, 1.0 / d as f64);
        let squares = x.mul_cells(x).matmul(&x.constant(&mean));
        let factors = squares.map_cells(
            |s| (s + 1e-6).powf(-0.5),
            |s| -0.5 * (s + 1e-6).powf(-1.5),
        );
        x.mul_cells(&factors).mul_row(&self.gain)
    }
}

/// (SiLU(x W) · (x V)) U, with a product cell by cell (Shazeer, 2020)
struct SwiGlu<T> {
    gate: Linear<T>,
    value: Linear<T>,
    output: Linear<T>,
}

parameters!(SwiGlu, [], [gate value output], []);

/// x σ(x)
fn silu<T: LayerOps>(x: &T) -> T {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    x.map_cells(
        move |x| x * sigmoid(x),
        move |x| sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))),
    )
}

impl<T: LayerOps> Layer<T> for SwiGlu<T> {
    fn forward(&self, x: &T) -> T {
        let gate = silu(&self.gate.forward(x));
        self.output.forward(&gate.mul_cells(&self.value.forward(x)))
    }
}

/// A model that answers each token of a text with another one.
pub struct Answering<T> {
    embedding: Embedding<T>,
    stack: Encoder<T, RmsNorm<T>, SwiGlu<T>>,
}

parameters!(Answering, [], [embedding stack], []);

impl<T: LayerOps> Answering<T> {
    pub fn new(d: usize, init: &mut impl Init<T>) -> Self {
        let [attention_norm, feed_forward_norm] =
            [(); 2].map(|()| RmsNorm { gain: init.filled(1, d, 1.0) });
        let layer = EncoderLayer {
            attention: MultiHead::new(2, d, (d / 2, d / 2), init),
            attention_norm,
            feed_forward: SwiGlu {
                gate: Linear::new(d, 2 * d, init),
                value: Linear::new(d, 2 * d, init),
                output: Linear::new(2 * d, d, init),
            },
            feed_forward_norm,
        };
        let embedding = Embedding::new(VOCABULARY, d, init);
        Self { embedding, stack: Encoder { layers: vec![layer] } }
    }

    /// A row for each token of each text.
    fn rows(&self, texts: &[&[Token]]) -> T {
        let packed = self.embedding.pack(texts);
        let own = Mask::packed(&packed.lengths, &packed.lengths);
        self.stack.forward(&packed.rows, &own)
    }
}

/// A word to be answered backwards.
#[derive(Clone)]
struct Backwards(Vec<Token>);

impl<T: LayerOps + TiedCrossEntropy> TrainingExample<Answering<T>, T>
    for Backwards
{
    fn answers(&self) -> usize {
        self.0.len()
    }

    fn loss(model: &Answering<T>, words: &[Self], smoothing: f64) -> T {
        let texts: Vec<&[Token]> =
            words.iter().map(|word| &word.0[..]).collect();
        let answers: Vec<Token> = texts
            .iter()
            .flat_map(|text| text.iter().rev())
            .copied()
            .collect();
        let (rows, table) = (model.rows(&texts), &model.embedding.table);
        rows.tied_cross_entropy(table, &answers, smoothing)
    }
}

/// Every byte is a token.
pub const VOCABULARY: usize = 256;

fn main() {
    let rng = &mut generator(1, Stream::Data);
    let mut word = || {
        let letters = (0..6).map(|_| rng.random_range('a'..='j'));
        Tokenizer::default().encode(&letters.collect::<String>())
    };
    let mut words = |n| (0..n).map(|_| Backwards(word())).collect::<Vec<_>>();
    let (training, others) = (words(2000), words(100));

    section("A model of one's own");
    let small: Answering<Matrix> =
        Answering::new(4, &mut generator(1, Stream::Weights));
    check_gradient(&small, |model| Backwards::loss(model, &others[..1], 0.0))
        .expect("a gradient that is right");
    value("gradients that are right", parameter_count(&small));

    let recipe = Recipe {
        batch_tokens: 200,
        updates: 400,
        peak_lr: 0.01,
        label_smoothing: 0.0,
        ..Recipe::toy()
    };
    let mut learning: Trainer<Answering<Matrix<f32>>> =
        Trainer::new(recipe, |rng| Answering::new(32, rng));
    let before = mean_loss(&learning.model, &others);
    let run: Result<ControlFlow<()>, _> =
        learning.run(&training, |_, _| Continue(()));
    assert!(run.is_ok(), "finite losses");
    let after = mean_loss(&learning.model, &others);
    value("loss before", before.fixed(2));
    value("loss after", after.fixed(3));
}
