//! Checks the exercises of the chapter on the decoder.

use super::{last_row, shifted};
use crate::expect::expect;
use all_you_need::plain::{DecoderLayer, Heads, Matrix, decoder_layer};
use all_you_need::tensor::Init;
use rand::{SeedableRng, rngs::ChaCha8Rng};

checks! {
    exercise_3: the_last_row_is_that_of_the_layer,
    exercise_4: the_decoder_learns_to_begin_and_to_stop
}

/// A layer of random numbers for rows of 8, with two heads.
fn layer(rng: &mut ChaCha8Rng) -> DecoderLayer {
    let mut random = |rows, columns| rng.uniform(rows, columns, 0.6);
    let look = Heads(2, [(); 4].map(|()| random(8, 8)));
    let read = Heads(2, [(); 4].map(|()| random(8, 8)));
    let think = [random(8, 9), random(1, 9), random(9, 8), random(1, 8)];
    let mut norm = || [random(1, 8), random(1, 8)];
    (look, norm(), read, norm(), think, norm())
}

fn the_last_row_is_that_of_the_layer() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let p = layer(rng);
    let (y, z): (Matrix, Matrix) =
        (rng.uniform(5, 8, 1.0), rng.uniform(3, 8, 1.0));
    for (n, hint) in [
        (1, "a single row, which sees itself and the memory"),
        (5, "five rows. The last one asks; does it see all five?"),
    ] {
        let y = y.rows(0, n).into_owned();
        let expected = decoder_layer(&p, &y, &z).rows(n - 1, 1).into_owned();
        expect(&last_row(&p, &y, &z), &expected, hint);
    }
}

fn the_decoder_learns_to_begin_and_to_stop() {
    let (reads, answers) = shifted(&[5, 6, 7], (0, 1));
    let hint = "at first only `bos` has been read";
    assert_eq!((reads[0], answers[0]), (0, 5), "{hint}");
    let hint = "after the first word the answer is the second";
    assert_eq!((reads[1], answers[1]), (5, 6), "{hint}");
    let hint = "as many answers as tokens that are read";
    assert_eq!(reads.len(), answers.len(), "{hint}");
    let hint = "all words have been read. What should the answer be?";
    assert_eq!(reads.last(), Some(&7), "{hint}");
    assert_eq!(answers.last(), Some(&1), "{hint}");
    let hint = "a target without words is over at the beginning";
    assert_eq!(shifted(&[], (0, 1)), (vec![0], vec![1]), "{hint}");
}
