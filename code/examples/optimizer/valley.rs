//! A valley, and three ways to walk down it.

use all_you_need::embedding::Embedding;
use all_you_need::gradient::Variable;
use all_you_need::optimizer::{Adam, descend};
use all_you_need::parameters::gradient;
use all_you_need::tensor::{Matrix, Tensor};
use nalgebra::dmatrix;

/// A place, to the right and up.
pub type Point = (f64, f64);

/// A place in the valley, as the smallest tree there is: one leaf, 1 × 2.
pub type Place<T> = Embedding<T>;

/// How high the valley is at x, y, if `hill` is 1: (x² + 25 y²) / 2.
pub fn height(place: &Place<Variable<f64>>, hill: f64) -> Variable<f64> {
    let here = &place.table;
    let steep = here.constant(&dmatrix![1.0, 0.0; 0.0, 25.0]);
    here.matmul(&steep).matmul_t(here).scale(0.5 * hill)
}

pub fn start() -> Place<Matrix> {
    Place { table: dmatrix![8.0, 1.0] }
}

/// The places passed, with the height of each, when `step` leads from one to
/// the next.
pub fn walk(
    steps: usize,
    hill: f64,
    mut step: impl FnMut(&mut Place<Matrix>, &Place<Matrix>),
) -> Vec<(Point, f64)> {
    let mut place = start();
    let mut path = Vec::new();
    for _ in 0..=steps {
        let (height, gradients) =
            gradient(&place, |place| height(place, hill));
        path.push(((place.table[0], place.table[1]), height));
        step(&mut place, &gradients);
    }
    path
}

pub fn by_descent(lr: f64, hill: f64) -> Vec<(Point, f64)> {
    walk(20, hill, |place, gradients| descend(place, gradients, lr))
}

/// Half of the last step's mean gradient, and half of the new gradient.
pub fn by_momentum(lr: f64, hill: f64) -> Vec<(Point, f64)> {
    let mut mean = Matrix::zeros(1, 2);
    walk(20, hill, |place, gradients| {
        mean = (&mean + &gradients.table) * 0.5;
        place.table -= &mean * lr;
    })
}

pub fn by_adam(lr: f64, hill: f64) -> Vec<(Point, f64)> {
    let mut adam = Adam::new(&start());
    walk(20, hill, |place, gradients| adam.step(place, gradients, lr))
}

/// The places of twenty steps down the valley, by descent, by momentum and by
/// Adam.
pub fn three_paths(hill: f64) -> [Vec<(Point, f64)>; 3] {
    [by_descent(0.075, hill), by_momentum(0.15, hill), by_adam(0.5, hill)]
}

/// The learning rates of the frames.
pub const RATES: [f64; 6] = [0.01, 0.04, 0.06, 0.075, 0.079, 0.081];

/// How many steps lead from the saddle of x²/2 − y²/2 + y⁴/4, when they begin
/// at (1, y), to one of its valleys at y = ±1; `None` if a thousand do not.
pub fn from_saddle(
    y: f64,
    mut step: impl FnMut(&mut Place<Matrix>, &Place<Matrix>),
) -> Option<usize> {
    let mut place = Place { table: dmatrix![1.0, y] };
    (1..=1000).find(|_| {
        let (x, y) = (place.table[0], place.table[1]);
        let gradient = Place { table: dmatrix![x, y * y * y - y] };
        step(&mut place, &gradient);
        place.table[1].abs() > 0.9
    })
}
