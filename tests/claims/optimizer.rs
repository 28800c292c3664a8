use all_you_need::encoder::Config;
use all_you_need::gradient::Variable;
use all_you_need::layers::{FeedForward, Linear};
use all_you_need::optimizer::{Adam, descend, gradient, peak, rate};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::transformer::{Parameters, Transformer};
use nalgebra::dmatrix;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

use crate::golden::close;

/// A tree with two leaves of unequal size: 3 × 2 and 1 × 2.
type Tree = Linear<Matrix>;

fn tree(seed: u64) -> Tree {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    Linear { weight: rng.noise(3, 2, 1.0), bias: rng.noise(1, 2, 1.0) }
}

fn times(tree: &Tree, factor: f64) -> Tree {
    tree.map("", &mut |_, leaf| leaf * factor)
}

#[track_caller]
fn equal(one: &Tree, other: &Tree, tolerance: f64) {
    close(&one.weight, &other.weight, tolerance);
    close(&one.bias, &other.bias, tolerance);
}

#[test]
fn descending_takes_the_rate_times_the_slope_from_each_leaf() {
    let (model, slopes) = (tree(1), tree(2));
    let lower = descend(&model, &slopes, 0.1);
    equal(
        &lower,
        &Tree {
            weight: &model.weight - &slopes.weight * 0.1,
            bias: &model.bias - &slopes.bias * 0.1,
        },
        0.0,
    );
}

#[test]
fn the_gradient_is_a_tree_in_which_each_leaf_has_its_own() {
    let model = tree(1);
    let x = dmatrix![2.0, 0.0, -1.0];
    // The sum of all cells of x W + b.
    let sum = |model: &Linear<Variable<f64>>| {
        let y = model.forward(&model.bias.constant(&x));
        y.matmul(&y.constant(&dmatrix![1.0; 1.0]))
    };
    let (loss, slopes) = gradient(&model, sum);
    assert!((loss - (&x * &model.weight + &model.bias).sum()).abs() < 1e-14);
    equal(
        &slopes,
        &Tree {
            weight: dmatrix![2.0, 2.0; 0.0, 0.0; -1.0, -1.0],
            bias: dmatrix![1.0, 1.0],
        },
        1e-15,
    );
}

#[test]
fn the_first_step_of_adam_has_the_length_of_the_rate_in_every_coordinate() {
    let (model, slopes) = (tree(1), tree(2));
    let after = Adam::new(&model).step(&model, &slopes, 0.01);
    let signs = slopes.map("", &mut |_, leaf: &Matrix| leaf.map(f64::signum));
    equal(&after, &descend(&model, &signs, 0.01), 1e-8);
}

/// Kingma and Ba's algorithm 1, number by number.
#[test]
fn adam_agrees_with_its_formulas_over_many_steps() {
    let mut model = tree(1);
    let mut adam = Adam::new(&model);
    let (mut w, mut m, mut v) = (model.weight[(2, 1)], 0.0, 0.0);
    for t in 1..=20 {
        let slopes = tree(100 + t);
        let rate = 0.01 * t as f64;
        model = adam.step(&model, &slopes, rate);
        let g = slopes.weight[(2, 1)];
        m = 0.9 * m + 0.1 * g;
        v = 0.98 * v + 0.02 * g * g;
        let m_hat = m / (1.0 - 0.9f64.powi(t as i32));
        let v_hat: f64 = v / (1.0 - 0.98f64.powi(t as i32));
        w -= rate * m_hat / (v_hat.sqrt() + 1e-9);
        assert!((model.weight[(2, 1)] - w).abs() < 1e-14);
    }
    assert_eq!(adam.steps, 20);
}

#[test]
fn adam_does_not_care_how_steep_all_of_it_is() {
    let (model, slopes) = (tree(1), [tree(2), tree(3)]);
    let walk = |factor: f64| {
        let mut adam = Adam::new(&model);
        let step = |at: &Tree, g: &Tree, adam: &mut Adam<f64>| {
            adam.step(at, &times(g, factor), 0.1)
        };
        let at = step(&model, &slopes[0], &mut adam);
        step(&at, &slopes[1], &mut adam)
    };
    equal(&walk(1.0), &walk(1e4), 1e-7);
}

#[test]
fn without_a_gradient_adam_stays_where_it_is() {
    let model = tree(1);
    let mut adam = Adam::new(&model);
    equal(&adam.step(&model, &times(&model, 0.0), 0.1), &model, 0.0);
}

