use all_you_need::bleu::{Tokenizer, bleu};
use all_you_need::encoder::Config;
use all_you_need::tensor::{Bill, Shape};
use all_you_need::tokens::words;
use all_you_need::transformer::{Transformer, count};
use all_you_need::translation::{Pair, vocabulary};

/// Half of it: 1,280,000 of 2.6 million. Without the merges, with 258 tokens
/// for bytes and marks, the table would be a fortieth of that. But a caption
/// would be four times as long.
#[test]
fn exercise_1_half_the_model_is_its_table() {
    let config = Config {
        vocabulary: 10_000,
        layers: 4,
        d_model: 128,
        d_ff: 256,
        heads: 4,
        d_k: 32,
        d_v: 32,
    };
    let model: Transformer<Shape> =
        Transformer::new(&config, &mut Bill::default());
    let (table, all) = (10_000 * 128, count(&model));
    assert_eq!(all, 2_603_008);
    assert!((0.49..0.50).contains(&(table as f64 / all as f64)));
    let bytes = Config { vocabulary: 258, ..config };
    let model: Transformer<Shape> =
        Transformer::new(&bytes, &mut Bill::default());
    assert_eq!(count(&model), all - table + 258 * 128);
}

fn pairs(texts: &[(&str, &str)]) -> Vec<Pair> {
    texts.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

/// By the lengths: they go up and down together. Off by a line, most pairs
/// still look possible, so it takes many of them. The correlation is 1 for
/// lengths in proportion, and near 0 for strangers.
#[test]
fn exercise_2_a_lost_line_shows_in_the_lengths() {
    let lengths: Vec<f64> = (0..200).map(|i| f64::from(i * i % 17)).collect();
    let english: Vec<f64> = lengths.iter().map(|n| 5.0 + n).collect();
    let german: Vec<f64> = lengths.iter().map(|n| 4.0 + 1.1 * n).collect();
    assert!(correlation(&english, &german) > 0.99);
    assert!(correlation(&english[..199], &german[1..]).abs() < 0.3);
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

/// It says what somebody has said of something else. On captions that
/// resemble each other it gets some points, and no more than that.
#[test]
fn exercise_3_a_memory_is_a_rival_that_learns_nothing() {
    let memory = pairs(&[
        ("a cat sleeps on the stove", "eine katze schläft auf dem ofen"),
        ("a dog sleeps in the snow", "ein hund schläft im schnee"),
        ("two men carry a table", "zwei männer tragen einen tisch"),
    ]);
    let recall = |text: &str| {
        let shared = |known: &str| {
            let known = words(known);
            words(text).iter().filter(|word| known.contains(word)).count()
        };
        let nearest = memory.iter().max_by_key(|pair| shared(&pair.0));
        nearest.expect("a memory").1.clone()
    };
    let said = [recall("a cat sleeps in the snow")];
    assert_eq!(said, ["ein hund schläft im schnee"]);
    let wanted = ["eine katze schläft im schnee"];
    let score = bleu(&said, &wanted, Tokenizer::None).score;
    assert!((40.0..60.0).contains(&score), "{score}");
    // And a vocabulary can be learned from it like from any other corpus.
    assert!(vocabulary(&memory, 10).len() > 256);
}
