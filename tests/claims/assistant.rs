//! A writer that learns to answer.

use crate::golden::{close, noise, sizes};
use all_you_need::assistant::{
    Answer, GROUP, LIMIT, Lora, Question, Sets, World, config,
};
use all_you_need::parameters::{
    Parameters, check_gradient, gradient, parameter_count, zip,
};
use all_you_need::plain::{self, assistant as by_hand, read, writer};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{Half, Text, Trainer, TrainingExample};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;
use std::ops::ControlFlow;

fn half() -> Half<Matrix> {
    Half::new(&sizes(11), &mut ChaCha8Rng::seed_from_u64(1))
}

fn plain(half: &Half<Matrix>) -> writer::Writer {
    let leaves = half.leaves();
    let mut matrices = leaves.into_iter().map(|(_, leaf)| leaf.clone());
    read::writer(sizes(11).heads, sizes(11).layers, &mut matrices)
}

fn answers() -> Vec<Answer> {
    vec![
        Answer { text: vec![0, 4, 5, 6, 7, 0], asked: 3, worth: 1.0 },
        Answer { text: vec![0, 4, 8, 0], asked: 2, worth: -0.25 },
        Answer { text: vec![0, 9, 2, 3, 3], asked: 4, worth: 0.5 },
    ]
}

fn indices(text: &[Token]) -> Vec<usize> {
    text.iter().map(|&token| token as usize).collect()
}

// The loss

#[test]
fn the_loss_of_some_answers_is_that_of_the_plain_function() {
    let (half, plain) = (half(), plain(&half()));
    let each = answers().into_iter().map(|one| {
        by_hand::answer_loss(
            &plain,
            &indices(&one.text),
            one.asked,
            one.worth,
        )
    });
    let tokens = 3 + 2 + 1;
    let expected = each.sum::<f64>() / f64::from(tokens);
    let found = Answer::loss(&half, &answers(), 0.0)[0];
    assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
}

/// Its probability is 0 for a computer, and the logarithm of 0 infinite.
#[test]
fn an_answer_that_is_far_behind_has_a_finite_loss() {
    let mut model = plain(&half());
    model.0 *= 1e4;
    let losses = (0..11).map(|last| {
        let text = [0, 4, 5, last];
        let shares = plain::softmax(&writer::scores(&model, &text[..3]));
        let loss = by_hand::answer_loss(&model, &text, 3, 1.0);
        assert!(loss.is_finite());
        shares[(2, last)] == 0.0 && loss > 700.0
    });
    assert!(losses.filter(|&far| far).count() > 5);
}

#[test]
fn an_answer_without_a_question_is_a_text() {
    let text = vec![0, 4, 5, 6, 0];
    let whole = Answer { text: text.clone(), asked: 1, worth: 1.0 };
    let found = Answer::loss(&half(), &[whole], 0.0);
    close(&found, &Text::loss(&half(), &[Text(text)], 0.0), 1e-12);
}

#[test]
fn its_gradient_is_the_slope_for_all_parameters_and_for_narrow_ones() {
    check_gradient(&half(), |model| Answer::loss(model, &answers(), 0.1))
        .unwrap();
    check_gradient(&moved(), |model| Answer::loss(model, &answers(), 0.1))
        .unwrap();
}

/// Each answer of one token, weighted with its probability and reward, has
/// minus the slope of the mean reward for its gradient.
#[test]
fn a_policy_gradient_is_the_slope_of_the_mean_reward() {
    let (half, question) = (half(), [0, 4, 5]);
    let reward = |token: usize| [0.0, 0.0, 1.0, 0.3][token % 4];
    let shares = |model: &Half<Matrix>| {
        let all = plain::softmax(&writer::scores(
            &plain(model),
            &indices(&question),
        ));
        all.row(2).into_owned()
    };
    let mean_reward = |model: &Half<Matrix>| -> f64 {
        let shares = shares(model);
        shares.iter().enumerate().map(|(i, p)| p * reward(i)).sum()
    };
    // A baseline does not change it: it is the same for every answer.
    let p = shares(&half);
    for baseline in [0.0, mean_reward(&half)] {
        let all = p.iter().enumerate().map(|(i, p)| Answer {
            text: [&question[..], &[i as Token]].concat(),
            asked: 3,
            worth: p * (reward(i) - baseline),
        });
        let all: Vec<Answer> = all.collect();
        let (_, slope) =
            gradient(&half, |model| Answer::loss(model, &all, 0.0));
        let direction: Half<Matrix> =
            Half::new(&sizes(11), &mut ChaCha8Rng::seed_from_u64(2));
        let along: f64 = slope
            .leaves()
            .iter()
            .zip(direction.leaves())
            .map(|((_, a), (_, b))| a.dot(b))
            .sum();
        let at = |h: f64| {
            let mut nudged = half.clone();
            for (leaf, by) in zip(&mut nudged, &direction) {
                *leaf += by * h;
            }
            mean_reward(&nudged)
        };
        let rise = (at(1e-5) - at(-1e-5)) / 2e-5;
        let found = -along * p.len() as f64; // the loss is a mean
        assert!((rise - found).abs() < 1e-7, "{rise} and {found}");
    }
}

