//! Models between models: the mean of the last few, and straight lines.

use super::reverser::{Model, examples, loaded, loss, plan};
use all_you_need::optimizer::descend;
use all_you_need::parameters::{Parameters, parameter_count};
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::ops::ControlFlow::Continue;
use std::path::Path;

/// A thousand parameters on their way down the bowl w²/2, whose slope is
/// known with an error: every tenth of a thousand places.
pub fn roll(rate: impl Fn(usize) -> f64) -> Vec<Matrix> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut w = Matrix::from_element(1, 1000, 1.0);
    let mut kept = Vec::new();
    for update in 1..=1000 {
        let slope = &w + rng.uniform(1, 1000, 1.0);
        w -= slope * rate(update);
        if update % 10 == 0 {
            kept.push(w.clone());
        }
    }
    kept
}

/// The mean height over all parameters.
pub fn height(w: &Matrix) -> f64 {
    w.norm_squared() / 2.0 / w.len() as f64
}

pub fn mean(models: &[Matrix]) -> Matrix {
    models.iter().sum::<Matrix>() / models.len() as f64
}

/// Of the last so many models: how high each is, on average, and their mean.
pub fn last(rate: impl Fn(usize) -> f64) -> Vec<(f64, [f64; 2])> {
    let kept = roll(rate);
    let point = |k: usize| {
        let last = &kept[kept.len() - k..];
        let each = last.iter().map(height).sum::<f64>() / k as f64;
        (k as f64, [each, height(&mean(last))])
    };
    (1..=kept.len()).map(point).collect()
}

/// How far two models are apart: the root of the mean square over all
/// parameters.
pub fn distance(one: &Model, other: &Model) -> f64 {
    let mut apart = one.clone();
    descend(&mut apart, other, 1.0);
    let leaves = apart.leaves().into_iter();
    let squares: f32 = leaves.map(|(_, leaf)| leaf.norm_squared()).sum();
    (f64::from(squares) / parameter_count(one) as f64).sqrt()
}

/// On a straight line from one model to another.
pub fn between(one: &Model, other: &Model, part: f64) -> Model {
    let (mut apart, mut model) = (one.clone(), one.clone());
    descend(&mut apart, other, 1.0);
    descend(&mut model, &apart, part);
    model
}

/// A run's model after 240 updates and at its end, and the end of another.
pub fn three_models(run: &Path) -> [Model; 3] {
    let mut other = plan(2).training;
    let end = other.run(&examples(false), |_, _| Continue::<()>(()));
    let _ = end.expect("all updates");
    [loaded(run, 240).model, loaded(run, 320).model, other.model]
}

/// The loss on the way to the end of a run: from a model of its own, and from
/// that of another run.
pub fn walks(run: &Path) -> [Vec<(f64, f64)>; 2] {
    let [early, late, stranger] = three_models(run);
    [early, stranger].map(|from| {
        let parts = (0..=20).map(|i| f64::from(i) / 20.0);
        parts.map(|part| (part, loss(&between(&from, &late, part)))).collect()
    })
}