#[test]
fn single_and_double_precision_go_the_same_way() {
    let (model, slopes) = (tree(1), tree(2));
    let single =
        |tree: &Tree| tree.map("", &mut |_, leaf| leaf.map(|x| x as f32));
    let double = Adam::new(&model).step(&model, &slopes, 0.1);
    let (model, slopes) = (single(&model), single(&slopes));
    let after = Adam::new(&model).step(&model, &slopes, 0.1);
    close(&after.weight.map(f64::from), &double.weight, 1e-6);
}

/// The ledger's values for the base model.
#[test]
fn the_rate_has_the_papers_values() {
    let peak = peak(512, 4000);
    for (step, expected) in [
        (1, 1.746928107421711e-7),
        (4000, 6.987712429686843e-4),
        (100_000, 1.3975424859373687e-4),
    ] {
        let found = rate(peak, step, 4000);
        assert!((found / expected - 1.0).abs() < 1e-14, "{found:e}");
    }
}

#[test]
fn the_rate_is_equation_3() {
    for step in (1..20_000).step_by(37) {
        let s = step as f64;
        let formula = s.powf(-0.5).min(s * 300f64.powf(-1.5)) / 96f64.sqrt();
        let found = rate(peak(96, 300), step, 300);
        assert!((found / formula - 1.0).abs() < 1e-13);
    }
}

#[test]
fn the_rate_is_highest_at_the_end_of_the_warm_up() {
    let rates = (1..1000).map(|step| rate(0.01, step, 40));
    let best = rates.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    assert_eq!(best, Some((39, 0.01)));
}

/// Reversing three letters, forty steps.
fn lesson(seed: u64) -> (Vec<f64>, Transformer<Matrix>) {
    let config = Config {
        vocabulary: 5,
        layers: 1,
        d_model: 8,
        d_ff: 12,
        heads: 2,
        d_k: 4,
        d_v: 3,
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut model = Transformer::new(&config, rng);
    let mut adam = Adam::new(&model);
    let mut losses = Vec::new();
    for step in 1..=40 {
        let mut word = |_| (0..3).map(|_| rng.random_range(0..4)).collect();
        let words: Vec<Vec<usize>> = (0..10).map(&mut word).collect();
        let back = words.iter().map(|w| w.iter().rev().copied().collect());
        let back: Vec<Vec<usize>> = back.collect();
        let (loss, slopes) = gradient(&model, |model: &Transformer<_>| {
            model.loss(&words, &back, 4, 4, 0.1)
        });
        model = adam.step(&model, &slopes, rate(0.02, step, 10));
        losses.push(loss);
    }
    (losses, model)
}

#[test]
fn a_model_learns() {
    let (losses, _) = lesson(1);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    assert!(mean(&losses[..5]) > 1.6);
    assert!(mean(&losses[35..]) < 1.35, "{:?}", &losses[35..]);
}

#[test]
fn the_same_seed_gives_the_same_numbers() {
    let ((losses, one), (again, other)) = (lesson(2), lesson(2));
    assert_eq!(losses, again);
    let mut leaves = Vec::new();
    one.map("", &mut |_, leaf: &Matrix| leaves.push(leaf.clone()));
    let mut leaves = leaves.into_iter();
    other.map("", &mut |_, leaf: &Matrix| {
        assert_eq!(Some(leaf.clone()), leaves.next());
    });
}

#[test]
fn adam_remembers_the_leaves_in_the_order_of_the_walk() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let layer: FeedForward<Matrix> = FeedForward::new(4, 6, rng);
    let adam = Adam::new(&layer);
    let mut moments = adam.moments.iter();
    layer.map("", &mut |_, leaf: &Matrix| {
        assert_eq!(moments.next().unwrap().mean.shape(), leaf.shape());
    });
    assert!(moments.next().is_none());
}

#[test]
#[should_panic(expected = "no slope fits weight")]
fn slopes_of_another_size_are_refused() {
    let other = Tree { weight: dmatrix![1.0], bias: dmatrix![1.0, 1.0] };
    descend(&tree(1), &other, 0.1);
}

#[test]
#[should_panic(expected = "Adam has no memory of 1.weight")]
fn an_adam_made_for_another_model_is_refused() {
    let mut adam = Adam::new(&vec![tree(1)]);
    let model = vec![tree(1), tree(2)];
    adam.step(&model, &model, 0.1);
}

#[test]
#[should_panic(expected = "a warm-up takes one step at least")]
fn a_schedule_without_a_warm_up_is_refused() {
    rate(0.01, 1, 0);
}
