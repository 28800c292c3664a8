//! Layers, operations and a model of one's own, from what the crate exports. The layers and the model are those of the example.

#[path = "../code/examples/own.rs"]
#[expect(dead_code, reason = "it learns when the example is run")]
mod example;

use all_you_need::costs::{Bill, Shape};
use all_you_need::gradient::Variable;
use all_you_need::layers::{Layer, LayerOps, Linear, Rowwise};
use all_you_need::nalgebra::convert;
use all_you_need::parameters;
use all_you_need::parameters::{Parameters, check_gradient, parameter_count};
use all_you_need::rand::SeedableRng;
use all_you_need::rand::rngs::ChaCha8Rng;
use all_you_need::tensor::{Float, Init, Matrix, Tensor};
use example::{Answering, RmsNorm, VOCABULARY};
use std::f64::consts::FRAC_2_PI;

/// What the example makes of other operations, as one: each row divided by
/// the root of the mean of its squares, with a derivative that is given.
trait Rms: LayerOps {
    fn rms(&self) -> Self;
}

/// 1 / √(mean(x²) + ε) of each row.
fn factors<F: Float>(x: &Matrix<F>) -> Vec<F> {
    let width = convert(x.ncols() as f64);
    let mean = |row| -> F { row / width + convert(1e-6) };
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

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

fn ones(rows: usize, cols: usize) -> Matrix {
    Matrix::from_element(rows, cols, 1.0)
}

/// A layer that bends what it gets.
struct Bent<T> {
    inner: Linear<T>,
}

parameters!(Bent, [], [inner], []);

/// Compares the derivative of an operation with differences.
fn check(operation: fn(&Variable<f64>) -> Variable<f64>) {
    let layer = Bent { inner: Linear::new(3, 2, &mut rng()) };
    let x: Matrix = rng().uniform(4, 3, 1.0);
    check_gradient(&layer, |layer| {
        let x = layer.inner.weight.constant(&x);
        let y = operation(&layer.inner.forward(&x));
        // Cells that count differently, since the rows of `rms` are all
        // of one size.
        let weights: Matrix = rng().uniform(2, 1, 1.0);
        let rows = y.constant(&ones(1, 4)).matmul(&y);
        rows.matmul(&y.constant(&weights))
    })
    .unwrap();
}

#[test]
fn operations_have_the_derivatives_that_they_are_given() {
    check(gelu);
    check(Rms::rms);
    let at_one = gelu(&ones(1, 1))[0];
    assert!((at_one - 0.841192).abs() < 1e-6, "{at_one}");
}

#[test]
fn an_operation_of_ones_own_is_what_it_is_made_of() {
    let x: Matrix = rng().uniform(5, 16, 3.0);
    let norm = RmsNorm { gain: ones(1, 16) };
    let apart = (x.rms() - norm.forward(&x)).abs().max();
    assert!(apart < 1e-14, "{apart}");
    for row in x.rms().row_iter() {
        assert!((row.norm_squared() / 16.0 - 1.0).abs() < 1e-6);
    }
    let bill = Bill::default();
    assert_eq!(bill.shape(5, 16).rms().shape(), (5, 16));
}

#[test]
fn its_parameters_have_names_and_can_be_counted() {
    let model: Answering<Shape> = Answering::new(4, &mut Bill::default());
    let names: Vec<_> = model.leaves().into_iter().map(|l| l.0).collect();
    assert_eq!(names[0], "embedding.table");
    assert!(names.contains(&"stack.layers.0.feed_forward.gate.bias".into()));
    let swi_glu = 2 * (4 * 8 + 8) + 8 * 4 + 4;
    let all = VOCABULARY * 4 + 4 * 16 + 2 * 4 + swi_glu;
    assert_eq!(parameter_count(&model), all);
}
