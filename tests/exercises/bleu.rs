use all_you_need::bleu::{Counts, Tokenize, bleu};
use all_you_need::tokens::words;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::collections::HashMap;
use std::hash::Hash;

#[path = "../../exercises/checks/bleu.rs"]
mod check;

// Exercise 1
//
// The matches stay the same, because the smaller of two counts does not
// depend on their order. If both have the same length, nothing else changes
// either. If the hypothesis was shorter, the new one is longer than its
// reference: BP becomes 1, and each precision is lower, because it is divided
// by more n-grams.
#[test]
fn what_matches_does_not_mind_the_order() {
    let over_a = words("the cat jumped over a fence");
    let over_the = words("the cat jumped over the fence");
    let there = Counts::of(&over_a, &over_the);
    assert_eq!(there, Counts::of(&over_the, &over_a));
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
//
// BLEU looks at four words at a time. If two words have the same three words
// to their left and the same three to their right, they can change places,
// and every n-gram is still there.
#[test]
fn four_words_at_a_time_do_not_show_the_order() {
    let wanted = "we went to Bonn , we went to Graz , we went to Ulm";
    let said = "we went to Graz , we went to Bonn , we went to Ulm";
    let found = bleu(&[said], &[wanted], Tokenize::None);
    assert_eq!(found.precisions, [100.0; 4]);
    assert_eq!(found.brevity_penalty, 1.0);
}

// Exercise 3
//
// No, and it does not say either that they can. We draw the sentences once for
// both models, and see which of them is ahead on each draw: a sentence that is
// hard for one is often hard for the other as well. In this made-up case the
// second mends and spoils few words, and is ahead on nearly all draws, although
// its score is well within the interval of the first. Two pairs of the table
// above are as close and cannot be told apart.
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

// Exercise 4
//
// The matches are those of BLEU, with letters in the place of words. In a text
// with fewer than six letters only the runs that it has are averaged.

/// How often each run of n items occurs.
fn runs<T: Eq + Hash>(items: &[T], n: usize) -> HashMap<&[T], usize> {
    let mut counts = HashMap::new();
    items.windows(n).for_each(|run| *counts.entry(run).or_default() += 1);
    counts
}

/// How many runs of n items are in both.
fn common<T: Eq + Hash>(a: &[T], b: &[T], n: usize) -> usize {
    let b = runs(b, n);
    let smaller = |(run, &count): (&&[T], &usize)| {
        b.get(run).map_or(0, |&other| count.min(other))
    };
    runs(a, n).iter().map(smaller).sum()
}

/// chrF, from 0 to 100.
pub fn chrf(hypothesis: &str, reference: &str) -> f64 {
    let letters = |text: &str| -> Vec<char> {
        text.chars().filter(|letter| !letter.is_whitespace()).collect()
    };
    let (h, r) = (letters(hypothesis), letters(reference));
    let longest = h.len().min(r.len()).min(6);
    let (mut precision, mut recall) = (0.0, 0.0);
    for n in 1..=longest {
        let matches = common(&h, &r, n) as f64;
        precision += matches / (h.len() + 1 - n) as f64 / longest as f64;
        recall += matches / (r.len() + 1 - n) as f64 / longest as f64;
    }
    if precision == 0.0 {
        return 0.0;
    }
    100.0 * 5.0 * precision * recall / (4.0 * precision + recall)
}

// Exercise 5
//
// It adds up how often the reference has the n-grams, without asking how
// often the hypothesis has them: *the cat* gets three matches for two words.
// Here each n-gram of the hypothesis uses up one of the reference.

/// How many n-grams of the hypothesis are in the reference, too.
pub fn matches(
    hypothesis: &[String],
    reference: &[String],
    n: usize,
) -> usize {
    let mut left = HashMap::new();
    for n_gram in reference.windows(n) {
        *left.entry(n_gram).or_insert(0usize) += 1;
    }
    let mut matches = 0;
    for n_gram in hypothesis.windows(n) {
        if let Some(count) = left.get_mut(n_gram)
            && *count > 0
        {
            *count -= 1;
            matches += 1;
        }
    }
    matches
}
