//! What has changed since the paper.

use super::common::compare::close;
use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::heads::MultiHead;
use all_you_need::layers::{FeedForward, Layer, LayerNorm, LayerOps};
use all_you_need::nalgebra::dmatrix;
use all_you_need::parameters::check_gradient;
use all_you_need::plain::today as plain;
use all_you_need::published::{GroupedHeads, RmsNorm, Rotary, SwiGlu};
use all_you_need::tensor::{Init, Matrix, Tensor};
use all_you_need::today::{
    Attend, Bare, DistantHeads, Experts, LatentHeads, Learner, Modern,
    Places, Route, Schedule, Steps, Unbiased, kept, muon,
};
use all_you_need::tokens::Token;
use all_you_need::training::Recipe;
use all_you_need::writer::{Half, Text, TrainingExample};
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

fn config() -> Config {
    Config {
        vocabulary: 9,
        layers: 2,
        d_model: 8,
        d_ff: 12,
        heads: 2,
        d_k: 4,
        d_v: 4,
    }
}

/// The parts of the paper, for any tensors.
fn heads<T: LayerOps>(init: &mut impl Init<T>) -> MultiHead<T> {
    MultiHead::new(2, 8, (4, 4), init)
}

fn norm<T: LayerOps>(init: &mut impl Init<T>) -> LayerNorm<T> {
    LayerNorm::new(8, init)
}

fn network<T: LayerOps>(init: &mut impl Init<T>) -> FeedForward<T> {
    FeedForward::new(8, 12, init)
}

fn texts() -> Vec<Text> {
    [vec![1, 5, 6, 7, 5], vec![1, 8, 5]].map(Text).to_vec()
}

/// Checks the gradient of a decoder, and that no row sees what comes later.
macro_rules! holds {
    ($places:expr, $heads:expr, $norm:expr, $network:expr) => {{
        let model: Modern<Matrix, _, _, _> = Modern::new(
            &config(),
            $places,
            &mut rng(),
            $heads,
            $norm,
            $network,
        );
        check_gradient(&model, |model| Text::loss(model, &texts(), 0.1))
            .unwrap();
        let rows = |last: Token| model.forward(&[[1, 5, last], [4, 4, 4]]);
        let change = rows(6) - rows(7);
        assert!(change.rows(0, 2).amax() == 0.0);
        assert!(change.row(2).amax() > 1e-6);
        assert!(change.rows(3, 3).amax() == 0.0);
    }};
}

#[test]
fn gradients_of_other_norms_and_networks_are_slopes() {
    holds!(Places::Sines, heads, norm, network);
    holds!(Places::Sines, heads, |i| RmsNorm::new(8, i), |i| {
        SwiGlu::new(8, 12, i)
    });
    holds!(
        Places::Sines,
        heads,
        |i| Unbiased { gain: i.filled(1, 8, 1.0) },
        |i| Bare { inner: i.weight(8, 12), outer: i.weight(12, 8) }
    );
    holds!(Places::Sines, heads, norm, |i| {
        Experts::new(3, 8, i, network)
    });
}

#[test]
fn gradients_of_other_heads_and_positions_are_slopes() {
    holds!(Places::Learned(5), heads, norm, network);
    holds!(Places::None, heads, norm, network);
    holds!(Places::None, |i| DistantHeads { heads: heads(i) }, norm, network);
    holds!(
        Places::Sines,
        |i| LatentHeads::new(2, 8, [4, 3], i),
        norm,
        network
    );
    let turned = |init: &mut ChaCha8Rng| {
        let plain = GroupedHeads::new([2, 1], 8, 4, init);
        GroupedHeads { rotary: Some(Rotary::new(4)), ..plain }
    };
    holds!(Places::None, turned, norm, network);
}

#[test]
#[should_panic(expected = "a text of 6 tokens, and 5 places were learned")]
fn a_place_that_was_not_learned_is_refused() {
    let model: Modern<Matrix, _, _, _> = Modern::new(
        &config(),
        Places::Learned(5),
        &mut rng(),
        heads,
        norm,
        network,
    );
    let _ = model.forward(&[[5; 6]]);
}

#[test]
fn the_plain_functions_find_the_same() {
    let init = &mut rng();
    let x: Matrix = init.weight(5, 8);
    let (places, past): (Vec<usize>, _) = ((0..5).collect(), Mask::causal(5));
    let own: MultiHead<Matrix> = heads(init);
    let found =
        DistantHeads { heads: own.clone() }.attend(&x, &places, &past);
    let [q, k, v] = [&own.w_q, &own.w_k, &own.w_v].map(|w| &x * w);
    let each: Vec<Matrix> = (0..2)
        .map(|i| {
            let rate = [1.0 / 16.0, 1.0 / 256.0][i];
            let [q, k, v] =
                [&q, &k, &v].map(|m| m.columns(4 * i, 4).into_owned());
            plain::distant(rate, &q, &k, &v)
        })
        .collect();
    close(&found, &(Matrix::concat(&each) * &own.w_o), 1e-12);

    let own: LatentHeads<Matrix> = LatentHeads::new(2, 8, [4, 3], init);
    let LatentHeads { narrow, w_k, w_v, w_q, w_o, .. } = own.clone();
    let [keys, values] = plain::latent(&[narrow, w_k, w_v], &x);
    let paper = all_you_need::heads::attend_by_head(
        &(&x * w_q),
        &keys,
        &values,
        2,
        &past,
    );
    close(&own.attend(&x, &places, &past), &(paper * w_o), 1e-12);

    let own: Experts<Matrix, FeedForward<Matrix>> =
        Experts::new(3, 8, init, network);
    let networks: Vec<_> = own
        .networks
        .iter()
        .map(|network| |row: &Matrix| network.forward(row))
        .collect();
    let found = plain::experts(&own.router, &networks, &x);
    close(&own.forward(&x), &found, 1e-12);

    for columns in [6, 4] {
        let g: Matrix = init.weight(4, columns);
        close(&muon(&g), &plain::muon(&g), 1e-6);
        close(&muon(&g.transpose()), &plain::muon(&g).transpose(), 1e-6);
    }
}

