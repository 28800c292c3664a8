use all_you_need::costs::convolve;
use all_you_need::recurrence::{Gated, Row};
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::largest;

fn random_words(n: usize, d: usize) -> Vec<Row> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let words: Matrix = rng.noise(n, d, 1.0);
    words.row_iter().map(|word| word.into_owned()).collect()
}

// Exercise 1
// f¹⁰⁰ = ½ for f = 0.9931, and b = ln(f / (1 − f)) = 4.97 makes that gate. A
// forgetful one at 73 % would be at half after two words.
#[test]
fn half_of_a_word_after_a_hundred() {
    let f = 0.5f64.powf(0.01);
    let bias = (f / (1.0 - f)).ln();
    assert!((f - 0.9931).abs() < 1e-4 && (bias - 4.97).abs() < 1e-2);
    let (u, deaf) = (Matrix::zeros(1, 1), Matrix::zeros(1, 1));
    let memory = Gated { u, f: deaf, bias };
    let kept = memory.gate_product(&random_words(100, 1));
    assert!((kept[0] - 0.5).abs() < 1e-12);
}

// Exercise 2
// Twice as many, 999, for each layer now brings the first word nearer by one
// instead of two. Dilated, the steps 1, 3, 9 … to either side make
// (3ˡ − 1) / 2, and seven layers are still enough.
#[test]
fn looking_both_ways_takes_twice_the_layers() {
    let both_ways = |x: &[f64], step| {
        let backwards: Vec<f64> = x.iter().rev().copied().collect();
        let left = convolve(x, &[0.5, 0.5], step);
        let right = convolve(&backwards, &[0.0, 0.5], step);
        let sum = left.iter().zip(right.iter().rev()).map(|(a, b)| a + b);
        sum.map(|x| f64::from(x != 0.0)).collect::<Vec<f64>>()
    };
    let layers = |dilated: bool| {
        let (mut x, mut step) = (vec![0.0; 1000], 1);
        x[0] = 1.0;
        for layers in 1.. {
            x = both_ways(&x, step);
            if x[999] != 0.0 {
                return layers;
            }
            step *= if dilated { 3 } else { 1 };
        }
        unreachable!()
    };
    assert_eq!(layers(false), 999);
    assert_eq!(layers(true), 7);
}

// Exercise 3
// A word turns c into f c + g. Two in a row turn it into f₂ f₁ c + (f₂ g₁ +
// g₂), which is of the same kind. So join each word with the one before, then
// with the one two before, four before: after ⌈log₂ n⌉ rounds each has
// joined all the words up to it, and its g is the memory. With tanh around it, as
// in `Recurrent`, two steps do not make one.
#[test]
fn a_memory_without_tanh_needs_few_rounds() {
    let (n, d, d_input) = (100, 3, 4);
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    let memory = Gated {
        u: rng.noise(d_input, d, 1.0),
        f: rng.noise(d_input, d, 1.0),
        bias: 1.0,
    };
    let words = random_words(n, d_input);
    let mut steps: Vec<_> = words
        .iter()
        .map(|x| {
            let f = memory.gate(x);
            let g = (x * &memory.u).map(f64::tanh);
            let g = &g - f.component_mul(&g);
            (f, g)
        })
        .collect();
    let (mut rounds, mut apart) = (0, 1);
    while apart < n {
        let join = |t: usize| {
            let (f2, g2) = &steps[t];
            let Some(before) = t.checked_sub(apart) else {
                return (f2.clone(), g2.clone());
            };
            let (f1, g1) = &steps[before];
            (f2.component_mul(f1), f2.component_mul(g1) + g2)
        };
        steps = (0..n).map(join).collect(); // all of them at once
        rounds += 1;
        apart *= 2;
    }
    assert_eq!(rounds, 7);
    for ((_, g), c) in steps.iter().zip(memory.memories(&words)) {
        assert!(largest(&(g - c)) < 1e-14);
    }
}
