use all_you_need::embedding::Embedding;
use all_you_need::position::{shift, sinusoidal};
use all_you_need::tensor::{Matrix, Tensor};
use rand::{SeedableRng, rngs::ChaCha8Rng};

use crate::common::compare::close;

// Exercise 1
// Two places and three are five: the angles add up. Backwards, each hand
// turns by minus its angle; sines change their sign, cosines do not, and
// that is the transposed matrix.
#[test]
fn turns_add_up_and_the_transpose_goes_back() {
    let d = 64;
    let five = shift(2, d) * shift(3, d);
    close(&five, &shift(5, d), 1e-14);
    let back = sinusoidal(&[7], d) * shift(3, d).transpose();
    close(&back, &sinusoidal(&[4], d), 1e-14);
}

// Exercise 2
// W = shift(1). PE(p) W is PE(p + 1), and every position is most like
// itself. A query that says "one on" is one matrix away from its own place.
#[test]
fn a_shift_finds_the_next_position() {
    let (n, d) = (100, 64);
    let pe = sinusoidal(&Vec::from_iter(0..n), d);
    let scores = (&pe * shift(1, d)).matmul_t(&pe);
    for p in 0..n - 1 {
        assert_eq!(scores.row(p).transpose().argmax().0, p + 1);
    }
}

// Exercise 3
// An `Embedding` whose tokens are places. For 50 of them it learns 50 × 16
// numbers, and has no row for a fifty-first word.
#[test]
#[should_panic(expected = "no row 50 among 50")]
fn a_learned_table_ends() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let learned: Embedding<Matrix> = Embedding::new(50, 16, rng);
    assert_eq!(learned.table.shape(), (50, 16));
    assert_eq!(learned.embed(&[0, 1, 2]).shape(), (3, 16));
    let _ = learned.embed(&[50]);
}
