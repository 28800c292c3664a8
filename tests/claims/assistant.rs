//! A writer that learns to answer.

use crate::golden::{close, noise, said, sizes};
use all_you_need::assistant::{
    Answer, GROUP, LIMIT, Lora, Question, Sets, World, adapting, config,
    reading, trying, tuning,
};
use all_you_need::costs::{Bill, Shape};
use all_you_need::parameters::{
    Parameters, check_gradient, gradient, parameter_count, zip,
};
use all_you_need::plain::{self, assistant as by_hand, read, writer};
use all_you_need::search::Sampling;
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

fn answers() -> [Answer; 3] {
    [
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
fn the_tokens_of_an_answer_are_those_after_the_question() {
    let counts = answers().map(|one| {
        [
            TrainingExample::<Half<Matrix>, Matrix>::answers(&one),
            TrainingExample::<Lora<Matrix>, Matrix>::answers(&one),
        ]
    });
    assert_eq!(counts, [[3, 3], [2, 2], [1, 1]]);
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
fn a_right_answer_is_between_two_ends() {
    let world = World::default();
    let Answer { text, asked, worth } = world.right(Question::Sum(3, 5));
    assert_eq!(world.text(&text), "¶ what is 3 + 5 ? 8 . ¶");
    assert_eq!(world.text(&text[asked..]), "8 . ¶");
    assert_eq!(worth, 1.0);
}

#[test]
fn an_answer_of_as_many_tokens_as_it_may_have_is_cut_off_without_an_end() {
    let ((world, model), rng) = (small(), &mut generator(1, Stream::Data));
    let group = world.group(&model, Question::Home(3), |_, _| 0.0, rng);
    let said = group.iter().map(|one| &one.text[one.asked..]);
    let cut = said.filter(|said| !said.contains(&World::END));
    let lengths: Vec<usize> = cut.map(<[_]>::len).collect();
    assert!(!lengths.is_empty());
    assert!(lengths.iter().all(|&length| length == LIMIT), "{lengths:?}");
}

#[test]
fn what_goes_on_begins_after_an_end_whatever_the_sampling_says() {
    let (world, model) = small();
    for (seed, text) in (1..).zip(["", "ada lives in", "what is 3 + 5 ?"]) {
        let said = |bos| {
            let sampling = Sampling { bos, ..World::sampling() };
            let rng = &mut generator(seed, Stream::Data);
            world.continued(&model, text, 20, &sampling, rng)
        };
        assert_eq!(said(World::END), said(7));
    }
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

#[test]
fn a_text_ends_with_the_paragraph_that_makes_it_long_enough() {
    let world = World::default();
    let running =
        |tokens| world.running(tokens, &mut generator(1, Stream::Data));
    assert_eq!(running(0), [World::END]);
    let one = running(2);
    let ends = one.iter().filter(|&&token| token == World::END);
    assert_eq!(ends.count(), 2);
    assert_eq!(running(one.len()), one);
    assert!(running(one.len() + 1).len() > one.len() + 1);
}

/// By the page seven paragraphs in ten state facts, a quarter only ask, and
/// one in twenty asks and answers.
#[test]
fn most_paragraphs_state_some_only_ask_and_few_do_both() {
    let world = World::default();
    let running = world.running(60_000, &mut generator(1, Stream::Data));
    let [mut states, mut asks, mut both, mut all] = [0.0_f64; 4];
    for paragraph in running.split(|&token| token == World::END) {
        let text = world.text(paragraph);
        match (text.contains('.'), text.contains('?')) {
            (true, false) => states += 1.0,
            (false, true) => asks += 1.0,
            (true, true) => both += 1.0,
            (false, false) => continue, // before the first and after the last
        }
        all += 1.0;
    }
    let shares = [states / all, asks / all, both / all];
    for (share, expected) in shares.into_iter().zip([0.7, 0.25, 0.05]) {
        assert!((share - expected).abs() < 0.04, "{shares:?}");
    }
}

// The recipes

#[test]
fn the_writer_has_the_size_of_its_page() {
    let world = World::default();
    let model: Half<Shape> = Half::new(&config(&world), &mut Bill::default());
    let count = parameter_count(&model) as f64;
    assert_eq!(count, page("all parameters"));
    assert_eq!((config(&world).layers, config(&world).d_model), (2, 64));
    assert_eq!(config(&world).heads, 4); // As in the chapters before.
}

fn page(name: &str) -> f64 {
    said(include_str!("../../src/outputs/assistant.txt"), name)
}

/// By the page, but for what it does not say: the rate, and that nothing is
/// smoothed. One part is for one core, as the log's script says.
#[test]
fn the_writer_reads_the_tokens_of_the_page() {
    let recipe = reading(5);
    assert_eq!(recipe.batch_tokens, 1024);
    let read = recipe.batch_tokens * recipe.updates;
    assert_eq!(read as f64, page("tokens read"));
    assert_eq!((recipe.parts, recipe.warmup), (1, 100));
    assert_eq!((recipe.peak_lr, recipe.label_smoothing), (0.006, 0.0));
    assert_eq!(recipe.seed, 5);
}

/// Answers to as many questions, and as many updates, as the page and the log
/// say. The short warm-ups are told nowhere.
#[test]
fn it_learns_from_as_many_answers_as_the_page_says() {
    let (world, tuning, trying) = (World::default(), tuning(5), trying(5));
    let answered = world.sets.answered.iter();
    let tokens: usize = answered
        .map(|&one| world.right(one).text.len() - world.right(one).asked)
        .sum();
    let read = tuning.batch_tokens * tuning.updates;
    assert_eq!(tuning.updates as f64, page("updates of fine-tuning"));
    let times = read as f64 / tokens as f64;
    assert_eq!(times.round(), page("each pair is read"));
    assert_eq!(trying.updates as f64, page("updates"));
    let log = include_str!("../../src/logs/assistant-steps.tsv");
    let last = log.lines().last().and_then(|row| row.split('\t').nth(2));
    assert_eq!(last, Some(&*trying.updates.to_string()));
    assert_eq!((tuning.warmup, trying.warmup), (20, 10));
    assert_eq!((tuning.seed, adapting(5).seed, trying.seed), (5, 5, 5));
}

/// By the mean of sums, sums stated and homes, on the validation questions.
#[test]
fn the_rates_are_the_best_of_the_log() {
    let log = include_str!("../../src/logs/assistant-rates.tsv");
    let rows = log.lines().skip(1).map(|row| row.split('\t'));
    let rows: Vec<Vec<&str>> = rows.map(Iterator::collect).collect();
    let number = |cell: &str| -> f64 { cell.parse().expect("a number") };
    for (stage, recipe) in
        [("tuned", tuning(1)), ("lora", adapting(1)), ("checked", trying(1))]
    {
        let own = rows.iter().filter(|row| row[1] == stage);
        let own: Vec<_> = own.collect();
        let score = |rate: f64| -> f64 {
            let of_rate = own.iter().filter(|row| number(row[2]) == rate);
            let cells = of_rate.flat_map(|row| &row[4..=6]);
            cells.map(|cell| number(cell)).sum()
        };
        let rates = own.iter().map(|row| number(row[2]));
        let best = rates.max_by(|&a, &b| score(a).total_cmp(&score(b)));
        assert_eq!(best, Some(recipe.peak_lr), "{stage}");
    }
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
