use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::gradient::{MAX_DROPOUT, Tape};
use all_you_need::layers::Rowwise;
use all_you_need::loss::log_sum_exp;
use all_you_need::optimizer::{learning_rate, paper_peak_lr};
use all_you_need::parameters::{
    Parameters, Trainable, gradient, gradient_on, zip,
};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Bpe, Token, Tokenizer};
use all_you_need::training::{
    Diverged, Example, Examples, InvalidRecipe, MAX_PARTS, Recipe, Stream,
    Training, TrainingError, Update, generator, target_tokens,
    validation_loss,
};
use all_you_need::transformer::Transformer;
use proptest::collection::vec;
use proptest::prop_oneof;
use proptest::strategy::Just;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use rayon::ThreadPoolBuilder;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{io, mem, ptr, slice};

use crate::common::letters::{self, BOS, EOS, VOCABULARY, word};
use crate::golden::{close, noise, sizes};
use crate::property::for_any;

type Model = Transformer<Matrix<f32>>;

/// A word, and the same from the end.
fn reverse(word: &[Token]) -> Example {
    let answer: Vec<_> = word.iter().rev().copied().collect();
    letters::example(word, &answer)
}

fn words(count: usize, seed: u64) -> Vec<Example> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| reverse(&word(rng))).collect()
}

fn recipe() -> Recipe {
    Recipe {
        batch_tokens: 100,
        parts: 4,
        updates: 10,
        bidirectional_updates: 0,
        warmup: 4,
        peak_lr: 0.01,
        dropout: 0.0,
        weight_decay: 0.0,
        label_smoothing: 0.1,
        seed: 7,
    }
}

fn untrained(recipe: Recipe) -> Training {
    Training::new(&sizes(VOCABULARY), recipe)
}

/// Every number of a model and of Adam's moments, bit by bit.
fn bits(Training { model, adam, .. }: &Training) -> Vec<u32> {
    let trees = [model, &adam.mean, &adam.square];
    let leaves = trees.into_iter().flat_map(Parameters::leaves);
    let numbers = leaves.flat_map(|(_, leaf): (_, &Matrix<f32>)| leaf.iter());
    numbers.map(|x| x.to_bits()).collect()
}

/// So many updates from where the training is; returns the losses.
fn run(
    training: &mut Training,
    examples: &[Example],
    updates: usize,
) -> Vec<f32> {
    let recipe = training.recipe.clone();
    let batches =
        recipe.batches(examples, training.adam.steps).map(Result::unwrap);
    let update = |batch: Vec<_>| training.update(&batch).unwrap();
    batches.take(updates).map(update).collect()
}

#[test]
fn an_example_has_an_end_and_its_target_a_beginning() {
    let tokenizer = Tokenizer::new(Bpe::train("to and fro, to and fro", 3));
    let example = Example::new("fro", "to", &tokenizer);
    assert_eq!(example.source, tokenizer.encode_source("fro"));
    assert_eq!(example.target, tokenizer.encode_target("to"));
    assert_eq!(example.target_tokens(), tokenizer.encode("to").len() + 1);
    let empty = Example::new("", "", &tokenizer);
    assert_eq!((empty.source.len(), empty.target_tokens()), (1, 1));
    assert_eq!(target_tokens(&[example, empty.clone(), empty]), 1 + 2 + 2);
}

#[test]
fn reversed_an_example_is_that_of_the_texts_exchanged() {
    let tokenizer = Tokenizer::new(Bpe::train("one, eins, one", 5));
    for (a, b) in [("one", "eins"), ("", "zwei"), ("drei", "")] {
        let [there, back] =
            [(a, b), (b, a)].map(|(a, b)| Example::new(a, b, &tokenizer));
        assert_eq!(there.reversed(), back);
        assert_eq!(back.reversed(), there);
    }
}

#[test]
fn the_same_seed_gives_the_same_batches() {
    let examples = words(200, 1);
    let take = |seed| -> Vec<Vec<Example>> {
        let recipe = Recipe { seed, ..recipe() };
        recipe.batches(&examples, 0).map(Result::unwrap).take(30).collect()
    };
    assert_eq!(take(1), take(1));
    assert_ne!(take(1), take(2));
}