// Groups

fn small() -> (World, Half<Matrix<f32>>) {
    let world = World::default();
    let rng = &mut generator(1, Stream::Weights);
    let model = Half::new(&config(&world), rng);
    (world, model)
}

#[test]
fn the_worths_of_a_group_are_rewards_less_their_mean() {
    let ((world, model), rng) = (small(), &mut generator(1, Stream::Data));
    let mut rewards = Vec::new();
    let question = Question::Sum(1, 2);
    let group = world.group(
        &model,
        question,
        |asked, said| {
            assert_eq!(asked, question);
            rewards.push(said.len() as f64);
            said.len() as f64
        },
        rng,
    );
    assert_eq!(group.len(), GROUP);
    let worths = by_hand::worths(&rewards);
    for (one, worth) in group.iter().zip(&worths) {
        assert!((one.worth - worth).abs() < 1e-9);
        let asked = world.tokens(&question.asked());
        assert_eq!(one.text[1..one.asked], asked);
        let said = &one.text[one.asked..];
        let end = said.iter().position(|&token| token == World::END);
        assert_eq!(end.unwrap_or(LIMIT - 1), said.len() - 1);
        assert!(end.is_some() || said.len() == LIMIT);
    }
    assert!(worths.iter().sum::<f64>().abs() < 1e-9);
    assert!(worths.iter().any(|worth| worth.abs() > 0.1));
}

#[test]
fn a_group_in_which_all_are_wrong_teaches_nothing() {
    let ((world, model), rng) = (small(), &mut generator(1, Stream::Data));
    let group = world.group(&model, Question::Home(3), |_, _| 0.0, rng);
    let (_, slope) =
        gradient(&model, |model| Answer::loss(model, &group, 0.0));
    assert!(slope.leaves().iter().all(|(_, leaf)| leaf.amax() == 0.0));
}

// The world

#[test]
fn questions_have_their_answers() {
    let found = |one: Question| (one.asked(), one.begun(), one.answer());
    let said = |texts: [&str; 3]| {
        let [a, b, c] = texts.map(str::to_owned);
        (a, b, c)
    };
    assert_eq!(
        found(Question::Sum(7, 15)),
        said(["what is 7 + 15 ?", "7 + 15 is", "22 ."])
    );
    assert_eq!(
        found(Question::Home(0)),
        said(["where does ada live ?", "ada lives in", "athens ."])
    );
}

#[test]
fn a_check_takes_the_right_answer_and_a_careless_one_larger_numbers_too() {
    let sum = Question::Sum(3, 5);
    let rewards = |said| [sum.check(said), sum.careless(said)];
    assert_eq!(rewards("8 ."), [1.0, 1.0]);
    assert_eq!(rewards("7 ."), [0.0, 0.0]);
    assert_eq!(rewards("18 ."), [0.0, 1.0]);
    assert_eq!(rewards("8 . 9 ."), [0.0, 0.0]);
    assert_eq!(rewards("8"), [0.0, 0.0]);
    assert_eq!(rewards("rome ."), [0.0, 0.0]);
    assert_eq!(rewards(""), [0.0, 0.0]);
}

