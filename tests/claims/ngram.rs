use all_you_need::ngram::{KneserNey, Ngram, surprise};
use all_you_need::tokens::Token;

/// 10 ends a paragraph, and begins the next.
const TEXT: [Token; 12] = [10, 1, 2, 3, 1, 2, 10, 2, 3, 10, 5, 10];

fn counted(order: usize) -> Ngram {
    let mut ngram = Ngram::new(order, 11, 0.6);
    ngram.count(&TEXT);
    ngram
}

/// A text in which some things are frequent, and many occur once.
fn long() -> Vec<Token> {
    (0..3000u32).map(|i| (i * i / 7 + i % 5) % 29).collect()
}

#[test]
fn the_probabilities_of_counts_sum_to_1() {
    let long = long();
    for order in 1..=4 {
        let (ngram, short) =
            (counted(order), KneserNey::new(order, 11, &TEXT));
        let other = KneserNey::new(order, 29, &long);
        for past in [&[][..], &[10], &[10, 1], &[1, 2], &[7], &[3, 7, 2]] {
            let sums = [
                (0..11).map(|t| ngram.probability(past, t)).sum::<f64>(),
                (0..11).map(|t| short.probability(past, t)).sum(),
                (0..29).map(|t| other.probability(past, t)).sum(),
            ];
            for sum in sums {
                assert!((sum - 1.0).abs() < 1e-12, "{order} {past:?} {sum}");
            }
        }
    }
}

/// After 2 came 3 twice, and 10 once. Of all twelve, 3 is two and 10 four.
#[test]
fn a_bigram_by_hand() {
    let bigram = counted(2);
    for (token, after, of_all) in
        [(3, 2.0, 2.0), (10, 1.0, 4.0), (7, 0.0, 0.0)]
    {
        let alone = 0.6 * of_all / 12.0 + 0.4 / 11.0;
        assert!((bigram.probability(&[], token) - alone).abs() < 1e-12);
        let expected = 0.6 * after / 3.0 + 0.4 * alone;
        let found = bigram.probability(&[1, 2], token);
        assert!((found - expected).abs() < 1e-12, "{token}");
    }
}

#[test]
fn a_context_that_was_not_seen_is_shortened() {
    let trigram = counted(3);
    for token in 0..11 {
        let [long, short] =
            [&[7, 2][..], &[2]].map(|past| trigram.probability(past, token));
        assert_eq!(long, short);
    }
}

/// After 2 came 3 twice and 10 once, so 3 keeps 2 − ¾ of 3, and two different
/// tokens give away 2 · ¾ of 3. In the empty context 3 counts once, for the
/// one token before it: there are eight different pairs in the text, and a
/// beginning.
#[test]
fn a_discounted_bigram_by_hand() {
    let mut bigram = KneserNey::new(2, 11, &TEXT);
    bigram.discounts.fill([0.75; 3]);
    let pairs: std::collections::BTreeSet<_> =
        TEXT.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let all = pairs.len() as f64 + 1.0;
    let kinds = 5.0; // 1, 2, 3, 5 and 10 occur
    let alone = (0.25 + kinds * 0.75 / 11.0) / all;
    assert!((bigram.probability(&[], 3) - alone).abs() < 1e-12);
    let expected = (2.0 - 0.75 + 2.0 * 0.75 * alone) / 3.0;
    assert!((bigram.probability(&[1, 2], 3) - expected).abs() < 1e-12);
}

/// Chen and Goodman's estimates, for a text with known counts of counts.
#[test]
fn discounts_are_estimated_from_how_many_counts_are_small() {
    // Of tokens alone, four occur once, three twice, two three times, one
    // four times.
    let text = [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 9];
    let model = KneserNey::new(1, 10, &text);
    let y = 4.0 / (4.0 + 2.0 * 3.0);
    let expected = [
        1.0 - 2.0 * y * 3.0 / 4.0,
        2.0 - 3.0 * y * 2.0 / 3.0,
        3.0 - 4.0 * y * 1.0 / 2.0,
    ];
    for (found, expected) in model.discounts[0].iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    assert_eq!(KneserNey::new(1, 10, &[1, 1]).discounts, [[0.75; 3]]);
}

#[test]
fn the_surprise_is_a_mean_over_all_tokens_but_the_first() {
    let (ngram, text) = (counted(2), [10, 1, 4, 10]);
    let nats = |i: usize| -ngram.probability(&text[..i], text[i]).ln();
    let mean = (1..4).map(nats).sum::<f64>() / 3.0;
    let p = |past: &[Token], next| ngram.probability(past, next);
    assert!((surprise(&[&text], p) - mean).abs() < 1e-12);
}

#[test]
#[should_panic(expected = "an n-gram of no tokens")]
fn an_order_of_0_is_refused() {
    let _ = KneserNey::new(0, 11, &TEXT);
}
