use crate::golden::{close, largest, noise, said, sizes};
use all_you_need::attention::Mask;
use all_you_need::classifier::{
    Classifier, HELD_OUT, Kind, Labelled, Review,
};
use all_you_need::classifier::{Reviews, accuracy, config, means};
use all_you_need::classifier::{recipe, unzip, vocabulary};
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::{Parameters, gradient, parameter_count};
use all_you_need::tensor::{Matrix, Tensor};
use all_you_need::tokens::{Token, words};
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{Half, Trainer, TrainingExample, mean_loss};
use nalgebra::dmatrix;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashSet;
use std::ops::ControlFlow;

fn classifier(layers: usize, classes: usize) -> Classifier<Matrix> {
    let sizes = Config { layers, ..sizes(11) };
    Classifier::new(&sizes, classes, &mut ChaCha8Rng::seed_from_u64(1))
}

fn examples() -> Vec<Labelled> {
    let texts = [&[1, 2, 3][..], &[4, 5], &[3, 2, 1, 6]];
    let each = texts.iter().zip([2, 0, 1]);
    each.map(|(text, class)| Labelled { text: text.to_vec(), class })
        .collect()
}

// The grammar

fn drawn(kind: Kind, count: usize) -> Vec<Review> {
    let rng = &mut generator(7, Stream::Data);
    (0..count).flat_map(|_| kind.draw(rng)).collect()
}

/// Cuts the text at its comma, and judges the clause that decides.
fn judged(text: &str) -> bool {
    let main = match text.split_once(" , ") {
        None => text,
        Some((_, second)) if second.starts_with("but ") => second,
        Some((first, second)) if first.contains("though ") => second,
        Some((first, _)) => first,
    };
    let praises = [
        "good", "great", "fine", "clever", "moving", "lively", "funny",
        "fresh",
    ];
    let last = main.split(' ').next_back().unwrap();
    praises.contains(&last) != main.contains(" not ")
}

#[test]
fn the_verdicts_are_those_of_another_judge() {
    assert!(judged("the film was not bad , though the ending was not good"));
    assert!(!judged("although the film was good , the plot was not fine"));
    assert!(judged("the film was dull , but the music was so funny"));
    for kind in Kind::ALL {
        for Review { text, good } in drawn(kind, 500) {
            assert_eq!(judged(&text), good, "{text}");
        }
    }
}

#[test]
fn each_kind_is_what_it_says() {
    let clauses = |text: &str| text.matches(" was ").count();
    for Review { text, .. } in drawn(Kind::Plain, 200) {
        assert!(clauses(&text) == 1 && !text.contains(" not "), "{text}");
    }
    for Review { text, .. } in drawn(Kind::Negated, 200) {
        assert!(clauses(&text) == 1 && text.contains(" not "), "{text}");
    }
    for Review { text, .. } in drawn(Kind::Double, 200) {
        assert!(clauses(&text) == 2 && text.contains(" , "), "{text}");
    }
}

#[test]
fn the_two_of_a_pair_have_the_same_words_and_opposite_verdicts() {
    for pair in drawn(Kind::Pair, 200).chunks(2) {
        let [one, other] = pair else { panic!("a pair") };
        let [mut a, mut b] = [one, other].map(|review| words(&review.text));
        assert_ne!(a, b);
        a.sort();
        b.sort();
        assert_eq!(a, b);
        assert_ne!(one.good, other.good);
    }
}

#[test]
fn every_word_of_a_review_is_in_the_vocabulary_and_no_more() {
    let (vocabulary, mut seen) = (vocabulary(), HashSet::new());
    for review in drawn(Kind::Double, 2000) {
        let Labelled { text, class } = review.label(&vocabulary);
        assert_eq!(vocabulary.decode(&text).join(" "), review.text);
        assert_eq!(class, Token::from(review.good));
        seen.extend(text);
    }
    assert_eq!(seen.len(), vocabulary.len());
}

#[test]
#[should_panic = "a review of words from the vocabulary"]
fn a_word_that_is_not_in_the_vocabulary_is_refused() {
    let review = Review { text: "the film was long".into(), good: false };
    let _ = review.label(&vocabulary());
}

#[test]
fn no_review_is_in_two_sets_or_twice_in_one() {
    let Reviews { training, validation, test } = Reviews::new(1);
    let held_out: Vec<_> = validation.iter().chain(&test).collect();
    assert!(held_out.iter().all(|kind| kind.len() == HELD_OUT));
    let all = held_out.into_iter().flatten().chain(&training);
    let texts: HashSet<_> = all.map(|review| &review.text).collect();
    assert_eq!(texts.len(), 4400 + 8 * HELD_OUT);
}