#[test]
fn an_epoch_holds_each_example_once_and_leaves_out_the_rest() {
    let lengths = vec((0..9usize, 0..9usize), 1..30);
    let recipes = (1..200usize, prop_oneof![Just(0), Just(usize::MAX)]);
    for_any(64, (lengths, recipes), |(lengths, (size, both))| {
        let each = (10..).zip(lengths);
        let word = |(i, (n, m))| letters::example(&vec![i; n], &vec![i; m]);
        let examples: Vec<Example> = each.map(word).collect();
        let batch_tokens = size.min(target_tokens(&examples));
        let bidirectional_updates = both;
        let recipe =
            Recipe { batch_tokens, bidirectional_updates, ..recipe() };
        let mut batches = recipe.batches(&examples, 0).map(Result::unwrap);
        let back = examples.iter().map(Example::reversed);
        let all = examples.iter().cloned().chain(back.filter(|_| both > 0));
        let all: Vec<Example> = all.collect();
        for _epoch in 0..3 {
            let mut left = all.clone();
            // As long as there is enough for a batch, there is one.
            while target_tokens(&left) >= batch_tokens {
                let batch = batches.next().unwrap();
                let (_, before) = batch.split_last().unwrap();
                assert!(target_tokens(&batch) >= batch_tokens);
                assert!(target_tokens(before) < batch_tokens);
                for one in batch {
                    let place = left.iter().position(|other| *other == one);
                    left.swap_remove(place.expect("not twice in an epoch"));
                }
            }
        }
    });
}

#[test]
fn every_epoch_has_an_order_of_its_own() {
    let examples = words(20, 1);
    let whole = Recipe { batch_tokens: target_tokens(&examples), ..recipe() };
    let epochs: Vec<_> =
        whole.batches(&examples, 0).map(Result::unwrap).take(3).collect();
    assert_ne!(epochs[0], epochs[1]);
    assert_ne!(epochs[1], epochs[2]);
    let sorted = |epoch: &Vec<Example>| {
        let mut all: Vec<_> = epoch.iter().map(|e| &e.source).collect();
        all.sort();
        all.into_iter().cloned().collect::<Vec<_>>()
    };
    assert_eq!(sorted(&epochs[0]), sorted(&epochs[1]));
}

/// Three pairs that fill one batch, and the same pairs the other way.
fn pairs() -> [Vec<Example>; 2] {
    let tokenizer = Tokenizer::new(Bpe::train("", 0));
    let pairs = [("one", "eins"), ("two", "zwei"), ("three", "drei")];
    let there = pairs.map(|(a, b)| Example::new(a, b, &tokenizer));
    let back = pairs.map(|(a, b)| Example::new(b, a, &tokenizer));
    [there.to_vec(), back.to_vec()]
}

#[test]
fn both_directions_are_learned_at_first_and_then_one() {
    let [examples, back] = pairs();
    let both = [examples.clone(), back].concat();
    let one_way =
        Recipe { batch_tokens: target_tokens(&examples), ..recipe() };
    let recipe = Recipe { bidirectional_updates: 20, ..one_way.clone() };
    let early = recipe.batches(&examples, 0).map(Result::unwrap).take(20);
    let early: Vec<Example> = early.flatten().collect();
    assert!(both.iter().all(|one| early.contains(one)));
    assert!(early.iter().all(|one| both.contains(one)));
    let late: Vec<_> =
        recipe.batches(&examples, 20).map(Result::unwrap).take(3).collect();
    let never: Vec<_> =
        one_way.batches(&examples, 0).map(Result::unwrap).take(3).collect();
    assert_eq!(late, never);
}

/// The batches of one epoch, by moving the examples themselves.
fn by_moving(
    examples: &[Example],
    size: usize,
    seed: u64,
) -> Vec<Vec<Example>> {
    let back = examples.iter().map(Example::reversed);
    let mut order: Vec<Example> =
        examples.iter().cloned().chain(back).collect();
    order.shuffle(&mut generator(seed, Stream::BidirectionalOrder(0)));
    let (mut batches, mut batch) = (Vec::new(), Vec::new());
    for example in order {
        batch.push(example);
        if target_tokens(&batch) >= size {
            batches.push(mem::take(&mut batch));
        }
    }
    batches
}

