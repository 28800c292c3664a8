use all_you_need::ablation::{
    Ablated, Experiment, HELD_OUT, Learner, Switch, Switches, UnknownSwitch,
};
use all_you_need::attention::Mask;
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, check_gradient, parameter_count};
use all_you_need::tasks::Task;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Token, Tokenizer};
use all_you_need::training::{Example, Recipe, Stream, Training, generator};
use all_you_need::transformer::Transformer;
use all_you_need::translation::AttentionMaps;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::letters::{self, VOCABULARY};
use crate::golden::{close, said, sizes};

fn examples(task: Task, count: usize) -> Vec<Example> {
    let rng = &mut generator(3, Stream::Data);
    let tokenizer = Tokenizer::default();
    let pairs = (0..count).map(|_| task.example(rng));
    pairs
        .map(|(text, answer)| Example::new(&text, &answer, &tokenizer))
        .collect()
}

fn one(switch: Switch) -> Switches {
    [switch].into_iter().collect()
}

fn bits(tree: &impl Parameters<Matrix<f32>>) -> Vec<u32> {
    let leaves = tree.leaves();
    let numbers = leaves.iter().flat_map(|(_, leaf)| leaf.iter());
    numbers.map(|x| x.to_bits()).collect()
}

/// With no switch it is the paper's model, and it learns the same.
#[test]
fn without_a_switch_it_is_the_transformer_bit_for_bit() {
    let recipe = Recipe { dropout: 0.1, ..Experiment::recipe() };
    let config = Experiment::config();
    let mut plain: Training = Training::new(&config, recipe.clone());
    let mut ablated = Learner::new(&config, recipe, Switches::default());
    for batch in examples(Task::Dates, 40).chunks(10) {
        let losses = [plain.update(batch), ablated.update(batch)];
        assert_eq!(losses[0], losses[1]);
    }
    assert_eq!(bits(&plain.model), bits(&ablated.model));
    assert_eq!(bits(&plain.adam.square), bits(&ablated.adam.square));
}

#[test]
fn it_writes_and_looks_as_the_transformer_does() {
    let tokenizer = Tokenizer::default();
    let (bos, eos) = (tokenizer.bos(), tokenizer.eos());
    let mut learning = Experiment::new(Task::Reverse, 1, Switches::default());
    for _ in 0..30 {
        learning.step().expect("a finite loss");
    }
    let Ablated { model, .. } = &learning.learner.model;
    let sources: Vec<_> =
        examples(Task::Reverse, 5).into_iter().map(|e| e.source).collect();
    let most = 60;
    let own = learning.learner.model.greedy(&sources, most, (bos, eos));
    for (source, own) in sources.iter().zip(own) {
        let alone = model.greedy(source, bos, eos).expect("finite logits");
        let end = alone.len().min(most);
        assert_eq!(alone[..end], own[..end]);
    }
    let looks = learning.looks("planet", "tenalp");
    let target = tokenizer.encode_target("tenalp");
    let target = &target[..target.len() - 1];
    let [x, y] = [&tokenizer.encode_source("planet"), target]
        .map(|side| model.embed(&[side]).rows);
    let maps = AttentionMaps::new(model, x, y, &Mask::causal(target.len()));
    let heads = &maps.cross[1];
    let mean = (&heads[0] + &heads[1]) / 2.0;
    assert_eq!(looks.shape(), (7, 7));
    assert!((looks - mean).amax() < 1e-6);
}

