//! The translator from before 2017.

use all_you_need::Trainer;
use all_you_need::nalgebra::dmatrix;
use all_you_need::parameters::check_gradient;
use all_you_need::rival::{Gru, RecurrentOps, Rival};
use all_you_need::search::{Beam, Hypothesis};
use all_you_need::tasks::Task;
use all_you_need::tensor::Matrix;
use all_you_need::tokens::{Token, Tokenizer};
use all_you_need::training::{Example, Recipe, Stream, generator};
use all_you_need::transformer::Transformer;
use all_you_need::translation::examples;
use all_you_need::writer::TrainingExample;
use std::ops::ControlFlow::Continue;

fn small(vocabulary: usize) -> Rival<Matrix> {
    Rival::new(vocabulary, 4, &mut generator(1, Stream::Weights))
}

/// Texts of different lengths, the longest neither first nor last.
const SOURCES: [&[Token]; 3] = [&[5, 6, 9], &[7, 8, 5, 6, 9], &[9]];
const TARGETS: [&[Token]; 3] = [&[1, 6, 2], &[1, 8, 2], &[1, 5, 7, 8, 2]];

#[test]
fn its_gradient_is_the_slope_of_its_loss() {
    let checked = check_gradient(&small(10), |model| {
        model.loss(&SOURCES, &TARGETS, 0.1)
    });
    checked.unwrap();
}

#[test]
fn a_mixture_is_a_softmax_of_each_sentence() {
    let values: Matrix = dmatrix![1.0, 0.0; 3.0, 4.0; 5.0, 6.0];
    let scores = dmatrix![0.0; 3f64.ln(); 9.0];
    let mixed = values.mixture(&scores, &[2, 1]);
    assert!((mixed - dmatrix![2.5, 3.0; 5.0, 6.0]).amax() < 1e-12);
}

#[test]
fn scores_may_be_larger_than_an_exponential_can_bear() {
    let values: Matrix = dmatrix![1.0; 3.0];
    let mixed = values.mixture(&dmatrix![1000.0; 1000.0 + 3f64.ln()], &[2]);
    assert!((mixed[0] - 2.5).abs() < 1e-10, "{mixed}");
}

#[test]
fn a_gate_and_a_hyperbolic_tangent_are_those_of_their_formulas() {
    let x: Matrix = dmatrix![-40.0, -1.5, 0.0, 0.25, 3.0, 40.0];
    let gate = x.map(|x| 1.0 / (1.0 + (-x).exp()));
    assert!((x.sigmoid() - gate).amax() < 1e-12);
    assert!((RecurrentOps::tanh(&x) - x.map(f64::tanh)).amax() < 1e-12);
}

/// A unit of one number: what it keeps, and what is new.
#[test]
fn a_step_of_the_unit_by_hand() {
    let mut unit: Gru<Matrix> =
        Gru::new(1, 1, &mut generator(1, Stream::Weights));
    unit.state = dmatrix![0.5, -1.0, 2.0];
    let (h, [x_f, x_r, x_n]) = (0.75_f64, [0.25, 0.5, -1.0]);
    let gate = |x: f64| 1.0 / (1.0 + (-x).exp());
    let (keep, reset) = (gate(x_f + 0.5 * h), gate(x_r - h));
    let new = (x_n + reset * 2.0 * h).tanh();
    let found = unit.step(&dmatrix![x_f, x_r, x_n], &dmatrix![h])[0];
    let expected = keep * h + (1.0 - keep) * new;
    assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
}

/// Step by step, it finds sentences as probable as training takes them to be.
#[test]
fn what_a_search_finds_has_the_probability_of_its_loss() {
    let model = small(10);
    let beam = Beam { n_best: 2, ..Beam::paper(1, 2) };
    let found = model.search(&SOURCES, &beam).unwrap();
    assert_eq!(found.len(), SOURCES.len());
    for (source, found) in SOURCES.into_iter().zip(found) {
        assert_eq!(found.len(), 2);
        for Hypothesis { tokens, log_probability, .. } in found {
            let target = [&[1], &tokens[..], &[2]].concat();
            let answers = target.len() as f64 - 1.0;
            let loss = model.loss(&[source], &[&target], 0.0)[0];
            let nats = loss * answers;
            assert!((log_probability + nats).abs() < 1e-10, "{target:?}");
        }
    }
}

#[test]
fn a_sentence_does_not_see_what_it_is_learned_with() {
    let model = small(10);
    let each = SOURCES.iter().zip(TARGETS).map(|(&source, target)| {
        let answers = target.len() as f64 - 1.0;
        model.loss(&[source], &[target], 0.0)[0] * answers
    });
    let answers: usize = TARGETS.iter().map(|target| target.len() - 1).sum();
    let alone = each.sum::<f64>() / answers as f64;
    let together = model.loss(&SOURCES, &TARGETS, 0.0)[0];
    assert!((alone - together).abs() < 1e-12);
}

#[test]
fn the_reader_of_the_first_word_knows_the_last_one() {
    let model = small(10);
    let start =
        |last| model.encode(&[[5, 6, 7, last]]).values.row(0).into_owned();
    let change = start(8) - start(9);
    let (forward, backward) = (change.columns(0, 4), change.columns(4, 4));
    assert!(forward.amax() == 0.0 && backward.amax() > 0.0);
}

#[test]
fn both_translators_are_asked_for_the_same_tokens() {
    fn answers<M>(example: &Example) -> usize
    where
        Example: TrainingExample<M, Matrix>,
    {
        TrainingExample::<M, Matrix>::answers(example)
    }
    let example = Example::new("stop", "pots", &Tokenizer::default());
    assert_eq!(answers::<Rival<Matrix>>(&example), 5); // with the end
    assert_eq!(answers::<Transformer<Matrix>>(&example), 5);
}

#[test]
fn it_learns_to_write_backwards() {
    let tokenizer = Tokenizer::default();
    let rng = &mut generator(1, Stream::Data);
    let mut draw = |n| {
        let texts = (0..n).map(|_| Task::Reverse.example(rng));
        examples(&texts.collect::<Vec<_>>(), &tokenizer).unwrap()
    };
    let (training, others) = (draw(2000), draw(20));
    let recipe = Recipe { peak_lr: 0.01, updates: 200, ..Recipe::toy() };
    let mut learning: Trainer<Rival<Matrix<f32>>> =
        Trainer::new(recipe, |rng| {
            Rival::new(tokenizer.vocabulary(), 32, rng)
        });
    let _ = learning.run(&training, |_, _| Continue::<()>(())).unwrap();
    let sources: Vec<&[Token]> =
        others.iter().map(|e| &e.source[..]).collect();
    let beam = Beam::paper(tokenizer.bos(), tokenizer.eos());
    let found = learning.model.search(&sources, &beam).unwrap();
    let right = found.iter().zip(&others).filter(|(found, example)| {
        found[0].tokens[..] == example.target[1..example.target.len() - 1]
    });
    assert!(right.count() >= 18);
}
