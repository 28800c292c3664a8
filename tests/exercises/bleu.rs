use all_you_need::bleu::{Counts, Tokenize, bleu};
use all_you_need::tokens::words;
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
// BLEU looks at four words at a time. If two words that are at least four
// places apart have the same three words to their left and the same three to
// their right, they can change places, and every n-gram is still there.
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

// Exercise 4
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
