use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::gradient::Tape;
use all_you_need::layers::Rowwise;
use all_you_need::loss::log_sum_exp;
use all_you_need::optimizer::{Adam, descend, gradient, rate};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::BytePairs;
use all_you_need::training::{
    Example, Recipe, Training, marks, nats, question,
};
use all_you_need::transformer::{Parameters, Transformer};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::ThreadPoolBuilder;
use std::collections::HashMap;

type Model = Transformer<Matrix<f32>>;

/// Eight letters, start and end.
const VOCABULARY: usize = 10;

/// A word as ids, and the same from the end.
fn reverse(word: Vec<usize>) -> Example {
    let (_, end) = marks(VOCABULARY);
    let target = word.iter().rev().copied().collect();
    Example { source: [word, vec![end]].concat(), target }
}

/// Words of three to six letters.
fn words(count: usize, seed: u64) -> Vec<Example> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut word = || {
        let length = rng.random_range(3..=6);
        (0..length).map(|_| rng.random_range(0..8)).collect()
    };
    (0..count).map(|_| reverse(word())).collect()
}

fn said(batch: &[Example]) -> usize {
    batch.iter().map(|example| example.target.len() + 1).sum()
}

fn recipe() -> Recipe {
    Recipe {
        tokens: 100,
        updates: 10,
        both_ways: 0,
        warmup: 4,
        peak: 0.01,
        dropout: 0.0,
        weight_decay: 0.0,
        smoothing: 0.1,
        seed: 7,
    }
}

fn unborn(recipe: Recipe) -> Training {
    let config = Config {
        vocabulary: VOCABULARY,
        layers: 2,
        d_model: 8,
        d_ff: 12,
        heads: 2,
        d_k: 3,
        d_v: 5,
    };
    let model = Model::new(&config, &mut ChaCha8Rng::seed_from_u64(3));
    let adam = Adam::new(&model);
    Training { recipe, model, adam }
}

/// Every number of a model and of what Adam remembers, bit by bit.
fn bits(training: &Training) -> Vec<u32> {
    let mut bits = Vec::new();
    let mut add = |leaf: &Matrix<f32>| {
        bits.extend(leaf.iter().map(|x| x.to_bits()));
    };
    training.model.map("", &mut |_, leaf| add(leaf));
    for own in &training.adam.moments {
        add(&own.mean);
        add(&own.square);
    }
    bits
}

/// The updates from one to another; returns the losses.
fn run(
    training: &mut Training,
    examples: &[Example],
    updates: std::ops::Range<usize>,
) -> Vec<f32> {
    let batches = training.recipe.batches(examples).skip(updates.start);
    batches.take(updates.len()).map(|b| training.update(&b)).collect()
}

#[test]
fn start_and_end_are_tokens_that_no_text_has() {
    let tokens = BytePairs::train("to and fro, to and fro", 3);
    let (start, end) = marks(tokens.len() + 2);
    assert_eq!((start, end), (259, 260));
    let example = Example::new("fro", "to", &tokens);
    assert_eq!(example.source, [tokens.encode("fro"), vec![end]].concat());
    assert_eq!(example.target, tokens.encode("to"));
    assert_eq!(question("", &tokens), [end]);
}

#[test]
fn the_same_seed_gives_the_same_batches() {
    let examples = words(200, 1);
    let take = |seed| -> Vec<Vec<Example>> {
        let recipe = Recipe { seed, ..recipe() };
        recipe.batches(&examples).take(30).collect()
    };
    assert_eq!(take(1), take(1));
    assert_ne!(take(1), take(2));
}

#[test]
fn an_epoch_holds_each_example_once_and_leaves_out_the_rest() {
    // Unequal, so that one can tell them apart.
    let mut examples = words(200, 1);
    examples.sort_by(|a, b| a.source.cmp(&b.source));
    examples.dedup();
    let all = said(&examples);
    let mut batches = recipe().batches(&examples);
    for _epoch in 0..3 {
        let (mut seen, mut tokens) = (HashMap::new(), 0);
        // Every batch is full, and none takes more than the last word over.
        while all - tokens >= 100 + 6 {
            let batch = batches.next().unwrap();
            assert!((100..107).contains(&said(&batch)));
            tokens += said(&batch);
            for example in batch {
                *seen.entry(example.source).or_insert(0) += 1;
            }
        }
        assert!(seen.values().all(|&times| times == 1));
        let left_out = examples.len() - seen.len();
        assert!(left_out < 30, "{left_out} of {}", examples.len());
        // Between 100 and 106 left: chance decides if one more was filled.
        assert!(all - tokens < 100 || all - tokens < 106);
    }
}

#[test]
fn every_epoch_has_an_order_of_its_own() {
    let examples = words(20, 1);
    let whole = Recipe { tokens: said(&examples), ..recipe() };
    let epochs: Vec<_> = whole.batches(&examples).take(3).collect();
    assert_ne!(epochs[0], epochs[1]);
    assert_ne!(epochs[1], epochs[2]);
    let sorted = |epoch: &Vec<Example>| {
        let mut all: Vec<_> = epoch.iter().map(|e| &e.source).collect();
        all.sort();
        all.into_iter().cloned().collect::<Vec<_>>()
    };
    assert_eq!(sorted(&epochs[0]), sorted(&epochs[1]));
}

