//! Layers, operations and a model of one's own, from what the crate exports.

use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::embedding::Embedding;
use all_you_need::encoder::{Encoder, EncoderLayer};
use all_you_need::gradient::Variable;
use all_you_need::heads::MultiHead;
use all_you_need::layers::{Layer, LayerOps, Linear, Rowwise};
use all_you_need::loss::TiedCrossEntropy;
use all_you_need::nalgebra::convert;
use all_you_need::parameters;
use all_you_need::parameters::{Parameters, check_gradient, parameter_count};
use all_you_need::rand::rngs::ChaCha8Rng;
use all_you_need::rand::{RngExt, SeedableRng};
use all_you_need::tensor::{Float, Init, Matrix, Tensor};
use all_you_need::tokens::Token;
use all_you_need::training::Recipe;
use all_you_need::writer::{Trainer, TrainingExample, mean_loss};
use std::f64::consts::FRAC_2_PI;
use std::ops::ControlFlow;

/// Each row divided by the root of the mean of its squares, as an operation
/// whose derivative is given.
trait Rms: LayerOps {
    fn rms(&self) -> Self;
}

const EPSILON: f64 = 1e-6;

/// 1 / √(mean(x²) + ε) of each row.
fn factors<F: Float>(x: &Matrix<F>) -> Vec<F> {
    let epsilon = convert(EPSILON);
    let width = convert(x.ncols() as f64);
    let mean = |row| -> F { row / width + epsilon };
    let squares = x.row_iter().map(|row| row.norm_squared());
    squares.map(|sum| F::one() / mean(sum).sqrt()).collect()
}

fn times<F: Float>(x: &Matrix<F>, factors: &[F]) -> Matrix<F> {
    x.map_with_location(|i, _, x| x * factors[i])
}

impl<F: Float> Rms for Matrix<F> {
    fn rms(&self) -> Self {
        times(self, &factors(self))
    }
}

impl<F: Float> Rms for Variable<F> {
    fn rms(&self) -> Self {
        let factors = factors(self.value());
        let y = times(self.value(), &factors);
        Self::operation([self], y.clone(), move |g| {
            let along = y.component_mul(g).column_mean();
            let back = |i, j, g| g - y[(i, j)] * along[i];
            [times(&g.map_with_location(back), &factors)]
        })
    }
}

impl Rms for Shape {
    fn rms(&self) -> Self {
        self.standardize() // which is as large
    }
}

/// RMSNorm (Zhang and Sennrich, 2019).
struct RmsNorm<T> {
    gain: T,
}

parameters!(RmsNorm, [gain], [], []);

impl<T: Rms> Layer<T> for RmsNorm<T> {
    fn forward(&self, x: &T) -> T {
        x.rms().mul_row(&self.gain)
    }
}

/// x Φ(x), nearly, as GPT-2 computes it (Hendrycks and Gimpel, 2016).
fn gelu<T: LayerOps>(x: &T) -> T {
    let c = FRAC_2_PI.sqrt();
    let tanh = move |x: f64| (c * (x + 0.044715 * x.powi(3))).tanh();
    x.map_cells(
        move |x| 0.5 * x * (1.0 + tanh(x)),
        move |x| {
            let (t, inner) = (tanh(x), c * (1.0 + 3.0 * 0.044715 * x * x));
            0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner
        },
    )
}

/// x σ(x).
fn silu<T: LayerOps>(x: &T) -> T {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    x.map_cells(
        move |x| x * sigmoid(x),
        move |x| sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))),
    )
}

/// SwiGLU (Shazeer, 2020).
struct SwiGlu<T> {
    gate: Linear<T>,
    value: Linear<T>,
    output: Linear<T>,
}

parameters!(SwiGlu, [], [gate value output], []);

impl<T: LayerOps> SwiGlu<T> {
    fn new(d_model: usize, d_ff: usize, init: &mut impl Init<T>) -> Self {
        Self {
            gate: Linear::new(d_model, d_ff, init),
            value: Linear::new(d_model, d_ff, init),
            output: Linear::new(d_ff, d_model, init),
        }
    }
}

impl<T: LayerOps> Layer<T> for SwiGlu<T> {
    fn forward(&self, x: &T) -> T {
        let gate = silu(&self.gate.forward(x));
        self.output.forward(&gate.mul_cells(&self.value.forward(x)))
    }
}

/// A model that answers each token of a text with another one.
struct Answering<T> {
    embedding: Embedding<T>,
    stack: Encoder<T, RmsNorm<T>, SwiGlu<T>>,
}

parameters!(Answering, [], [embedding stack], []);

