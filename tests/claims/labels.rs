//! What is claimed of pre-training.

use all_you_need::classifier::{BLAME, Classifier, Kind, Labelled, PRAISE};
use all_you_need::classifier::{config, vocabulary};
use all_you_need::layers::Linear;
use all_you_need::tensor::Matrix;
use all_you_need::training::{Recipe, Stream, generator};
use all_you_need::writer::{Half, Trainer};

/// How often one clause praises and the other blames, in reviews without
/// *not*.
fn opposite(kind: Kind) -> f64 {
    let rng = &mut generator(1, Stream::Data);
    let drawn = (0..4000).flat_map(|_| kind.draw(rng));
    let texts = drawn.map(|review| review.text);
    let texts: Vec<_> = texts.filter(|t| !t.contains(" not ")).collect();
    let has = |text: &str, words: [&str; 8]| {
        text.split(' ').any(|word| words.contains(&word))
    };
    let both = texts.iter().filter(|t| has(t, PRAISE) && has(t, BLAME));
    both.count() as f64 / texts.len() as f64
}

/// Where the clauses are drawn independently, no text tells praise from blame.
#[test]
fn only_contrasts_tell_praise_from_blame() {
    assert_eq!(opposite(Kind::Pair), 1.0);
    let double = opposite(Kind::Double);
    assert!((double - 0.5).abs() < 0.03, "{double}");
}

/// A classifier takes over what its encoder has learned, and goes on from
/// there, while the filler stays as it is.
#[test]
fn a_classifier_goes_on_from_a_filler() {
    let words = vocabulary();
    let sizes = config(words.len());
    let filler: Half<Matrix<f32>> =
        Half::new(&sizes, &mut generator(2, Stream::Weights));
    let rng = &mut generator(1, Stream::Data);
    let reviews = (0..16).flat_map(|_| Kind::Plain.draw(rng));
    let reviews: Vec<Labelled> = reviews.map(|r| r.label(&words)).collect();
    let recipe = Recipe::toy();
    let mut learning = Trainer::new(recipe, |rng| Classifier {
        half: filler.clone(),
        output: Linear::new(sizes.d_model, 2, rng),
    });
    let text = [&reviews[0].text];
    let before = filler.bidirectional(&text);
    assert_eq!(learning.model.half.bidirectional(&text), before);
    let first = learning.update(&reviews).unwrap();
    let second = learning.update(&reviews).unwrap();
    assert!(second < first, "{second} {first}");
    assert_ne!(learning.model.half.bidirectional(&text), before);
    assert_eq!(filler.bidirectional(&text), before);
}