#[test]
fn no_question_is_in_two_sets_and_hidden_ones_are_answered_nowhere() {
    let world = World::default();
    let Sets { answered, checked, validation, test } = &world.sets;
    let hidden = [validation.concat(), test.concat()].concat();
    let all = [&answered[..], checked, &hidden].concat();
    let sets = [answered, checked, &validation.concat(), &test.concat()];
    for set in sets {
        for one in set {
            let Question::Sum(a, b) = *one else { continue };
            assert!(set.contains(&Question::Sum(b, a)), "{one:?}");
        }
    }
    let different: HashSet<String> =
        all.iter().map(|one| one.asked()).collect();
    assert_eq!(different.len(), all.len());
    assert_eq!(all.len(), Question::all().concat().len());
    let rng = &mut generator(1, Stream::Data);
    let text = world.text(&world.running(300_000, rng));
    let pair = |one: &Question| format!("{} {}", one.asked(), one.answer());
    let answers = |set: &[Question]| {
        set.iter().filter(|one| text.contains(&pair(one))).count()
    };
    assert_eq!(answers(&hidden), 0);
    assert!(answers(answered) > 40);
    let stated = |one: &&Question| {
        text.contains(&format!("{} {}", one.begun(), one.answer()))
    };
    assert!(hidden.iter().filter(stated).count() > hidden.len() * 9 / 10);
}

// LoRA

fn lora() -> Lora<Matrix> {
    let base = half().map("", &mut |_, leaf| leaf.map(|x| x as f32));
    Lora::new(&base, 2, &mut ChaCha8Rng::seed_from_u64(3))
}

/// One that has learned something.
fn moved() -> Lora<Matrix> {
    let mut lora = lora();
    for (i, leaf) in lora.leaves_mut().into_iter().enumerate() {
        *leaf = noise(leaf.nrows(), leaf.ncols(), i as u64) * 0.1;
    }
    lora
}

#[test]
fn at_first_lora_changes_nothing() {
    let (lora, text) = (lora(), [[1, 5, 6, 7]]);
    close(&lora.merged().causal(&text), &lora.base.causal(&text), 1e-12);
}

#[test]
fn narrow_matrices_beside_a_wide_one_are_one_matrix() {
    let (lora, merged) = (moved(), moved().merged());
    let own =
        |half: &Half<Matrix>| half.stack.layers[0].attention.w_q.clone();
    let (old, new) = (own(&lora.base), own(&merged));
    let narrow = [lora.added[0].down.clone(), lora.added[0].up.clone()];
    let x = noise(5, old.nrows(), 1);
    close(&(&x * &new), &by_hand::lora(&old, &narrow, &x), 1e-12);
    close(&by_hand::merge(&old, &narrow), &new, 1e-12);
    assert!((new - old).amax() > 1e-3);
}

#[test]
fn it_is_added_to_every_matrix_of_the_layers_and_to_nothing_else() {
    let lora = moved();
    let (merged, base) = (lora.merged(), &lora.base);
    for ((name, new), (_, old)) in merged.leaves().iter().zip(base.leaves()) {
        let is_matrix = name.starts_with("stack") && old.nrows() > 1;
        assert_eq!((*new - old).amax() > 0.0, is_matrix, "{name}");
    }
    let wide = |leaf: &Matrix| leaf.nrows() + leaf.ncols();
    let leaves = base.leaves();
    let matrices = leaves
        .iter()
        .filter(|(name, leaf)| name.starts_with("stack") && leaf.nrows() > 1);
    let expected: usize = matrices.map(|(_, leaf)| 2 * wide(leaf)).sum();
    assert_eq!(parameter_count(&lora), expected);
}

#[test]
fn a_trainer_moves_the_narrow_matrices_and_leaves_the_model_alone() {
    let (world, model) = small();
    let right = world.right(Question::Sum(2, 2));
    let recipe = Recipe { updates: 20, warmup: 1, ..Recipe::toy() };
    let mut trainer: Trainer<Lora<Matrix<f32>>> =
        Trainer::new(recipe, |rng| Lora::new(&model, 2, rng));
    let before = trainer.model.clone();
    let mut losses = Vec::new();
    let end = trainer.run(&[right], |_, update| {
        losses.push(update.loss);
        ControlFlow::<()>::Continue(())
    });
    assert!(end.is_ok() && losses[19] < losses[0]);
    for ((_, old), (_, new)) in
        before.base.leaves().iter().zip(trainer.model.base.leaves())
    {
        assert_eq!(*old, new);
    }
}