#[test]
fn an_order_of_numbers_gives_the_batches_of_examples_that_move() {
    for count in [20, 100, 333] {
        let examples = words(count, 9);
        let recipe = Recipe { bidirectional_updates: 999, ..recipe() };
        let expected = by_moving(&examples, 100, recipe.seed);
        assert!(!expected.is_empty());
        let found = recipe
            .batches(&examples, 0)
            .map(Result::unwrap)
            .take(expected.len());
        assert!(found.eq(expected));
    }
}

#[test]
fn without_bidirectional_updates_no_example_is_reversed() {
    let [examples, back] = pairs();
    let recipe = Recipe { batch_tokens: 10, ..recipe() };
    let batches = recipe.batches(&examples, 0).map(Result::unwrap).take(200);
    let seen: Vec<Example> = batches.flatten().collect();
    assert!(examples.iter().all(|one| seen.contains(one)));
    assert!(back.iter().all(|one| !seen.contains(one)));
}

#[test]
fn batches_go_on_after_those_that_are_skipped() {
    let examples = words(60, 1);
    let recipe = Recipe { bidirectional_updates: 5, ..recipe() };
    let all: Vec<_> =
        recipe.batches(&examples, 0).map(Result::unwrap).take(20).collect();
    for skip in 0..15 {
        let rest: Vec<_> = recipe
            .batches(&examples, skip)
            .map(Result::unwrap)
            .take(5)
            .collect();
        assert_eq!(rest, all[skip..skip + 5], "after {skip}");
    }
}

#[test]
fn one_thread_and_three_give_the_same_bytes() {
    let examples = words(100, 1);
    let with = |threads, parts| {
        let pool = ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let recipe = Recipe {
                parts,
                dropout: 0.2,
                weight_decay: 0.1,
                bidirectional_updates: 2,
                ..recipe()
            };
            let mut training = untrained(recipe);
            let losses = run(&mut training, &examples, 5);
            let left = validation_loss(&training.model, &words(130, 2));
            (losses, left.to_bits(), bits(&training))
        })
    };
    for parts in [1, 3, 4, 7] {
        assert!(with(1, parts) == with(3, parts), "{parts} parts");
    }
}

#[test]
fn an_update_is_one_step_of_adam_along_the_gradient_of_the_whole_batch() {
    let examples = words(23, 1);
    let mut training = untrained(Recipe { parts: 3, ..recipe() });
    let sources: Vec<_> = examples.iter().map(|e| &e.source).collect();
    let targets: Vec<_> = examples.iter().map(|e| &e.target).collect();
    for step in 1..=3 {
        let Training { mut model, mut adam, .. } = training.clone();
        let (loss, slope) = gradient(&model, |model: &Transformer<_>| {
            model.loss(&sources, &targets, 0.1)
        });
        adam.step(&mut model, &slope, learning_rate(0.01, step, 4));
        let found = training.update(&examples).unwrap();
        assert!((found - loss).abs() < 1e-5);
        for (expected, found) in zip(&mut model, &training.model) {
            // A gradient that is nearly nothing has a sign by chance.
            let gaps = found - &*expected;
            let near = gaps.iter().filter(|gap| gap.abs() <= 1e-4).count();
            let far = gaps.len() - near;
            assert!(far * 50 <= gaps.len(), "{far} of {}", gaps.len());
        }
        assert_eq!(training.adam.steps, step);
    }
}

#[test]
fn dropout_changes_what_an_update_does_and_no_loss_outside_of_it() {
    let examples = words(40, 1);
    let losses = |dropout| {
        run(&mut untrained(Recipe { dropout, ..recipe() }), &examples, 1)
    };
    assert_eq!(losses(0.0), losses(0.0));
    assert_eq!(losses(0.3), losses(0.3));
    assert_ne!(losses(0.0), losses(0.3));
    let model = untrained(recipe()).model;
    let loss = || validation_loss(&model, &examples);
    assert_eq!(loss(), loss());
}