#[test]
fn both_ways_are_learned_at_first_and_then_one() {
    let tokens = BytePairs::train("", 0);
    let pairs = [("one", "eins"), ("two", "zwei"), ("three", "drei")];
    let examples = pairs.map(|(a, b)| Example::new(a, b, &tokens));
    let back = pairs.map(|(a, b)| Example::new(b, a, &tokens));
    let both = [examples.clone(), back].concat();
    let one_way = Recipe { tokens: said(&examples), ..recipe() };
    let recipe = Recipe { both_ways: 20, ..one_way.clone() };
    let early: Vec<_> =
        recipe.batches(&examples).take(20).flatten().collect();
    assert!(both.iter().all(|one| early.contains(one)));
    assert!(early.iter().all(|one| both.contains(one)));
    let late: Vec<_> = recipe.batches(&examples).skip(20).take(3).collect();
    let never: Vec<_> = one_way.batches(&examples).take(3).collect();
    assert_eq!(late, never);
}

#[test]
fn one_thread_and_three_give_the_same_bytes() {
    let examples = words(100, 1);
    let with = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let recipe = Recipe { dropout: 0.2, ..recipe() };
            let mut training = unborn(recipe);
            let losses = run(&mut training, &examples, 0..5);
            let left = nats(&training.model, &words(130, 2));
            (losses, left.to_bits(), bits(&training))
        })
    };
    assert!(with(1) == with(3));
}

#[test]
fn an_update_is_one_step_of_adam_along_the_gradient_of_the_whole_batch() {
    let examples = words(23, 1);
    let mut training = unborn(recipe());
    let (start, end) = marks(VOCABULARY);
    let each = |of: fn(&Example) -> &Vec<usize>| -> Vec<Vec<usize>> {
        examples.iter().map(|example| of(example).clone()).collect()
    };
    let (sources, targets) = (each(|e| &e.source), each(|e| &e.target));
    for step in 1..=3 {
        let Training { model, mut adam, .. } = training.clone();
        let (loss, slopes) = gradient(&model, |model: &Transformer<_>| {
            model.loss(&sources, &targets, start, end, 0.1)
        });
        let expected = adam.step(&model, &slopes, rate(0.01, step, 4));
        assert!((training.update(&examples) - loss).abs() < 1e-5);
        let apart = descend(&training.model, &expected, 1.0);
        apart.map("", &mut |name, leaf| {
            // A slope that is nearly nothing has a sign by chance.
            let far = leaf.iter().filter(|x| x.abs() > 1e-4).count();
            assert!(far * 50 <= leaf.len(), "{name}: {far}");
        });
        assert_eq!(training.adam.steps as usize, step);
    }
}

#[test]
fn dropout_changes_what_an_update_does_and_no_loss_outside_of_it() {
    let examples = words(40, 1);
    let losses = |dropout| {
        run(&mut unborn(Recipe { dropout, ..recipe() }), &examples, 0..1)
    };
    assert_eq!(losses(0.0), losses(0.0));
    assert_eq!(losses(0.3), losses(0.3));
    assert_ne!(losses(0.0), losses(0.3));
    let model = unborn(recipe()).model;
    assert_eq!(nats(&model, &examples), nats(&model, &examples));
}

#[test]
fn what_is_kept_grows_so_that_the_mean_stays() {
    let tape = Tape::dropping(0.3, ChaCha8Rng::seed_from_u64(1));
    let ones = tape.variable(Matrix::<f64>::from_element(300, 200, 1.0));
    let dropped = ones.dropout();
    let zeros = dropped.value().iter().filter(|&&x| x == 0.0).count();
    assert!((zeros as f64 / 60_000.0 - 0.3).abs() < 0.01);
    assert!((dropped.value().mean() - 1.0).abs() < 0.01);
    let grown = 1.0 / 0.7;
    assert!(dropped.value().iter().all(|&x| x == 0.0 || x == grown));
}

