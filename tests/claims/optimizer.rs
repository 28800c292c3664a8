use all_you_need::encoder::Config;
use all_you_need::layers::Linear;
use all_you_need::optimizer::{Adam, descend, learning_rate, paper_peak_lr};
use all_you_need::parameters::{Parameters, gradient};
use all_you_need::tensor::{Float, Matrix};
use all_you_need::tokens::Token;
use all_you_need::transformer::Transformer;
use nalgebra::dmatrix;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::ThreadPoolBuilder;

use crate::golden::{close, random, sizes};
use crate::parameters::{Tree, equal, tree};

fn times(tree: &Tree, factor: f64) -> Tree {
    tree.map("", &mut |_, leaf| leaf * factor)
}

/// Where a step of gradient descent leads.
fn lower(model: &Tree, gradient: &Tree, rate: f64) -> Tree {
    let mut lower = model.clone();
    descend(&mut lower, gradient, rate);
    lower
}

/// Where the first step of an Adam leads.
fn after<F: Float, L>(model: &L, gradient: &L, rate: f64) -> L
where
    L: Parameters<Matrix<F>, With<Matrix<F>> = L> + Clone,
{
    let mut after = model.clone();
    Adam::new(model).step(&mut after, gradient, rate);
    after
}

#[test]
fn descending_takes_the_rate_times_the_gradient_from_each_leaf() {
    let (model, gradient) = (tree(1), tree(2));
    equal(
        &lower(&model, &gradient, 0.1),
        &Tree {
            weight: &model.weight - &gradient.weight * 0.1,
            bias: &model.bias - &gradient.bias * 0.1,
        },
        0.0,
    );
}

#[test]
fn the_first_step_of_adam_has_the_length_of_the_rate_in_every_coordinate() {
    let (model, gradient) = (tree(1), tree(2));
    let signs =
        gradient.map("", &mut |_, leaf: &Matrix| leaf.map(f64::signum));
    let along = lower(&model, &signs, 0.01);
    equal(&after(&model, &gradient, 0.01), &along, 1e-8);
}

