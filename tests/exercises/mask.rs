use all_you_need::attention::{Mask, attention};
use all_you_need::heads::MultiHead;
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::largest;

#[path = "../../exercises/checks/mask.rs"]
mod check;

// Exercise 1
//
// After one attention the last row is the same: it is a weighted sum of all
// words, and a sum has no order. After two it is another one, because in the
// first attention each word saw only the words before it, so the rows that
// the second attention meets already depend on the order.
#[test]
fn two_masked_attentions_notice_the_order() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let layers = [0; 2].map(|_| MultiHead::new(2, 8, (4, 4), rng));
    let x: Matrix = rng.uniform(4, 8, 1.0);
    let shuffled = x.select_rows(&[2, 0, 1, 3]);
    let last = |x: &Matrix, count: usize| {
        let mask = Mask::causal(4);
        let up = |x: Matrix, l: &MultiHead<Matrix>| l.forward(&x, &x, &mask);
        layers[..count].iter().fold(x.clone(), up).row(3).into_owned()
    };
    assert!(largest(&(last(&x, 1) - last(&shuffled, 1))) < 1e-14);
    assert!(largest(&(last(&x, 2) - last(&shuffled, 2))) > 0.01);
}

// Exercise 2
//
// After four attentions: the first word is 8 places before the last, and each
// attention carries it 2 places further. The first word never hears of the
// last, however many attentions there are.
#[test]
fn a_masked_window_looks_back_step_by_step() {
    let mask = Mask::causal(9).and(&Mask::window(9, 2));
    let even: Matrix = Matrix::zeros(9, 1);
    let mut heard = Matrix::identity(9, 9);
    for layer in 1..=20 {
        heard = attention(&even, &even, &heard, &mask);
        assert_eq!(heard[(8, 0)] > 0.0, layer >= 4);
        assert_eq!(heard[(0, 8)], 0.0);
    }
}

// Exercise 3
//
// Every word sees the first keys up to some end. In the question this is the
// end of the question, and in the answer it is the word itself.

/// A question of `prefix` words and its answer, n words together.
pub fn prefix(n: usize, prefix: usize) -> Mask {
    let visible = (0..n).map(|i| 0..prefix.max(i + 1));
    Mask::new(visible.collect(), n)
}

// Exercise 4
//
// What both ranges allow begins where the later of them begins, so the start
// needs a maximum. Causal and padding masks all begin at key 0 and don't show
// the mistake, but with packed sentences every word saw the sentences before
// its own.

/// The keys that both masks allow.
pub fn both(a: &Mask, b: &Mask) -> Mask {
    let pairs = a.visible().iter().zip(b.visible());
    let ranges = pairs.map(|(a, b)| {
        let end = a.end.min(b.end);
        let start = a.start.max(b.start);
        start..end.max(start)
    });
    Mask::new(ranges.collect(), a.keys())
}

// Exercise 5
//
// With the mask they sum to 1: row 3 shares 1 between three words, whichever
// came before, and so do rows 2 and 1. Without it each product is 1 · 1 times
// what row 3 gives to the third word. For each of the nine beginnings these
// sum to 1, so all 27 sum to 9, and they are no probabilities.
#[test]
fn without_a_mask_the_products_are_no_probabilities() {
    let sum = |first: fn(usize, usize) -> f64| -> f64 {
        let sentences = (0..27).map(|i| [i / 9, i / 3 % 3, i % 3]);
        // What a row gives to `word` when `seen` is the word after it.
        let product = |[a, b, _]: [usize; 3]| first(a, a) * first(b, b) / 3.0;
        sentences.map(product).sum()
    };
    let knows = |word, seen| if word == seen { 1.0 } else { 0.0 };
    assert!((sum(knows) - 9.0_f64).abs() < 1e-12);
    assert!((sum(|_, _| 1.0 / 3.0) - 1.0).abs() < 1e-12);
}
