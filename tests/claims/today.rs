//! What has changed since the paper.

use super::common::compare::close;
use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::heads::MultiHead;
use all_you_need::layers::{FeedForward, Layer, LayerNorm, LayerOps};
use all_you_need::nalgebra::dmatrix;
use all_you_need::optimizer::Adam;
use all_you_need::parameters::{Parameters, check_gradient, gradient};
use all_you_need::plain::today as plain;
use all_you_need::position::sinusoidal;
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

/// A decoder of these parts.
type Paper<T> = Modern<T, MultiHead<T>, LayerNorm<T>, FeedForward<T>>;

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

/// Without layers, nothing is left but the rows and the last norm.
#[test]
fn sines_or_learned_rows_or_nothing_is_added_to_the_tokens() {
    let config = Config { layers: 0, ..config() };
    for places in [Places::Sines, Places::Learned(4), Places::None] {
        let model: Paper<Matrix> =
            Modern::new(&config, places, &mut rng(), heads, norm, network);
        let added = match places {
            Places::Sines => sinusoidal(&[0, 1, 2, 0, 1], 8),
            Places::Learned(_) => model.table[0].embed(&[0, 1, 2, 0, 1]),
            Places::None => Matrix::zeros(5, 8),
        };
        let rows = model.embedding.embed(&[5, 6, 5, 8, 5]) + added;
        let found = model.forward(&[vec![5, 6, 5], vec![8, 5]]);
        close(&found, &model.norms[0].forward(&rows), 1e-12);
    }
}

#[test]
fn a_decoder_is_asked_for_every_token_but_the_first() {
    let answers = TrainingExample::<Paper<Matrix>, Matrix>::answers;
    assert_eq!(texts().iter().map(answers).collect::<Vec<_>>(), [4, 2]);
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
fn rows_without_numbers_take_two_experts_in_turn() {
    let scores = Bill::default().shape(4, 3);
    assert_eq!(scores.two_largest(), [[0, 1], [1, 2], [2, 0], [0, 1]]);
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
fn muon_turns_no_gradient_round_however_small() {
    let found = muon(&dmatrix![1e-9])[0];
    assert!((0.6..1.3).contains(&found), "{found}");
    let nothing: Matrix = Matrix::zeros(2, 3);
    assert_eq!(muon(&nothing), nothing);
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

#[test]
fn the_last_update_has_no_share_even_if_all_are_warm_up() {
    for schedule in [Schedule::Line, Schedule::Cosine, Schedule::Stable] {
        let shares = [9, 10].map(|step| schedule.share(step, 10, 10));
        assert_eq!(shares, [0.9, 0.0]);
    }
}

type Small = Paper<Matrix<f32>>;

fn learner(steps: Steps) -> Learner<Small> {
    let recipe = Recipe {
        updates: 20,
        warmup: 2,
        peak_lr: 0.01,
        weight_decay: 0.5,
        parts: 1,
        ..Recipe::toy()
    };
    let (places, init) = (Places::Sines, &mut rng());
    let model = Modern::new(&config(), places, init, heads, norm, network);
    Learner::new(recipe, steps, model)
}

/// An update once more, by the formulas of the chapter. The rate is a share
/// of 0.01, and the decay of 0.5. Returns the length of the gradient.
fn update(
    steps: &Steps,
    (model, adam, sums): (&mut Small, &mut Adam<Small>, &mut Small),
    share: f64,
    texts: &[Text],
) -> f64 {
    let (_, mut gradient): (f32, Small) =
        gradient(model, |model| Text::loss(model, texts, 0.1));
    let leaves = gradient.leaves().into_iter();
    let squares: f32 = leaves.map(|(_, g)| g.norm_squared()).sum();
    let length = f64::from(squares).sqrt();
    let cut = steps.clip.map_or(1.0, |most| (most / length).min(1.0));
    let tree = model.clone();
    let names = tree.leaves().into_iter().map(|(name, _)| name);
    let leaves = model.leaves_mut().into_iter().zip(gradient.leaves_mut());
    for (((w, g), sum), name) in leaves.zip(sums.leaves_mut()).zip(names) {
        *g *= cut as f32;
        let (rows, columns) = w.shape();
        if rows > 1 || steps.all_decay {
            *w *= (1.0 - share * 0.01 * 0.5) as f32;
        }
        if let Some(rate) = steps.muon
            && rows > 1
            && name != "embedding.table"
        {
            *sum = &*sum * 0.95 + &*g;
            let wider = (columns as f64 / rows as f64).sqrt().max(1.0);
            let step = muon(&(&*sum * 0.95 + &*g));
            *w -= step * (share * rate * wider) as f32;
            g.fill(0.0);
        }
    }
    adam.step(model, &gradient, share * 0.01);
    length
}

#[test]
fn an_update_clips_then_decays_then_steps() {
    let (line, clip, rate) = (Steps::default(), Some(2.4), Some(0.02));
    for steps in [
        Steps { clip, ..line },
        Steps { all_decay: false, ..line },
        Steps { muon: rate, ..line },
        Steps { clip, all_decay: false, muon: rate, ..line },
    ] {
        let mut learner = learner(steps);
        let mut model = learner.model.clone();
        let mut adam = Adam::new(&model);
        let mut sums = adam.mean.clone();
        let lengths = [1, 2, 3, 4].map(|t| {
            let (texts, share) = (texts(), line.schedule.share(t, 2, 20));
            let texts = &texts[t % 2..];
            learner.update(texts).unwrap();
            let own = (&mut model, &mut adam, &mut sums);
            update(&steps, own, share, texts)
        });
        let longer = |&&length: &&f64| length > 2.4;
        let cut = lengths.iter().filter(longer).count();
        assert!((1..4).contains(&cut), "some are cut, not all: {lengths:?}");
        let leaves = learner.model.leaves().into_iter();
        for ((name, found), (_, own)) in leaves.zip(model.leaves()) {
            let apart = (found - own).amax();
            assert!(apart < 1e-5, "{name}: {apart}, {steps:?}");
        }
    }
}

#[test]
fn a_learner_that_diverges_says_in_which_update() {
    let mut learner = learner(Steps::default());
    learner.update(&texts()).unwrap();
    learner.model.embedding.table.fill(f32::NAN);
    assert_eq!(learner.update(&texts()).unwrap_err().update, 2);
}

#[test]
fn norms_decay_only_if_they_should() {
    let gain = |all_decay| {
        let steps = Steps { all_decay, ..Steps::default() };
        let mut learner = learner(steps);
        for _ in 0..20 {
            learner.update(&texts()).unwrap();
        }
        learner.model.norms[0].gain.sum()
    };
    assert!(gain(true) < gain(false));
}

/// The decoder of the first part has its matrices under other names.
#[test]
#[should_panic(expected = "muon: no name of the model begins with")]
fn muon_wants_a_model_with_matrices_for_it() {
    let half: Half<Matrix<f32>> = Half::new(&config(), &mut rng());
    let steps = Steps { muon: Some(0.02), ..Steps::default() };
    let _ = Learner::new(Recipe::toy(), steps, half);
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
fn heads_keep_their_keys_and_values_or_one_narrow_row() {
    let init = &mut rng();
    let heads: MultiHead<Matrix> = MultiHead::new(2, 8, (4, 3), init);
    assert_eq!(heads.kept(), 2 * 4 + 2 * 3);
    assert_eq!(DistantHeads { heads }.kept(), 2 * 4 + 2 * 3);
    let heads: LatentHeads<Matrix> = LatentHeads::new(2, 8, [4, 3], init);
    assert_eq!(heads.kept(), 3);
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