#[test]
fn about_half_of_each_set_is_good() {
    let Reviews { training, test, .. } = Reviews::new(1);
    for set in test.iter().chain([&training]) {
        let good = set.iter().filter(|review| review.good).count();
        let share = good as f64 / set.len() as f64;
        assert!((0.4..0.6).contains(&share), "{share}");
    }
}

// The model

#[test]
fn the_mean_of_a_text_is_that_of_its_own_rows() {
    let rows = dmatrix![1.0, 2.0; 3.0, 6.0; 5.0, 5.0];
    let found = means(&rows, &[2, 1]);
    close(&found, &dmatrix![2.0, 4.0; 5.0, 5.0], 1e-12);
    let with_an_empty_text = means(&rows, &[2, 0, 1]);
    close(&with_an_empty_text.gather(&[1]), &Matrix::zeros(1, 2), 0.0);
}

#[test]
#[should_panic = "matmul: 2×4 times 3×2"]
fn texts_with_more_rows_than_there_are_have_no_means() {
    let _ = means(&noise(3, 2, 1), &[2, 2]);
}

#[test]
fn other_texts_in_the_pack_do_not_change_the_logits() {
    let (model, examples) = (classifier(2, 3), examples());
    let (texts, _) = unzip(&examples);
    let packed = model.logits(&texts);
    for (i, text) in texts.iter().enumerate() {
        close(&packed.gather(&[i]), &model.logits(&[text]), 1e-12);
    }
}

#[test]
fn the_loss_is_the_mean_surprise_at_the_right_class() {
    let (model, examples) = (classifier(2, 3), examples());
    let (texts, classes) = unzip(&examples);
    let logits = model.logits(&texts);
    let surprise = |(i, &class): (usize, &Token)| {
        let row = logits.row(i);
        let sum: f64 = row.iter().map(|z| z.exp()).sum();
        sum.ln() - row[class as usize]
    };
    let mean = classes.iter().enumerate().map(surprise).sum::<f64>() / 3.0;
    let loss: Matrix = Labelled::loss(&model, &examples, 0.0);
    close(&loss, &dmatrix![mean], 1e-12);
}

/// Against the quotient of differences, in every leaf.
#[test]
fn the_gradient_of_a_classifier_is_its_derivative() {
    let (model, examples) = (classifier(2, 3), examples());
    let (_, slopes) = gradient(&model, |model: &Classifier<_>| {
        Labelled::loss(model, &examples, 0.1)
    });
    let loss = |model: &Classifier<Matrix>| -> f64 {
        let loss: Matrix = Labelled::loss(model, &examples, 0.1);
        loss[0]
    };
    for (i, (name, slope)) in slopes.leaves().into_iter().enumerate() {
        let middle = slope.len() / 2;
        let nudged = |by: f64| {
            let mut model = model.clone();
            model.leaves_mut()[i][middle] += by;
            loss(&model)
        };
        let quotient = (nudged(1e-5) - nudged(-1e-5)) / 2e-5;
        let slope = slope[middle];
        assert!((slope - quotient).abs() < 1e-7, "{name} {slope} {quotient}");
    }
}

#[test]
fn a_class_that_does_not_exist_is_refused() {
    let wrong = [Labelled { text: vec![1, 2], class: 3 }];
    let loss =
        || -> Matrix { Labelled::loss(&classifier(1, 3), &wrong, 0.0) };
    let panic = std::panic::catch_unwind(loss).unwrap_err();
    let sentence = panic.downcast_ref::<String>().unwrap();
    assert_eq!(sentence, "cross_entropy: no token 3 among 3");
}

#[test]
fn a_classifier_is_a_half_and_one_linear_layer() {
    let sizes = config(38);
    let bill = &mut Bill::default();
    let half: Half<Shape> = Half::new(&sizes, bill);
    let model: Classifier<Shape> = Classifier::new(&sizes, 2, bill);
    let output = parameter_count(&model) - parameter_count(&half);
    assert_eq!(output, 64 * 2 + 2);
}

// Order

#[test]
fn without_layers_it_is_a_bag_of_words() {
    let text: [Token; 6] = [1, 2, 3, 4, 5, 2];
    let mut other = text;
    other.shuffle(&mut ChaCha8Rng::seed_from_u64(2));
    assert_ne!(text, other);
    for (layers, apart) in [(0, 0.0..1e-12), (2, 1e-3..f64::INFINITY)] {
        let model = classifier(layers, 2);
        let [one, other] = [text, other].map(|text| model.logits(&[text]));
        let found = largest(&(one - other));
        assert!(apart.contains(&found), "{layers} layers: {found}");
    }
}