/// Every switch changes what is computed, and its gradient is the slope.
#[test]
fn every_switch_has_its_own_loss_and_the_right_gradient() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let words = [letters::word(rng), letters::word(rng)];
    let batch = words.map(|word| letters::example(&word, &word));
    let config = Config { layers: 1, d_v: 4, ..sizes(VOCABULARY) };
    let loss = |switches: Switches| {
        let rng = &mut ChaCha8Rng::seed_from_u64(2);
        let model: Ablated<Matrix> = Ablated::new(&config, switches, rng);
        let smoothing = switches.recipe(Experiment::recipe()).label_smoothing;
        let checked =
            check_gradient(&model, |model| model.loss(&batch, smoothing));
        checked.expect("the gradient is the slope");
        model.loss(&batch, smoothing)[0]
    };
    let plain = loss(Switches::default());
    for switch in Switch::ALL {
        let own = loss(one(switch));
        let of_training =
            matches!(switch, Switch::WarmUp | Switch::Rate | Switch::Seed);
        assert_eq!(own == plain, of_training, "{switch:?}: {own}, {plain}");
    }
}

#[test]
fn the_switches_of_the_training_change_its_steps() {
    let after = |switches| {
        let mut learning = Experiment::new(Task::Sort, 1, switches);
        learning.step().expect("a finite loss");
        bits(&learning.learner.model)
    };
    let plain = after(Switches::default());
    for switch in [Switch::WarmUp, Switch::Rate, Switch::Seed] {
        assert!(after(one(switch)) != plain, "{switch:?}");
    }
}

#[test]
fn a_switch_is_known_by_its_name() {
    for switch in Switch::ALL {
        assert_eq!(switch.names().0.parse(), Ok(switch));
        assert!(one(switch).has(switch));
        assert!(!Switches::default().has(switch));
    }
    let unknown: Result<Switch, UnknownSwitch> = "nothing".parse();
    let said = unknown.expect_err("no switch").to_string();
    assert!(said.starts_with("no switch nothing; there are embedding-scale"));
}

#[test]
fn a_switch_that_is_named_twice_is_thrown_once() {
    let twice: Switches = [Switch::Mask, Switch::Mask].into_iter().collect();
    assert_eq!(twice, one(Switch::Mask));
}

/// Also for the seed 0, and for all seeds of the page.
#[test]
fn another_rate_is_ten_times_the_rate_and_another_seed_is_not_among_ours() {
    let recipe = |seed| Recipe { seed, ..Experiment::recipe() };
    let fast = one(Switch::Rate).recipe(recipe(1));
    assert_eq!(fast.peak_lr, 10.0 * recipe(1).peak_lr);
    assert_eq!(fast.seed, 1);
    for seed in 0..=5 {
        let other = one(Switch::Seed).recipe(recipe(seed));
        assert!(!(0..=5).contains(&other.seed), "{}", other.seed);
        assert_eq!(Recipe { seed, ..other }, recipe(seed));
    }
}

/// By the page, which also says how many parameters this makes, and by the
/// log of the models that were trained.
#[test]
fn the_experiment_has_the_sizes_and_the_recipe_of_its_page() {
    let said =
        |name| said(include_str!("../../src/outputs/ablation.txt"), name);
    let Config { layers, d_model, heads, d_k, d_ff, .. } =
        Experiment::config();
    for (name, size) in [
        ("layers", layers),
        ("d_model", d_model),
        ("heads", heads),
        ("d_k", d_k),
        ("d_ff", d_ff),
    ] {
        assert_eq!(size as f64, said(name), "{name}");
    }
    let model: Transformer<Shape> =
        Transformer::new(&Experiment::config(), &mut Bill::default());
    assert_eq!(parameter_count(&model) as f64, said("parameters"));
    let recipe = Experiment::recipe();
    assert_eq!(recipe.batch_tokens as f64, said("batch"));
    assert_eq!(recipe.warmup as f64, said("warm-up"));
    assert_eq!(recipe.peak_lr, said("peak"));
    let made = format!("{HELD_OUT}\t{}", recipe.updates);
    let log = include_str!("../../src/logs/ablation-switches.tsv");
    for row in log.lines().skip(1) {
        assert!(row.contains(&made), "{row}");
    }
}

// What is computed