#[test]
fn what_is_kept_grows_so_that_the_mean_stays() {
    let tape = Tape::with_dropout(0.3, ChaCha8Rng::seed_from_u64(1));
    let ones = tape.variable(Matrix::<f64>::from_element(300, 200, 1.0));
    let dropped = ones.dropout();
    let zeros = dropped.value().iter().filter(|&&x| x == 0.0).count();
    assert!((zeros as f64 / 60_000.0 - 0.3).abs() < 0.01);
    assert!((dropped.value().mean() - 1.0).abs() < 0.01);
    let grown = 1.0 / 0.7;
    assert!(dropped.value().iter().all(|&x| x == 0.0 || x == grown));
}

#[test]
fn a_dropout_of_nothing_makes_no_mask() {
    let none = Tape::with_dropout(0.0, ChaCha8Rng::seed_from_u64(1));
    for tape in [none, Tape::default()] {
        let x = tape.variable(noise(3, 4, 1));
        assert!(ptr::eq(x.dropout().value(), x.value()));
    }
    // Of so many, some would be dropped if only 1 of 65,536 were.
    let some = Tape::with_dropout(1e-9, ChaCha8Rng::seed_from_u64(1));
    let x = some.variable(noise(600, 600, 1));
    assert!(!ptr::eq(x.dropout().value(), x.value()));
    close(x.dropout().value(), x.value(), 1e-8);
}

/// Every number that a run of any length could ask for, and more.
fn numbers() -> impl Iterator<Item = u64> {
    let powers = (10..56).map(|bit| 1 << bit);
    let far = powers.flat_map(|power| [power - 1, power, power + 1]);
    (0..1000).chain(far).chain([(1 << 56) - 1])
}

fn streams() -> Vec<Stream> {
    let numbered =
        [Stream::Order, Stream::BidirectionalOrder, Stream::Dropout];
    let numbered =
        numbered.map(|stream: fn(u64) -> Stream| numbers().map(stream));
    let numbered = numbered.into_iter().flatten();
    [Stream::Weights, Stream::Data].into_iter().chain(numbered).collect()
}

#[test]
fn no_two_purposes_share_a_random_stream() {
    let streams = streams();
    assert!(streams.len() > 3000);
    let (mut places, mut draws) = (HashSet::new(), HashSet::new());
    for seed in [1, 2] {
        for &stream in &streams {
            let mut rng = generator(seed, stream);
            assert!(places.insert((seed, rng.get_stream())), "{stream:?}");
            assert!(draws.insert(rng.next_u64()), "{stream:?}");
        }
    }
}

#[test]
fn a_stream_begins_with_the_same_numbers_every_time() {
    for stream in streams() {
        let draw = || generator(3, stream).next_u64();
        assert_eq!(draw(), draw());
    }
}

#[test]
#[should_panic(expected = "no stream has the number 72057594037927936")]
fn a_number_beyond_56_bits_would_meet_another_purpose() {
    generator(1, Stream::Order(1 << 56));
}