#[test]
fn a_bag_of_words_is_right_about_half_of_each_pair() {
    let vocabulary = vocabulary();
    let pairs = drawn(Kind::Pair, 100);
    let pairs: Vec<_> = pairs.iter().map(|r| r.label(&vocabulary)).collect();
    let sizes = Config { layers: 0, ..config(vocabulary.len()) };
    for seed in 1..=3 {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let bag: Classifier<Matrix> = Classifier::new(&sizes, 2, rng);
        let (texts, classes) = unzip(&pairs);
        assert_eq!(accuracy(&bag.logits(&texts), &classes), 0.5);
    }
}

/// Attention without positions treats the rows alike, so their mean is the
/// same in any order.
#[test]
fn without_positions_the_order_changes_nothing() {
    let model = classifier(2, 2);
    let read = |text: &[Token]| {
        let rows = model.half.embedding.embed(text);
        let n = text.len();
        let rows = model.half.stack.forward(&rows, &Mask::none(n, n));
        model.output.forward(&means(&rows, &[n]))
    };
    let (text, other) = ([1, 2, 3, 4, 5, 2], [5, 2, 4, 1, 2, 3]);
    close(&read(&text), &read(&other), 1e-12);
    let with = [text, other].map(|text| model.logits(&[text]));
    assert!(largest(&(&with[0] - &with[1])) > 1e-3);
}

// Learning

#[test]
fn accuracy_counts_where_the_right_class_is_the_largest() {
    let logits = dmatrix![2.0, 1.0; 0.0, 3.0; 5.0, 4.0; 1.0, 2.0];
    assert_eq!(accuracy(&logits, &[0, 1, 1, 1]), 0.75);
    assert_eq!(accuracy(&logits, &[1, 0, 1, 0]), 0.0);
}

#[test]
#[should_panic = "2 rows of logits for 3 classes"]
fn accuracy_asks_for_a_class_for_each_row() {
    let _ = accuracy(&noise(2, 2, 1), &[0, 1, 1]);
}

#[test]
#[should_panic = "no rows, no accuracy"]
fn nothing_has_no_accuracy() {
    let _ = accuracy(&noise(0, 2, 1), &[]);
}

/// By the page and a log, but for what neither says: the rate, dropout and
/// smoothing. (The log ends at a loss that no smoothed one can have.)
#[test]
fn the_classifier_has_the_sizes_and_the_recipe_of_its_page() {
    let page = include_str!("../../src/outputs/classifier.txt");
    let said = |name| said(page, name);
    let sizes = config(vocabulary().len());
    assert_eq!(sizes.layers as f64, said("layers"));
    assert_eq!(sizes.heads as f64, said("heads"));
    assert_eq!(sizes.d_model as f64, said("d_model"));
    let model: Classifier<Shape> =
        Classifier::new(&sizes, 2, &mut Bill::default());
    assert_eq!(parameter_count(&model) as f64, said("parameters"));
    let recipe = recipe(5);
    assert_eq!(recipe.batch_tokens as f64, said("reviews in a batch"));
    let log = include_str!("../../src/logs/classifier-run-1.tsv");
    let last = log.lines().last().and_then(|row| row.split('\t').nth(1));
    assert_eq!(last, Some(&*recipe.updates.to_string()));
    assert_eq!((recipe.warmup, recipe.peak_lr), (100, 0.002));
    assert_eq!((recipe.dropout, recipe.label_smoothing), (0.1, 0.0));
    assert_eq!(recipe.seed, 5);
}

/// Two layers tell a pair apart by heart; without layers the loss can't fall
/// below that of a guess.
#[test]
fn a_pair_can_be_learned_with_layers_and_not_without() {
    let vocabulary = vocabulary();
    let pair = Kind::Pair.draw(&mut generator(3, Stream::Data));
    let pair: Vec<_> = pair.iter().map(|r| r.label(&vocabulary)).collect();
    let recipe = Recipe {
        batch_tokens: 2,
        parts: 1,
        updates: 60,
        warmup: 10,
        peak_lr: 0.003,
        label_smoothing: 0.0,
        ..Recipe::toy()
    };
    let learned = |layers| {
        let sizes = Config { layers, ..config(vocabulary.len()) };
        let mut learning: Trainer<Classifier<Matrix<f32>>> =
            Trainer::new(recipe.clone(), |rng| {
                Classifier::new(&sizes, 2, rng)
            });
        let run = learning.run(&pair, |_, _| ControlFlow::<()>::Continue(()));
        assert!(run.is_ok());
        mean_loss(&learning.model, &pair)
    };
    assert!(learned(2) < 0.1, "{}", learned(2));
    assert!(learned(0) > 2f64.ln() - 1e-3, "{}", learned(0));
}