impl<T: Rms> Answering<T> {
    fn new(vocabulary: usize, d: usize, init: &mut impl Init<T>) -> Self {
        let embedding = Embedding::new(vocabulary, d, init);
        let mut norm = || RmsNorm { gain: init.filled(1, d, 1.0) };
        let (attention_norm, feed_forward_norm) = (norm(), norm());
        let layer = EncoderLayer {
            attention: MultiHead::new(2, d, (d / 2, d / 2), init),
            attention_norm,
            feed_forward: SwiGlu::new(d, 2 * d, init),
            feed_forward_norm,
        };
        Self { embedding, stack: Encoder { layers: vec![layer] } }
    }

    fn rows(&self, texts: &[&[Token]]) -> T {
        let packed = self.embedding.pack(texts);
        let own = Mask::packed(&packed.lengths, &packed.lengths);
        self.stack.forward(&packed.rows, &own)
    }
}

/// A text that is to be answered backwards.
#[derive(Clone)]
struct Backwards(Vec<Token>);

impl Backwards {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        Self((0..6).map(|_| rng.random_range(0..8)).collect())
    }

    fn answer(&self) -> impl Iterator<Item = Token> {
        self.0.iter().rev().copied()
    }
}

impl<T: Rms + TiedCrossEntropy> TrainingExample<Answering<T>, T>
    for Backwards
{
    fn answers(&self) -> usize {
        self.0.len()
    }

    fn loss(model: &Answering<T>, texts: &[Self], smoothing: f64) -> T {
        let tokens: Vec<&[Token]> = texts.iter().map(|t| &t.0[..]).collect();
        let answers: Vec<Token> =
            texts.iter().flat_map(Self::answer).collect();
        let (rows, table) = (model.rows(&tokens), &model.embedding.table);
        rows.tied_cross_entropy(table, &answers, smoothing)
    }
}

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

/// A layer of GELU alone.
struct Bent<T> {
    inner: Linear<T>,
}

parameters!(Bent, [], [inner], []);

#[test]
fn gelu_has_the_derivative_that_it_is_given() {
    let layer = Bent { inner: Linear::new(3, 2, &mut rng()) };
    let x: Matrix = rng().uniform(4, 3, 1.0);
    let ones = |rows, cols| Matrix::from_element(rows, cols, 1.0);
    check_gradient(&layer, |layer| {
        let x = layer.inner.weight.constant(&x);
        let y = gelu(&layer.inner.forward(&x));
        let rows = y.constant(&ones(1, 4)).matmul(&y);
        rows.matmul(&y.constant(&ones(2, 1)))
    })
    .unwrap();
    let at_one = gelu(&ones(1, 1))[0];
    assert!((at_one - 0.841192).abs() < 1e-6, "{at_one}");
}

#[test]
fn the_gradients_of_the_whole_model_are_right() {
    let model: Answering<Matrix> = Answering::new(8, 4, &mut rng());
    let texts = [Backwards(vec![1, 2, 3]), Backwards(vec![7, 0])];
    check_gradient(&model, |model| {
        TrainingExample::<Answering<_>, _>::loss(model, &texts, 0.1)
    })
    .unwrap();
}

#[test]
fn a_row_has_the_size_one_after_the_norm() {
    let x: Matrix = rng().uniform(5, 16, 3.0);
    let norm = RmsNorm { gain: Matrix::from_element(1, 16, 1.0) };
    for row in norm.forward(&x).row_iter() {
        assert!((row.norm_squared() / 16.0 - 1.0).abs() < 1e-6);
    }
}

#[test]
fn its_parameters_have_names_and_can_be_counted() {
    let model: Answering<Shape> = Answering::new(8, 4, &mut Bill::default());
    let names: Vec<_> = model.leaves().into_iter().map(|l| l.0).collect();
    assert_eq!(names[0], "embedding.table");
    assert!(names.contains(&"stack.layers.0.feed_forward.gate.bias".into()));
    let swi_glu = 2 * (4 * 8 + 8) + 8 * 4 + 4;
    assert_eq!(parameter_count(&model), 8 * 4 + 4 * 16 + 2 * 4 + swi_glu);
}

#[test]
fn it_learns_to_read_backwards() {
    let recipe = Recipe {
        batch_tokens: 192,
        updates: 300,
        warmup: 50,
        peak_lr: 0.01,
        label_smoothing: 0.0,
        ..Recipe::toy()
    };
    let mut rng = rng();
    let mut some =
        |n| (0..n).map(|_| Backwards::random(&mut rng)).collect::<Vec<_>>();
    let (examples, others) = (some(2000), some(200));
    let mut learning: Trainer<Answering<Matrix<f32>>> =
        Trainer::new(recipe, |rng| Answering::new(8, 32, rng));
    let before = mean_loss(&learning.model, &others);
    let run = learning
        .run(&examples, |_, _| ControlFlow::<()>::Continue(()))
        .unwrap();
    assert!(run.is_continue());
    let after = mean_loss(&learning.model, &others);
    assert!(before > 1.5 && after < 0.1, "{before} → {after}");
}