#[test]
fn nats_are_the_mean_over_all_tokens_however_they_are_cut() {
    let model = unborn(recipe()).model;
    let (start, end) = marks(VOCABULARY);
    for count in [1, 49, 50, 51, 130] {
        let examples = words(count, 5);
        let (mut sum, mut tokens) = (0.0, 0);
        for Example { source, target } in &examples {
            let fed = [&[start], &target[..]].concat();
            let asked = [&target[..], &[end]].concat();
            let scores = model.forward(std::slice::from_ref(source), &[fed]);
            for (row, &token) in scores.row_iter().zip(&asked) {
                let row: Vec<f64> = row.iter().map(|&x| x.into()).collect();
                sum += log_sum_exp(&row) - row[token];
                tokens += 1;
            }
        }
        let expected = sum / f64::from(tokens);
        let found = nats(&model, &examples);
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
}

#[test]
fn a_run_that_goes_on_ends_where_an_uninterrupted_one_does() {
    let examples = words(60, 1);
    let recipe = Recipe { dropout: 0.1, ..recipe() };
    let mut whole = unborn(recipe);
    let mut first = whole.clone();
    run(&mut whole, &examples, 0..9);
    run(&mut first, &examples, 0..4);
    let mut second = first.clone();
    drop(first);
    run(&mut second, &examples, 4..9);
    assert!(bits(&whole) == bits(&second));
}

#[test]
#[should_panic(expected = "18 tokens do not fill a batch of 100")]
fn too_few_examples_are_refused() {
    let examples = vec![reverse(vec![1, 2, 3, 4, 5]); 3];
    drop(recipe().batches(&examples));
}

#[test]
#[should_panic(expected = "a batch of no examples")]
fn an_empty_batch_is_refused() {
    unborn(recipe()).update(&[]);
}

#[test]
#[should_panic(expected = "no examples, no mean")]
fn a_mean_over_nothing_is_refused() {
    nats(&unborn(recipe()).model, &[]);
}

#[test]
fn weights_decay_by_a_part_of_themselves() {
    let batch = words(40, 1);
    let after = |weight_decay| {
        let mut training = unborn(Recipe { weight_decay, ..recipe() });
        training.update(&batch);
        training.model
    };
    let leaves = |model: &Model| {
        let mut all = Vec::new();
        model.map("", &mut |_, leaf| all.extend_from_slice(leaf.as_slice()));
        all
    };
    let (before, decay) = (unborn(recipe()).model, 0.25);
    let [start, plain, shrunk] =
        [before, after(0.0), after(decay)].map(|model| leaves(&model));
    let Recipe { peak, warmup, .. } = recipe();
    let rate = rate(peak, 1, warmup) as f32;
    let mut moved = 0.0;
    for ((w, plain), shrunk) in start.iter().zip(plain).zip(shrunk) {
        let less = rate * decay as f32 * w;
        assert!((plain - less - shrunk).abs() < 1e-6);
        moved += (plain - shrunk).abs();
    }
    assert!(moved > 0.01, "{moved}");
}

#[test]
#[should_panic(expected = "no dropout of 1")]
fn dropping_everything_is_refused() {
    let recipe = Recipe { dropout: 1.0, ..recipe() };
    run(&mut unborn(recipe), &words(40, 1), 0..1);
}

/// The rows in which the largest weight of a head of the cross-attention
/// lies on the letter to be said, for each head; and how many rows there are.
fn on_the_letter(model: &Model, examples: &[Example]) -> ([usize; 2], usize) {
    let (start, _) = marks(VOCABULARY);
    let (mut hits, mut rows) = ([0; 2], 0);
    for Example { source, target } in examples {
        let (m, n) = (target.len() + 1, source.len());
        let x = model.encode(std::slice::from_ref(source));
        let y = model.embed(&[[&[start], &target[..]].concat()]);
        let layer = &model.decoder.layers[0];
        let said = layer.self_attention.forward(&y, &y, &Mask::causal(m));
        let asking = layer.self_norm.add_norm(&y, &said);
        let read = Mask::none(m, n);
        let maps = layer.cross_attention.weights(&asking, &x, &read);
        let letters = target.len();
        rows += letters;
        for (hits, map) in hits.iter_mut().zip(&maps) {
            let best = |i: usize| map.row(i).transpose().argmax().0;
            // Row 0 says the last letter.
            let right = |i: &usize| best(*i) == letters - 1 - i;
            *hits += (0..letters).filter(right).count();
        }
    }
    (hits, rows)
}

#[test]
fn who_has_learned_to_reverse_looks_along_the_other_diagonal() {
    let mut all = words(4100, 1);
    let held_out = all.split_off(4000);
    all.retain(|one| !held_out.contains(one));
    let recipe =
        Recipe { tokens: 300, updates: 400, warmup: 100, ..recipe() };
    let config = Config {
        vocabulary: VOCABULARY,
        layers: 1,
        d_model: 32,
        d_ff: 64,
        heads: 2,
        d_k: 16,
        d_v: 16,
    };
    let model = Model::new(&config, &mut ChaCha8Rng::seed_from_u64(1));
    let adam = Adam::new(&model);
    let mut training = Training { recipe, model, adam };
    let (before, rows) = on_the_letter(&training.model, &held_out);
    assert!(before.iter().all(|&hits| 2 * hits < rows), "{before:?}");
    run(&mut training, &all, 0..400);
    let model = &training.model;
    let (start, end) = marks(VOCABULARY);
    let said =
        |one: &&Example| model.greedy(&one.source, start, end) == one.target;
    let right = held_out.iter().filter(said).count();
    assert!(right >= 90, "{right} of 100 right");
    let (hits, rows) = on_the_letter(model, &held_out);
    let most = hits[0].max(hits[1]);
    assert!(most * 100 >= rows * 90, "{hits:?} of {rows}");
}
