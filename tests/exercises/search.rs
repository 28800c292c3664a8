use all_you_need::search::{Beam, LanguageModel, length_penalty, search};
use all_you_need::tensor::Matrix;
use all_you_need::tokens::Token;
use nalgebra::DVector;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

/// A language by hand: from what was said, not counting the start, to the
/// probability of each token.
struct Language<P> {
    said: Vec<Vec<Token>>,
    after: P,
}

impl<P: Fn(&[Token]) -> Vec<f64>> LanguageModel<f64> for Language<P> {
    fn next_logits(&mut self, parents: &[usize], tokens: &[Token]) -> Matrix {
        let each = parents.iter().zip(tokens);
        let grown = each.map(|(&i, &t)| [&self.said[i][..], &[t]].concat());
        self.said = grown.collect();
        let column =
            |said: &Vec<Token>| DVector::from_vec((self.after)(&said[1..]));
        let columns: Vec<_> = self.said.iter().map(column).collect();
        Matrix::from_columns(&columns).map(f64::ln)
    }
}

fn language<P: Fn(&[Token]) -> Vec<f64>>(after: P) -> Language<P> {
    Language { said: vec![vec![]], after }
}

// Exercise 1
// Where both scores are equal, ln P(long) / ln P(short) is the ratio of the
// penalties, (10/7)^α. The logarithm of one over that of the other gives
// α = 0.077. A little is enough.
#[test]
fn a_small_penalty_is_enough() {
    let (short, long) = (0.36f64.ln(), 0.34992f64.ln());
    let alpha = (long / short).ln() / (10f64 / 7.0).ln();
    assert!((alpha - 0.077).abs() < 5e-4);
    let wins = |alpha| {
        long / length_penalty(5, alpha) > short / length_penalty(2, alpha)
    };
    assert!(!wins(alpha - 1e-6) && wins(alpha + 1e-6));
}

// Exercise 2
// As wide as the vocabulary. The best sentence may begin with the least
// probable word of all, and a beam that is narrower by one has dropped it.
// For three words it would be V², and for n words V^(n−1): that is no search
// any more.
#[test]
fn to_be_sure_a_beam_must_hold_every_beginning() {
    let v = 9;
    // Tokens 0 and 1 are start and end; the others are nine words.
    let words = |p: &[f64]| [&[0.0, 0.0], p].concat();
    let first: Vec<f64> = (0..v).map(|i| 0.115 - 0.001 * i as f64).collect();
    let total: f64 = first.iter().sum();
    let first: Vec<f64> = first.iter().map(|p| p / total).collect();
    let after = |said: &[Token]| match said {
        [] => words(&first),
        // After the last word one way, after all others nine.
        [10] => words(&[1.0, 0., 0., 0., 0., 0., 0., 0., 0.]),
        [_] => words(&[1.0 / 9.0; 9]),
        _ => [&[0.0, 1.0][..], &[0.0; 9]].concat(),
    };
    let find = |width| {
        let beam = Beam { width, ..Beam::greedy(0, 1) };
        let found = search(&mut language(after), &[5], &beam);
        found.expect("numbers")[0][0].tokens.clone()
    };
    assert_eq!(find(v), [10, 2]);
    assert_ne!(find(v - 1), [10, 2]);
}

/// The sentence so drawn, from start to end.
fn sample(
    model: &mut impl LanguageModel<f64>,
    rng: &mut ChaCha8Rng,
) -> Vec<Token> {
    let (mut said, mut last) = (Vec::new(), 0);
    loop {
        let weights = model.next_logits(&[0], &[last]).map(f64::exp);
        let mut left = rng.random::<f64>() * weights.sum();
        let next = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        last = next.expect("one of the tokens") as Token;
        if last == 1 {
            return said;
        }
        said.push(last);
    }
}

// Exercise 3
// As often as it is probable: 36 times in a hundred, and greedy's sentence
// 21 times. Ten thousand draws give all six sentences.
#[test]
fn a_sentence_is_drawn_as_often_as_it_is_probable() {
    let after = |said: &[Token]| match said {
        [] => vec![0.0, 0.0, 0.6, 0.4, 0.0, 0.0, 0.0],
        [2] => vec![0.0, 0.0, 0.0, 0.0, 0.35, 0.33, 0.32],
        [3] => vec![0.0, 0.0, 0.0, 0.0, 0.9, 0.05, 0.05],
        _ => vec![0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let drawn: Vec<_> =
        (0..10_000).map(|_| sample(&mut language(after), rng)).collect();
    let share = |sentence: [Token; 2]| {
        drawn.iter().filter(|said| **said == sentence).count() as f64 / 1e4
    };
    assert!((share([3, 4]) - 0.36).abs() < 0.015);
    assert!((share([2, 4]) - 0.21).abs() < 0.015);
    let mut different = drawn.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 6);
}