#[test]
fn a_row_uses_its_two_best_experts_and_no_other() {
    let scores: Matrix = dmatrix![0.1, 3.0, 2.0; 5.0, 5.0, 9.0];
    assert_eq!(scores.two_largest(), [[1, 2], [2, 0]]);
    let init = &mut rng();
    let mut own: Experts<Matrix, FeedForward<Matrix>> =
        Experts::new(3, 8, init, network);
    let x: Matrix = init.weight(6, 8);
    let (routes, before) =
        ((&x * &own.router).two_largest(), own.forward(&x));
    own.networks[0].outer.bias.fill(7.0);
    let after = own.forward(&x);
    for (i, route) in routes.iter().enumerate() {
        let same = after.row(i) == before.row(i);
        assert_eq!(same, !route.contains(&0), "row {i}");
    }
}

#[test]
fn muon_makes_all_directions_equally_strong() {
    let g: Matrix = rng().weight(6, 9);
    let values = muon(&g).svd(false, false).singular_values;
    assert!(values.iter().all(|v| (0.6..1.3).contains(v)), "{values}");
    // It turns nothing: the same singular vectors.
    let (u, v) = {
        let svd = g.clone().svd(true, true);
        (svd.u.unwrap(), svd.v_t.unwrap())
    };
    let turned = u.transpose() * muon(&g) * v.transpose();
    let off =
        turned.map_with_location(|i, j, x| if i == j { 0.0 } else { x });
    assert!(off.amax() < 1e-9);
}

#[test]
fn schedules_rise_alike_and_fall_as_they_say() {
    use Schedule::{Cosine, Line, Root, Stable};
    let share = |schedule: Schedule, step| schedule.share(step, 10, 110);
    for schedule in [Root, Line, Cosine, Stable] {
        assert!((share(schedule, 5) - 0.5).abs() < 1e-12);
    }
    let half = |schedule| share(schedule, 60);
    assert!((half(Line) - 0.5).abs() < 1e-12);
    assert!((half(Cosine) - 0.5).abs() < 1e-12);
    assert!((half(Stable) - 1.0).abs() < 1e-12);
    assert!((half(Root) - (10f64 / 60.0).sqrt()).abs() < 1e-12);
    assert!((share(Stable, 100) - 0.5).abs() < 1e-12);
    for schedule in [Line, Cosine, Stable] {
        assert!(share(schedule, 110).abs() < 1e-12);
    }
    let early = |schedule| share(schedule, 30);
    assert!(early(Cosine) > early(Line));
}

fn learner(steps: Steps) -> Learner<Half<Matrix<f32>>> {
    let recipe = Recipe {
        updates: 20,
        warmup: 2,
        peak_lr: 0.01,
        weight_decay: 0.5,
        parts: 1,
        ..Recipe::toy()
    };
    let config = Config::toy();
    Learner::new(recipe, steps, Half::new(&config, &mut rng()))
}

#[test]
fn norms_decay_only_if_they_should() {
    let gain = |all_decay| {
        let steps = Steps { all_decay, ..Steps::default() };
        let mut learner = learner(steps);
        // A text that says nothing new has nearly no gradient.
        for _ in 0..20 {
            learner.update(&texts()).unwrap();
        }
        learner.model.stack.layers[0].attention_norm.gain.sum()
    };
    assert!(gain(true) < gain(false));
}

#[test]
fn every_way_of_learning_learns() {
    let clip = Some(1.0);
    for steps in [
        Steps::default(),
        Steps { clip, ..Steps::default() },
        Steps { muon: Some(0.02), ..Steps::default() },
        Steps { schedule: Schedule::Cosine, ..Steps::default() },
    ] {
        let mut learner = learner(steps);
        let first = learner.update(&texts()).unwrap();
        let last = (0..15).map(|_| learner.update(&texts()).unwrap()).last();
        assert!(last.unwrap() < first - 0.3, "{steps:?}");
    }
}

#[test]
fn a_cache_keeps_what_the_heads_say() {
    let bill = Bill::default();
    let shape = |heads: &dyn Fn(&mut Bill) -> GroupedHeads<Shape>| {
        let model: Modern<Shape, _, _, _> = Modern::new(
            &config(),
            Places::None,
            &mut bill.clone(),
            heads,
            norm,
            network,
        );
        kept(&model)
    };
    // Two layers, each with keys and values of 4 columns for each group.
    assert_eq!(shape(&|i| GroupedHeads::new([2, 2], 8, 4, i)), 2 * 2 * 8);
    assert_eq!(shape(&|i| GroupedHeads::new([2, 1], 8, 4, i)), 2 * 2 * 4);
}

#[test]
fn attention_in_blocks_is_attention() {
    let init = &mut rng();
    let [q, k, v]: [Matrix; 3] =
        [(5, 4), (7, 4), (7, 3)].map(|(n, m)| init.weight(n, m) * 9.0);
    let nothing_hidden = Matrix::zeros(5, 7);
    let whole = all_you_need::plain::attend(&q, &k, &v, &nothing_hidden);
    for block in [1, 2, 3, 7, 100] {
        close(&plain::in_blocks(block, &q, &k, &v), &whole, 1e-12);
    }
}
