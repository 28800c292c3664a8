use all_you_need::attention::{Mask, attention};
use all_you_need::heads::MultiHead;
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::{close, largest};

// Exercise 1
// It can: the real words are still one stretch, from 2 to 5.
#[test]
fn padding_on_the_left_is_a_range_too() {
    let mask = Mask::new(vec![2..5; 5], 5);
    let x: Matrix = ChaCha8Rng::seed_from_u64(1).noise(5, 4, 1.0);
    let real = x.rows(2, 3).into_owned();
    let padded = attention(&x, &x, &x, &mask);
    let alone = attention(&real, &real, &real, &Mask::none(3, 3));
    close(&padded.rows(2, 3).into_owned(), &alone, 1e-15);
}

// Exercise 2
// One attention does not: the last row takes a weighted sum of all words, in
// any order. Two do: below, each word saw only those before it, so that the
// rows the second attention meets already depend on the order.
#[test]
fn two_masked_attentions_notice_the_order() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let layers = [0; 2].map(|_| MultiHead::new(2, 8, (4, 4), rng));
    let x: Matrix = rng.noise(4, 8, 1.0);
    let shuffled = x.select_rows(&[2, 0, 1, 3]);
    let last = |x: &Matrix, count: usize| {
        let mask = Mask::causal(4);
        let up = |x: Matrix, l: &MultiHead<Matrix>| l.forward(&x, &x, &mask);
        layers[..count].iter().fold(x.clone(), up).row(3).into_owned()
    };
    assert!(largest(&(last(&x, 1) - last(&shuffled, 1))) < 1e-14);
    assert!(largest(&(last(&x, 2) - last(&shuffled, 2))) > 0.01);
}

// Exercise 3
// Four: 8 places, 2 in each attention. And in the other direction never.
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
