use all_you_need::ablation::{
    Ablated, Experiment, Learner, Switch, Switches, UnknownSwitch,
};
use all_you_need::attention::Mask;
use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, check_gradient};
use all_you_need::tasks::Task;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Tokenizer;
use all_you_need::training::{Example, Recipe, Stream, Training, generator};
use all_you_need::translation::AttentionMaps;
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::letters::{self, VOCABULARY};
use crate::golden::sizes;

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