/// Four parts of a batch, update after update.
#[test]
fn every_part_of_every_update_drops_numbers_of_its_own() {
    let examples = words(4, 1);
    let recipe = Recipe { dropout: 0.4, ..recipe() };
    let mut training = untrained(recipe);
    let all = target_tokens(&examples) as f32;
    for step in 0..3 {
        let model = training.model.share();
        let loss = |(part, example): (u64, &Example)| {
            let stream = Stream::Dropout(4 * step + part);
            let tape = Tape::with_dropout(0.4, generator(7, stream));
            let (loss, _) = gradient_on::<f32, Model>(&tape, &model, |m| {
                m.loss(&[&example.source], &[&example.target], 0.1)
            });
            loss * example.target_tokens() as f32 / all
        };
        let expected: f32 = (0..).zip(&examples).map(loss).sum();
        let found = training.update(&examples).unwrap();
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
}

#[test]
fn a_new_model_has_weights_from_the_recipes_seed() {
    let weights = |seed| untrained(Recipe { seed, ..recipe() }).model;
    let rng = &mut generator(1, Stream::Weights);
    let model: Model = Transformer::new(&sizes(VOCABULARY), rng);
    assert_eq!(weights(1).leaves(), model.leaves());
    assert_ne!(weights(1).leaves(), weights(2).leaves());
}

#[test]
fn the_validation_loss_is_a_mean_over_all_tokens_however_they_are_cut() {
    let model = untrained(recipe()).model;
    for count in [1, 49, 50, 51, 130] {
        let examples = words(count, 5);
        let (mut sum, mut tokens) = (0.0, 0);
        for Example { source, target } in &examples {
            let read = &target[..target.len() - 1];
            let scores = model.forward(&[source], &[read]);
            for (row, &token) in scores.row_iter().zip(&target[1..]) {
                let row: Vec<f64> = row.iter().map(|&x| x.into()).collect();
                sum += log_sum_exp(&row) - row[token as usize];
                tokens += 1;
            }
        }
        let expected = sum / f64::from(tokens);
        let found = validation_loss(&model, &examples);
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
}

#[test]
fn a_run_that_goes_on_ends_where_an_uninterrupted_one_does() {
    let examples = words(60, 1);
    let recipe =
        Recipe { dropout: 0.1, bidirectional_updates: 3, ..recipe() };
    let mut whole = untrained(recipe);
    let mut first = whole.clone();
    run(&mut whole, &examples, 9);
    run(&mut first, &examples, 4);
    let mut second = first.clone();
    drop(first);
    run(&mut second, &examples, 5);
    assert!(bits(&whole) == bits(&second));
}

#[test]
fn a_run_makes_all_updates_and_tells_of_each() {
    let examples = words(60, 1);
    let mut by_hand = untrained(recipe());
    let mut expected = Vec::new();
    for (step, batch) in
        (1..=10).zip(recipe().batches(&examples, 0).map(Result::unwrap))
    {
        let loss = by_hand.update(&batch).unwrap();
        expected.push((step, loss, target_tokens(&batch)));
    }
    let (mut training, mut found) = (untrained(recipe()), Vec::new());
    let end = training.run(&examples, |training, update| {
        let Update { step, loss, target_tokens } = update;
        assert_eq!(training.adam.steps, step);
        found.push((step, loss, target_tokens));
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(end.unwrap(), ControlFlow::Continue(()));
    assert_eq!(found, expected);
    assert!(bits(&training) == bits(&by_hand));
    // All are made: there is nothing left to do.
    let again = training.run(&examples, |_, _| ControlFlow::Break(()));
    assert_eq!(again.unwrap(), ControlFlow::Continue(()));
}

#[test]
fn a_run_can_be_ended_and_goes_on_later() {
    let examples = words(60, 1);
    let mut whole = untrained(recipe());
    let mut parts = whole.clone();
    let on = |_: &Training, _| ControlFlow::<()>::Continue(());
    assert!(whole.run(&examples, on).is_ok());
    let end = parts.run(&examples, |_, Update { step, .. }| match step {
        4 => ControlFlow::Break("enough"),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(end.unwrap(), ControlFlow::Break("enough"));
    assert_eq!(parts.adam.steps, 4);
    assert!(parts.run(&examples, on).is_ok());
    assert!(bits(&whole) == bits(&parts));
}

/// Weights so large that their products are infinite.
fn explode(training: &mut Training) {
    let leaves = training.model.leaves_mut().into_iter();
    leaves.for_each(|leaf| leaf.fill(1e38));
}

#[test]
fn a_training_that_diverges_stops_and_changes_nothing() {
    let examples = words(60, 1);
    for done in [0, 3] {
        let recipe = Recipe { peak_lr: 1.0, weight_decay: 0.5, ..recipe() };
        let mut training = untrained(recipe);
        run(&mut training, &examples, done);
        explode(&mut training);
        let before = bits(&training);
        let diverged = Diverged { update: done + 1 };
        assert_eq!(training.update(&examples), Err(diverged));
        let none = |_: &Training, _| -> ControlFlow<()> { unreachable!() };
        let error = training.run(&examples, none).unwrap_err();
        assert_eq!(error.to_string(), diverged.to_string());
        assert!(
            matches!(error, TrainingError::Diverged(found) if found == diverged)
        );
        assert!(bits(&training) == before);
        assert_eq!(training.adam.steps, done);
    }
    let said = Diverged { update: 7 }.to_string();
    assert!(said.starts_with("update 7: the loss or its gradient"), "{said}");
}

#[test]
fn a_nan_in_any_leaf_stops_a_training() {
    let examples = words(8, 1);
    let leaves = untrained(recipe()).model.leaves().len();
    for i in 0..leaves {
        let mut training = untrained(recipe());
        *training.model.leaves_mut()[i].iter_mut().last().unwrap() = f32::NAN;
        let before = bits(&training);
        let found = training.update(&examples);
        assert_eq!(found, Err(Diverged { update: 1 }), "leaf {i}");
        assert!(bits(&training) == before);
    }
}

/// Adam keeps the squares of gradients: what is infinite stays so, and the
/// parameter would never move again.
#[test]
fn a_gradient_too_large_to_be_squared_stops_a_training() {
    let mut training = untrained(recipe());
    let norm = &mut training.model.decoder.layers[1].feed_forward_norm;
    norm.gain.fill(1e20);
    let before = bits(&training);
    assert!(validation_loss(&training.model, &words(8, 1)).is_finite());
    let diverged = Diverged { update: 1 };
    assert_eq!(training.update(&words(8, 1)), Err(diverged));
    assert!(bits(&training) == before);
}

#[test]
#[should_panic(expected = "18 tokens do not fill a batch of 100")]
fn too_few_examples_are_refused() {
    let examples = vec![reverse(&[1, 2, 3, 4, 5]); 3];
    drop(recipe().batches(&examples, 0).map(Result::unwrap));
}

#[test]
#[should_panic(expected = "a batch of no examples")]
fn an_empty_batch_is_refused() {
    let _ = untrained(recipe()).update(&[]);
}

#[test]
#[should_panic(expected = "no examples, no mean")]
fn a_mean_over_nothing_is_refused() {
    let _ = validation_loss(&untrained(recipe()).model, &[]);
}

#[test]
fn weights_decay_by_a_part_of_themselves() {
    let batch = words(40, 1);
    let after = |weight_decay| {
        let mut training = untrained(Recipe { weight_decay, ..recipe() });
        training.update(&batch).unwrap();
        training.model
    };
    let numbers = |model: &Model| -> Vec<f32> {
        let leaves = model.leaves().into_iter();
        leaves.flat_map(|(_, leaf)| leaf.iter().copied()).collect()
    };
    let (before, decay) = (untrained(recipe()).model, 0.25);
    let [start, plain, shrunk] =
        [before, after(0.0), after(decay)].map(|model| numbers(&model));
    let Recipe { peak_lr, warmup, .. } = recipe();
    let rate = learning_rate(peak_lr, 1, warmup) as f32;
    let mut moved = 0.0;
    for ((w, plain), shrunk) in start.iter().zip(plain).zip(shrunk) {
        let less = rate * decay as f32 * w;
        assert!((plain - less - shrunk).abs() < 1e-6);
        moved += (plain - shrunk).abs();
    }
    assert!(moved > 0.01, "{moved}");
}

#[test]
#[should_panic(expected = "dropout = 1 is not from 0 to 0.99")]
fn dropping_everything_is_refused() {
    let recipe = Recipe { dropout: 1.0, ..recipe() };
    run(&mut untrained(recipe), &words(40, 1), 1);
}

#[test]
fn the_recipes_that_are_given_can_be_followed() {
    let given = [recipe(), Recipe::toy(), Recipe::tiny(), Recipe::base()];
    for recipe in given.into_iter().chain([Recipe::big()]) {
        assert_eq!(recipe.check(), Ok(()));
    }
    let edges = [
        Recipe { peak_lr: 1.0, ..recipe() },
        Recipe { dropout: 0.99, ..recipe() },
        Recipe { bidirectional_updates: 1000, ..recipe() },
    ];
    assert!(edges.iter().all(|recipe| recipe.check().is_ok()));
}

/// The paper's of §5, the one that the model of the book has learned by, and
/// the one for small tasks.
#[test]
fn the_recipes_are_those_of_the_chapters() {
    let big = Recipe::big();
    assert_eq!((big.updates, big.dropout), (300_000, 0.3));
    assert_eq!(big.peak_lr, paper_peak_lr(1024, 4000));
    assert_eq!(Recipe::base().peak_lr, paper_peak_lr(512, 4000));
    let lower = Recipe::base().peak_lr / big.peak_lr;
    assert!((lower - 2f64.sqrt()).abs() < 1e-9);
    let config = include_str!("../../code/models/captions/config.toml");
    let config: toml::Table = config.parse().unwrap();
    let learned_by = config["origin"]["recipe"].clone();
    assert_eq!(learned_by.try_into(), Ok(Recipe::tiny()));
    let toy = Recipe::toy();
    assert_eq!(
        (toy.batch_tokens, toy.updates, toy.warmup),
        (1000, 2000, 100)
    );
    assert_eq!((toy.peak_lr, toy.dropout), (0.0015, 0.0));
    assert_eq!((toy.parts, toy.bidirectional_updates), (4, 0));
}

/// One field is changed, and the error begins with its name.
#[test]
fn a_recipe_that_cannot_be_followed_says_which_number_is_wrong() {
    fn refused(name: &str, change: impl Fn(&mut Recipe)) {
        let mut recipe = recipe();
        change(&mut recipe);
        let error = recipe.check().unwrap_err().to_string();
        assert!(error.starts_with(&format!("{name} ")), "{name}: {error}");
    }
    refused("batch_tokens", |recipe| recipe.batch_tokens = 0);
    refused("parts", |recipe| recipe.parts = 0);
    refused("parts", |recipe| recipe.parts = MAX_PARTS + 1);
    refused("updates", |recipe| recipe.updates = 0);
    refused("warmup", |recipe| recipe.warmup = 0);
    for part in [-0.1, 1.0, 2.0, f64::NAN, f64::INFINITY] {
        refused("dropout", |recipe| recipe.dropout = part);
        refused("weight_decay", |recipe| recipe.weight_decay = part);
        refused("label_smoothing", |recipe| recipe.label_smoothing = part);
    }
    for rate in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        refused("peak_lr", |recipe| recipe.peak_lr = rate);
    }
}

/// For each row that writes a letter of the target the place in the source
/// that it looks at most: for every head of the cross-attention, bottom
/// layer.
fn places(
    model: &Model,
    Example { source, target }: &Example,
) -> Vec<Vec<usize>> {
    let letters = target.len() - 2;
    let read = &target[..=letters];
    let (m, n) = (read.len(), source.len());
    let x = model.encode(&[source]).rows;
    let y = model.embed(&[read]).rows;
    let layer = &model.decoder.layers[0];
    let written = layer.self_attention.forward(&y, &y, &Mask::causal(m));
    let y = layer.self_norm.add_norm(&y, &written);
    let maps = layer.cross_attention.weights(&y, &x, &Mask::none(m, n));
    let most = |map: &Matrix<f32>, i| map.row(i).transpose().argmax().0;
    let rows = |map| (0..letters).map(|i| most(map, i)).collect();
    maps.iter().map(rows).collect()
}

/// For each head of the cross-attention the rows in which the letter that is
/// looked at most is the one to be written, and how many rows there are.
fn on_the_letter(model: &Model, examples: &[Example]) -> ([usize; 2], usize) {
    let (mut hits, mut rows) = ([0; 2], 0);
    for example in examples {
        let letters = example.target.len() - 2;
        rows += letters;
        for (hits, places) in hits.iter_mut().zip(places(model, example)) {
            // Row 0 writes the last letter.
            let hit = |(row, place): &(usize, &usize)| row == *place;
            let rows = (0..letters).rev().zip(&places);
            *hits += rows.filter(hit).count();
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
        Recipe { batch_tokens: 300, updates: 400, warmup: 100, ..recipe() };
    let mut training = Training::new(&letters::SIZES, recipe);
    let (before, rows) = on_the_letter(&training.model, &held_out);
    assert!(before.iter().all(|&hits| 2 * hits < rows), "{before:?}");
    let on = |_: &Training, _| ControlFlow::<()>::Continue(());
    assert!(training.run(&all, on).is_ok());
    let model = &training.model;
    let right = |Example { source, target }: &&Example| {
        model.greedy(source, BOS, EOS).unwrap() == target[1..target.len() - 1]
    };
    let right = held_out.iter().filter(right).count();
    assert!(right >= 90, "{right} of 100 right");
    let (hits, rows) = on_the_letter(model, &held_out);
    let most = hits[0].max(hits[1]);
    assert!(most * 100 >= rows * 90, "{hits:?} of {rows}");
}

/// The sentence with which `make` panics.
fn refusal<T>(make: impl FnOnce() -> T) -> String {
    let made = catch_unwind(AssertUnwindSafe(make));
    let said = made.err().expect("a panic");
    said.downcast::<String>().map_or_else(
        |said| (*said.downcast::<&str>().unwrap()).to_owned(),
        |said| *said,
    )
}

#[test]
fn a_training_that_cannot_be_is_refused_with_a_sentence() {
    let toy = Config::toy;
    let sizes = |config: Config| {
        refusal(move || -> Training { Training::new(&config, recipe()) })
    };
    for (config, sentence) in [
        (Config { d_ff: 1 << 62, ..toy() }, "d_ff cannot be"),
        (Config { d_k: 1 << 62, ..toy() }, "d_k cannot be"),
        (Config { vocabulary: 1 << 62, ..toy() }, "vocabulary cannot be"),
        (Config { d_model: 0, ..toy() }, "d_model cannot be 0"),
        (Config { d_model: 7, ..toy() }, "d_model = 7 is odd"),
        (Config { layers: 0, ..toy() }, "without layers"),
        (Config { layers: 1 << 62, ..toy() }, "layers cannot be"),
    ] {
        let said = sizes(config);
        assert!(said.contains(sentence), "{said}");
    }
    let by = |recipe: Recipe| {
        refusal(move || -> Training { Training::new(&toy(), recipe) })
    };
    for (recipe, sentence) in [
        (Recipe { peak_lr: -0.1, ..recipe() }, "peak_lr = -0.1"),
        (Recipe { weight_decay: f64::NAN, ..recipe() }, "weight_decay = NaN"),
        (Recipe { dropout: 0.9999, ..recipe() }, "dropout = 0.9999"),
        (Recipe { warmup: 0, ..recipe() }, "warmup cannot be 0"),
    ] {
        let said = by(recipe);
        assert!(said.contains(sentence), "{said}");
    }
}

#[test]
fn an_example_without_a_target_is_refused() {
    let none = Example { source: vec![1], target: Vec::new() };
    let sentence = "a target of 0 tokens, and not from bos to eos";
    assert_eq!(refusal(|| none.target_tokens()), sentence);
    assert_eq!(refusal(|| none.reversed()), sentence);
    assert_eq!(refusal(|| target_tokens(slice::from_ref(&none))), sentence);
}

/// One number of a hundred is left of four million.
#[test]
fn the_highest_dropout_keeps_the_mean() {
    let rng = ChaCha8Rng::seed_from_u64(1);
    let tape: Tape<f64> = Tape::with_dropout(MAX_DROPOUT, rng);
    let ones = tape.variable(Matrix::from_element(4000, 1000, 1.0));
    let mean = ones.dropout().value().mean();
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    let high = refusal(|| -> Tape<f64> {
        Tape::with_dropout(0.9999, ChaCha8Rng::seed_from_u64(1))
    });
    assert_eq!(high, "dropout of 0.9999 is not from 0 to 0.99");
}

/// Examples on a disk that fails.
struct Failing;

impl Examples for Failing {
    fn count(&self) -> usize {
        100
    }

    fn target_tokens(&self, _: usize) -> [usize; 2] {
        [10, 10]
    }

    fn example(&self, i: usize) -> io::Result<Example> {
        Err(io::Error::other(format!("no sector {i}")))
    }
}

#[test]
fn an_example_that_cannot_be_read_is_an_error_and_no_panic() {
    let mut training = untrained(recipe());
    let go_on = |_: &Training, _| ControlFlow::<()>::Continue(());
    let error = training.run(&Failing, go_on).unwrap_err();
    let said = error.to_string();
    let sentence = "update 1: an example cannot be read: no sector ";
    assert!(said.starts_with(sentence), "{said}");
    assert!(matches!(error, TrainingError::Unread { update: 1, .. }));
    assert_eq!(training.adam.steps, 0);
}

#[test]
fn an_error_of_a_recipe_has_its_number_and_its_range() {
    let recipe = Recipe { parts: MAX_PARTS + 1, ..recipe() };
    let Err(InvalidRecipe::Outside { name, value, range, .. }) =
        recipe.check()
    else {
        panic!("{recipe:?}")
    };
    assert_eq!((name, value), ("parts", 1025.0));
    assert_eq!(range, "from 1 to 1024");
}