/// Kingma and Ba's algorithm 1, number by number.
#[test]
fn adam_agrees_with_its_formulas_over_many_steps() {
    let mut model = tree(1);
    let mut adam = Adam::new(&model);
    let (mut w, mut m, mut v) = (model.weight[(2, 1)], 0.0, 0.0);
    for t in 1..=20 {
        let gradient = tree(100 + t);
        let rate = 0.01 * t as f64;
        adam.step(&mut model, &gradient, rate);
        let g = gradient.weight[(2, 1)];
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
    let (model, gradients) = (tree(1), [tree(2), tree(3)]);
    let walk = |factor: f64| {
        let (mut at, mut adam) = (model.clone(), Adam::new(&model));
        for g in &gradients {
            adam.step(&mut at, &times(g, factor), 0.1);
        }
        at
    };
    equal(&walk(1.0), &walk(1e4), 1e-7);
}

#[test]
fn without_a_gradient_adam_stays_where_it_is() {
    let model = tree(1);
    equal(&after(&model, &times(&model, 0.0), 0.1), &model, 0.0);
}

#[test]
fn single_and_double_precision_go_the_same_way() {
    let (model, gradient) = (tree(1), tree(2));
    let single =
        |tree: &Tree| tree.map("", &mut |_, leaf| leaf.map(|x| x as f32));
    let double = after(&model, &gradient, 0.1);
    let single = after(&single(&model), &single(&gradient), 0.1);
    close(&single.weight.map(f64::from), &double.weight, 1e-6);
}

/// The ledger's values for the base model.
#[test]
fn the_rate_has_the_papers_values() {
    let peak = paper_peak_lr(512, 4000);
    for (step, expected) in [
        (1, 1.746928107421711e-7),
        (4000, 6.987712429686843e-4),
        (100_000, 1.3975424859373687e-4),
    ] {
        let found = learning_rate(peak, step, 4000);
        assert!((found / expected - 1.0).abs() < 1e-14, "{found:e}");
    }
}

#[test]
fn the_rate_is_equation_3() {
    for step in (1..20_000).step_by(37) {
        let s = step as f64;
        let formula = s.powf(-0.5).min(s * 300f64.powf(-1.5)) / 96f64.sqrt();
        let found = learning_rate(paper_peak_lr(96, 300), step, 300);
        assert!((found / formula - 1.0).abs() < 1e-13);
    }
}

#[test]
fn the_rate_is_highest_at_the_end_of_the_warm_up() {
    let rates = (1..1000).map(|step| learning_rate(0.01, step, 40));
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
        let mut word = |_| [(); 3].map(|()| rng.random_range(0..4));
        let words: Vec<[Token; 3]> = (0..10).map(&mut word).collect();
        // The same token begins and ends a target here.
        let targets = words.iter().map(|&[a, b, c]| [4, c, b, a, 4]);
        let targets: Vec<_> = targets.collect();
        let (loss, gradients) = gradient(&model, |model: &Transformer<_>| {
            let shared =
                words.iter().map(|word| &word[..]).collect::<Vec<_>>();
            let targets: Vec<_> = targets.iter().map(|t| &t[..]).collect();
            model.loss(&shared, &targets, 0.1)
        });
        adam.step(&mut model, &gradients, learning_rate(0.02, step, 10));
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
    assert_eq!(one.leaves(), other.leaves());
}

#[test]
fn adam_has_two_moments_of_every_parameter() {
    let (mut model, gradient) = (tree(1), tree(2));
    let mut adam = Adam::new(&model);
    equal(&adam.mean, &times(&model, 0.0), 0.0);
    equal(&adam.square, &times(&model, 0.0), 0.0);
    adam.step(&mut model, &gradient, 0.1);
    let squares = gradient.map("", &mut |_, g: &Matrix| g.component_mul(g));
    equal(&adam.mean, &times(&gradient, 0.1), 1e-15);
    equal(&adam.square, &times(&squares, 0.02), 1e-15);
}

/// More leaves than threads.
#[test]
fn a_step_is_the_same_for_any_number_of_threads() {
    let (model, gradient) = (random(&sizes(11), 1), random(&sizes(11), 2));
    let after = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| after(&model, &gradient, 0.1))
    };
    assert_eq!(after(1).leaves(), after(3).leaves());
}

#[test]
#[should_panic(expected = "weight: a leaf (3, 2) meets a leaf (1, 1)")]
fn gradients_of_another_size_are_refused() {
    let other = Tree { weight: dmatrix![1.0], bias: dmatrix![1.0, 1.0] };
    descend(&mut tree(1), &other, 0.1);
}

#[test]
#[should_panic(expected = "a tree of 2 leaves meets a tree of 4")]
fn an_adam_made_for_another_model_is_refused() {
    let mut adam = Adam::new(&vec![tree(1)]);
    let mut model = vec![tree(1), tree(2)];
    let other = model.clone();
    adam.step(&mut model, &other, 0.1);
}

#[test]
#[should_panic(expected = "a warm-up takes one step at least")]
fn a_schedule_without_a_warm_up_is_refused() {
    learning_rate(0.01, 1, 0);
}

/// A count of steps beyond 31 bits is not a negative one.
#[test]
fn adam_goes_on_after_three_billion_steps() {
    let leaf = |x: f64| Linear { weight: dmatrix![x], bias: dmatrix![x] };
    let moved = |steps: usize| {
        let mut layer = leaf(1.0);
        let mut adam = Adam { steps, ..Adam::new(&layer) };
        adam.step(&mut layer, &leaf(0.5), 0.1);
        1.0 - layer.weight[0]
    };
    assert_eq!(moved(3_000_000_000), moved(1_000_000_000));
    assert!(moved(3_000_000_000) > 0.01);
}
