use all_you_need::bleu::{Tokenize, bleu};
use all_you_need::costs::{Bill, Shape};
use all_you_need::encoder::Config;
use all_you_need::parameters::parameter_count;
use all_you_need::tokens::words;
use all_you_need::transformer::Transformer;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

// Exercise 1
// Half of it: 1,280,000 of 2.6 million. Without the merges, with 258 tokens
// for bytes and marks, the table would be a fortieth of that. But a caption
// would be four times as long.
#[test]
fn half_the_model_is_its_table() {
    let config = Config::tiny();
    let model: Transformer<Shape> =
        Transformer::new(&config, &mut Bill::default());
    let (table, all) = (10_000 * 128, parameter_count(&model));
    assert_eq!(all, 2_598_912);
    assert!((0.49..0.50).contains(&(table as f64 / all as f64)));
    let bytes = Config { vocabulary: 258, ..config };
    let model: Transformer<Shape> =
        Transformer::new(&bytes, &mut Bill::default());
    assert_eq!(parameter_count(&model), all - table + 258 * 128);
}

// Exercise 2
// By the lengths. A long caption has a long translation, and strangers have
// nothing to do with each other: off by a line, the correlation of the
// lengths falls from 0.9 to hardly anything. One pair alone shows nothing.
#[test]
fn a_lost_line_shows_in_the_lengths() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let english: Vec<f64> =
        (0..200).map(|_| rng.random_range(5.0..20.0)).collect();
    let german: Vec<f64> =
        english.iter().map(|n| n + rng.random_range(-3.0..3.0)).collect();
    assert!(correlation(&english, &german) > 0.9);
    assert!(correlation(&english[..199], &german[1..]).abs() < 0.2);
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (at, bt) = (mean(a), mean(b));
    let product = |x: &[f64], xt: f64, y: &[f64], yt: f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - xt) * (y - yt)).sum()
    };
    let spread = product(a, at, a, at) * product(b, bt, b, bt);
    product(a, at, b, bt) / spread.sqrt()
}

// Exercise 3
// It gives the caption of another picture. On captions that resemble each
// other it gets some points, and no more than that.
#[test]
fn a_memory_is_a_rival_that_learns_nothing() {
    let memory = [
        ("a cat sleeps on the stove", "eine katze schläft auf dem ofen"),
        ("a dog sleeps in the snow", "ein hund schläft im schnee"),
        ("two men carry a table", "zwei männer tragen einen tisch"),
    ];
    let recall = |text: &str| {
        let shared = |known: &str| {
            let known = words(known);
            words(text).iter().filter(|word| known.contains(word)).count()
        };
        let nearest = memory.iter().max_by_key(|pair| shared(pair.0));
        nearest.expect("a memory").1
    };
    let said = [recall("a cat sleeps in the snow")];
    assert_eq!(said, ["ein hund schläft im schnee"]);
    let wanted = ["eine katze schläft im schnee"];
    let score = bleu(&said, &wanted, Tokenize::None).score;
    assert!((score - 39.76).abs() < 0.01, "{score}");
}