/// What its heads find is as wide as a row, so that W^O can be left out.
fn small(switches: Switches) -> Ablated<Matrix> {
    let config = Config { layers: 1, d_v: 4, ..sizes(11) };
    Ablated::new(&config, switches, &mut ChaCha8Rng::seed_from_u64(2))
}

/// What a model makes of two sentences.
fn decoded(model: &Ablated<Matrix>) -> Matrix {
    let sources: [&[Token]; 2] = [&[0, 1, 2, 9], &[3, 4, 9]];
    let targets: [&[Token]; 2] = [&[8, 5, 6, 7], &[8, 0]];
    model.decode(&targets, &model.encode(&sources))
}

#[test]
fn what_can_be_thrown_later_changes_the_rows_and_needs_no_parameters() {
    let plain = small(Switches::default());
    for switch in Switch::ALL {
        let thrown = Ablated { switches: one(switch), ..plain.clone() };
        let is_other = decoded(&thrown) != decoded(&plain);
        let own = parameter_count(&small(one(switch)));
        let same = own == parameter_count(&plain);
        let expected = is_other && same;
        assert_eq!(switch.can_be_thrown_later(), expected, "{switch:?}");
    }
}

/// The scores are as if the queries were √d_k times as long, and a single
/// head's d_k is that of both together.
#[test]
fn without_the_division_scores_are_larger_by_the_root_of_d_k() {
    let model = small(Switches::default());
    for (others, d_k) in [(vec![], 3.0_f64), (vec![Switch::OneHead], 6.0)] {
        let longer = model.map("", &mut |name, leaf| {
            let is_query = name.ends_with("w_q");
            leaf * if is_query { d_k.sqrt() } else { 1.0 }
        });
        let longer =
            Ablated { switches: others.iter().copied().collect(), ..longer };
        let all = others.into_iter().chain([Switch::KeyScale]);
        let switches = all.collect();
        let undivided = Ablated { switches, ..model.clone() };
        close(&decoded(&undivided), &decoded(&longer), 1e-12);
    }
}

/// This model ends some of them at once or in the middle, and not all.
#[test]
fn many_sentences_are_written_as_each_alone() {
    let sources: [Vec<Token>; 3] = [vec![5, 6, 7, 9], vec![3, 9], vec![9]];
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let model = Ablated::new(&sizes(11), Switches::default(), rng);
    let model = model.map("", &mut |_, leaf: &Matrix| leaf * 3.0);
    let (most, bos) = (6, 1);
    for (eos, lengths) in [(4, [6, 0, 0]), (5, [6, 2, 6]), (6, [0, 6, 6])] {
        let found = model.greedy(&sources, most, (bos, eos));
        let alone = sources.each_ref().map(|source| {
            let all = model.model.greedy(source, bos, eos);
            let mut all = all.expect("finite logits");
            all.truncate(most);
            all
        });
        assert_eq!(found, alone);
        assert_eq!(alone.map(|one| one.len()), lengths);
    }
}

// The experiment

/// The first lessons of a seed, until they have the tokens of a batch.
#[test]
fn a_batch_ends_as_soon_as_it_has_its_tokens() {
    let (rng, tokenizer) =
        (&mut generator(1, Stream::Data), Tokenizer::default());
    let lessons = [(); 2].map(|()| {
        let (text, answer) = Task::Reverse.example(rng);
        Example::new(&text, &answer, &tokenizer)
    });
    let [one, two] = lessons.each_ref().map(Example::target_tokens);
    for (batch_tokens, count) in [(one, 1), (one + 1, 2), (one + two, 2)] {
        let recipe = Recipe { batch_tokens, ..Experiment::recipe() };
        let (config, none) = (Experiment::config(), Switches::default());
        let mut own = Learner::new(&config, recipe.clone(), none);
        let mut whole =
            Experiment::with(Task::Reverse, &config, recipe, none);
        assert_eq!(whole.step(), own.update(&lessons[..count]));
    }
}

