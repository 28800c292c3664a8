use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::gradient::Tape;
use all_you_need::layers::Rowwise;
use all_you_need::optimizer::Adam;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Example, Recipe, Training};
use all_you_need::transformer::Transformer;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

type Model = Transformer<Matrix<f32>>;

fn recipe(tokens: usize) -> Recipe {
    Recipe {
        tokens,
        updates: 350,
        both_ways: 0,
        warmup: 100,
        peak: 0.01,
        dropout: 0.0,
        weight_decay: 0.0,
        smoothing: 0.1,
        seed: 1,
    }
}

/// 29,000 sentences of 15 tokens, the end among them, are 435,000. A batch
/// of 4000 fills with 267 sentences, and 267 go 108 times into 29,000. The
/// 164 that are left over are others in every epoch.
#[test]
fn exercise_1_an_epoch_has_108_updates() {
    let example = |i| Example { source: vec![i], target: vec![0; 14] };
    let examples: Vec<Example> = (0..29_000).map(example).collect();
    let mut epoch = vec![false; 29_000];
    for batch in recipe(4000).batches(&examples).take(108) {
        assert_eq!(batch.len(), 267);
        for example in batch {
            // Nobody comes twice.
            assert!(!std::mem::replace(&mut epoch[example.source[0]], true));
        }
    }
    assert_eq!(epoch.iter().filter(|seen| !**seen).count(), 164);
}

/// The mean is 1, as it was. The mean of the squares is 1/0.7, 1.43: what is
/// dropped is noise, and noise has a variance. Outside of training there is
/// none, so the layers behind see quieter numbers than they have learned with.
#[test]
fn exercise_2_the_squares_do_not_stay() {
    let tape = Tape::dropping(0.3, ChaCha8Rng::seed_from_u64(1));
    let ones = tape.variable(Matrix::<f64>::from_element(400, 500, 1.0));
    let dropped = ones.dropout();
    let squares = dropped.value().map(|x| x * x);
    assert!((dropped.value().mean() - 1.0).abs() < 0.01);
    assert!((squares.mean() - 1.0 / 0.7).abs() < 0.01);
}

/// A word and itself.
fn copy(rng: &mut ChaCha8Rng) -> Example {
    let length = rng.random_range(3..=6);
    let word: Vec<usize> =
        (0..length).map(|_| rng.random_range(0..8)).collect();
    Example { source: [&word[..], &[9]].concat(), target: word }
}

fn newborn() -> Training {
    let config = Config {
        vocabulary: 10,
        layers: 1,
        d_model: 32,
        d_ff: 64,
        heads: 2,
        d_k: 16,
        d_v: 16,
    };
    let model = Model::new(&config, &mut ChaCha8Rng::seed_from_u64(1));
    let adam = Adam::new(&model);
    Training { recipe: recipe(300), model, adam }
}

/// Of all rows of these words, the part whose largest weight lies as far from
/// the left as the row from the top, in the better of two heads.
fn diagonal(model: &Model, examples: &[Example]) -> f64 {
    let (mut hits, mut rows) = ([0; 2], 0);
    for Example { source, target } in examples {
        let (m, n) = (target.len() + 1, source.len());
        let x = model.encode(std::slice::from_ref(source));
        let y = model.embed(&[[&[8], &target[..]].concat()]);
        let layer = &model.decoder.layers[0];
        let said = layer.self_attention.forward(&y, &y, &Mask::causal(m));
        let asking = layer.self_norm.add_norm(&y, &said);
        let read = Mask::none(m, n);
        let maps = layer.cross_attention.weights(&asking, &x, &read);
        rows += target.len();
        for (hits, map) in hits.iter_mut().zip(maps) {
            let best = |i: usize| map.row(i).transpose().argmax().0;
            *hits += (0..target.len()).filter(|&i| best(i) == i).count();
        }
    }
    hits[0].max(hits[1]) as f64 / rows as f64
}

/// On the other diagonal, from the upper left. Nothing was changed but the
/// lessons.
#[test]
fn exercise_3_who_copies_looks_along_the_diagonal() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let mut lessons: Vec<_> = (0..4000).map(|_| copy(rng)).collect();
    let held_out = lessons.split_off(3900);
    let mut training = newborn();
    assert!(diagonal(&training.model, &held_out) < 0.5);
    let batches = training.recipe.batches(&lessons).take(350);
    for batch in batches.collect::<Vec<_>>() {
        training.update(&batch);
    }
    assert!(diagonal(&training.model, &held_out) > 0.8);
}
