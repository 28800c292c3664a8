use all_you_need::bleu::{Counts, Tokenize, bleu};
use all_you_need::tokens::words;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

// Exercise 1
// The matches stay the same: the smaller of two counts does not depend on
// their order. The totals are now those of the other sentence. It is too
// long where the first was too short: BP is 1, and each precision is lower.
#[test]
fn what_matches_does_not_mind_the_order() {
    let said = words("I am fine and you");
    let wanted = words("I am fine and so are you");
    let there = Counts::of(&said, &wanted);
    let back = Counts::of(&wanted, &said);
    assert_eq!(there.matches, back.matches);
    assert_eq!((there.totals, back.totals), ([5, 4, 3, 2], [7, 6, 5, 4]));
    let (there, back) = (there.bleu(), back.bleu());
    assert!(there.brevity_penalty < 1.0 && back.brevity_penalty == 1.0);
    for (there, back) in there.precisions.iter().zip(back.precisions) {
        assert!(*there > back);
    }
}

// Exercise 2
// BLEU looks at four words at a time. Two words, each between the same three
// words to its left and the same three to its right, can change places
// without a change of the score.
#[test]
fn who_sees_four_words_cannot_see_the_order() {
    let wanted = "we went to Bonn , we went to Graz , we went to Ulm";
    let said = "we went to Graz , we went to Bonn , we went to Ulm";
    let found = bleu(&[said], &[wanted], Tokenize::None);
    assert_eq!(found.precisions, [100.0; 4]);
    assert_eq!(found.brevity_penalty, 1.0);
}

// Exercise 3
// Draw the sentences once for both, and look who is ahead on each draw. Here
// the second model is less than a point ahead, and its score is well within
// the interval of the first. But a sentence that is hard for one is hard for
// the other too, and on nearly all draws the second is ahead.
#[test]
fn two_models_are_compared_on_the_same_draws() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let wanted: Vec<String> = (0..12).map(|i| i.to_string()).collect();
    let mut sentence = || {
        let hard = rng.random_range(0.1..0.5);
        let mut either = |p, one: &str, other: &str| {
            String::from(if rng.random_bool(p) { one } else { other })
        };
        let first = wanted.iter().map(|word| either(hard, "?", word));
        let first: Vec<String> = first.collect();
        // The second spoils one word in a hundred and mends one in twenty.
        let pairs = first.iter().zip(&wanted);
        let second = pairs.map(|(said, word)| match said == word {
            true => either(0.01, "?", word),
            false => either(0.05, word, said),
        });
        let second: Vec<String> = second.collect();
        [Counts::of(&first, &wanted), Counts::of(&second, &wanted)]
    };
    let test: Vec<[Counts; 2]> = (0..1000).map(|_| sentence()).collect();
    let scores = |test: &[[Counts; 2]]| {
        [0, 1].map(|i| test.iter().map(|c| c[i]).sum::<Counts>().bleu().score)
    };
    let mut draw = || {
        let drawn = test.iter().map(|_| test[rng.random_range(0..1000)]);
        scores(&drawn.collect::<Vec<_>>())
    };
    let draws: Vec<[f64; 2]> = (0..1000).map(|_| draw()).collect();
    let mut first: Vec<f64> = draws.iter().map(|draw| draw[0]).collect();
    first.sort_by(f64::total_cmp);
    let second = scores(&test)[1];
    assert!(first[25] < second && second < first[974]);
    assert!(draws.iter().filter(|draw| draw[1] > draw[0]).count() > 950);
}