/// Its last norm makes the row of *x* of every row, so it writes *x* as often
/// as it may: once for each letter of the longest text and for the end.
fn always_x() -> Experiment {
    let mut all = Experiment::new(Task::Reverse, 1, Switches::default());
    let Transformer { embedding, decoder, .. } = &mut all.learner.model.model;
    let norm = &mut decoder.layers[1].feed_forward_norm;
    norm.gain.fill(0.0);
    norm.bias = embedding.embed(&Tokenizer::default().encode("x"));
    all
}

#[test]
fn it_writes_at_most_as_many_tokens_as_the_longest_text_has() {
    let learning = always_x();
    assert_eq!(learning.write("ab"), "xxx");
    assert_eq!(learning.write_all(&["ab", "abcd", ""]), ["xxxxx"; 3]);
}

#[test]
fn right_is_what_is_written_exactly_so() {
    let texts = [("ab", "xxx"), ("cd", "xx"), ("ef", "xxx")];
    let mut learning = always_x();
    learning.held_out = texts.map(|(a, b)| (a.into(), b.into())).to_vec();
    assert_eq!(learning.right(), 2);
}

/// Before every token the model has the same logits.
#[test]
fn the_held_out_loss_is_the_mean_surprise_without_smoothing() {
    let mut learning = always_x();
    learning.held_out =
        vec![("ab".into(), "xx".into()), ("c".into(), "b".into())];
    let Transformer { embedding, decoder, .. } =
        &learning.learner.model.model;
    let row = &decoder.layers[1].feed_forward_norm.bias;
    let logits = (row * embedding.table.transpose()).map(f64::from);
    let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
    let tokenizer = Tokenizer::default();
    let answers = ["xx", "b"].map(|text| tokenizer.encode_source(text));
    let answers = answers.concat();
    let own = answers.iter().map(|&token| sum.ln() - logits[token as usize]);
    let mean = own.sum::<f64>() / answers.len() as f64;
    let found = learning.held_out_loss();
    assert!((found - mean).abs() < 1e-4, "{found} and {mean}");
}

/// The held-out texts are never shown.
#[test]
fn it_learns_to_reverse_and_not_without_positions() {
    let right = |switches| {
        let mut learning = Experiment::new(Task::Reverse, 1, switches);
        for _ in 0..300 {
            learning.step().expect("a finite loss");
        }
        learning.right()
    };
    let (plain, without) =
        (right(Switches::default()), right(one(Switch::Positions)));
    assert!(plain > 350, "{plain} of 500");
    assert!(without < 50, "{without} of 500");
}

/// The month is written in letters. Day and year are digits, whose order is
/// lost.
#[test]
fn without_positions_months_are_right_and_digits_change_places() {
    let mut learning =
        Experiment::new(Task::Dates, 1, one(Switch::Positions));
    for _ in 0..500 {
        learning.step().expect("a finite loss");
    }
    let held_out = &learning.held_out[..200];
    let texts: Vec<_> = held_out.iter().map(|(text, _)| &**text).collect();
    let written = learning.write_all(&texts);
    let answers = held_out.iter().map(|(_, answer)| answer);
    let wrong: Vec<_> =
        written.iter().zip(answers).filter(|(a, b)| a != b).collect();
    let month = |date: &str| date.get(5..7).map(str::to_owned);
    let digits = |date: &str| {
        let mut digits: Vec<char> = date.chars().collect();
        digits.sort_unstable();
        digits
    };
    let count = |alike: &dyn Fn(&str, &str) -> bool| {
        wrong.iter().filter(|(a, b)| alike(a, b)).count()
    };
    let months = count(&|a, b| month(a) == month(b));
    let mixed = count(&|a, b| digits(a) == digits(b));
    assert!(wrong.len() > 100, "{} dates are wrong", wrong.len());
    assert!(10 * months > 9 * wrong.len(), "{months} months are right");
    assert!(2 * mixed > wrong.len(), "{mixed} have the right digits");
}
