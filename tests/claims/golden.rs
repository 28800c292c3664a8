//! What the tests share: reproducible matrices and a small model.

use all_you_need::encoder::Config;
use all_you_need::tensor::{Init, Matrix};
use all_you_need::transformer::Transformer;
use rand::{SeedableRng, TryRng, rngs::ChaCha8Rng};
use std::convert::Infallible;
use std::panic::catch_unwind;

pub use crate::common::compare::{close, largest};

/// The generator behind the golden values: splitmix64, in any language the
/// same few lines.
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    fn u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Filled row by row with numbers from [0, 1).
    pub fn matrix(&mut self, rows: usize, cols: usize) -> Matrix {
        let number = |_| (self.u64() >> 11) as f64 * 2f64.powi(-53);
        let cells: Vec<f64> = (0..rows * cols).map(number).collect();
        Matrix::from_row_slice(rows, cols, &cells)
    }
}

/// Normal numbers from uniform ones, two for each (Box and Muller, 1958).
pub fn normal(
    generator: &mut SplitMix64,
    rows: usize,
    cols: usize,
) -> Matrix {
    let uniform = generator.matrix(rows, 2 * cols);
    Matrix::from_fn(rows, cols, |i, j| {
        let (u, v) = (uniform[(i, 2 * j)], uniform[(i, 2 * j + 1)]);
        (-2.0 * (1.0 - u).ln()).sqrt()
            * (2.0 * std::f64::consts::PI * v).cos()
    })
}

/// One row of these numbers.
pub fn row(numbers: &[f64]) -> Matrix {
    Matrix::from_row_slice(1, numbers.len(), numbers)
}

/// Random numbers with mean 0 and standard deviation 1, by their seed.
pub fn noise(rows: usize, cols: usize, seed: u64) -> Matrix {
    ChaCha8Rng::seed_from_u64(seed).uniform(rows, cols, 1.0)
}

/// Sizes that all differ, so that no two roles can be swapped unseen.
pub fn sizes(vocabulary: usize) -> Config {
    Config {
        vocabulary,
        layers: 2,
        d_model: 8,
        d_ff: 12,
        heads: 2,
        d_k: 3,
        d_v: 5,
    }
}

/// A random Transformer of these sizes.
pub fn random(config: &Config, seed: u64) -> Transformer<Matrix> {
    Transformer::new(config, &mut ChaCha8Rng::seed_from_u64(seed))
}

/// A Transformer small enough to nudge every parameter.
pub fn small() -> Transformer<Matrix> {
    let config = Config {
        vocabulary: 7,
        layers: 1,
        d_model: 6,
        d_ff: 5,
        heads: 2,
        d_k: 3,
        d_v: 2,
    };
    random(&config, 1)
}

#[test]
fn a_nan_in_any_place_is_the_largest_number() {
    for place in 0..3 {
        for others in [-5.0, 0.0, 1e300, f64::INFINITY] {
            let mut numbers = [others, 1e-20, others];
            assert_eq!(largest(&numbers), others.abs().max(1e-20));
            numbers[place] = f64::NAN;
            assert!(largest(&numbers).is_nan(), "{numbers:?}");
        }
    }
    assert_eq!(largest(&[-3.0, 2.0]), 3.0);
    assert_eq!(largest(&[]), 0.0);
}

#[test]
fn a_nan_in_any_place_is_close_to_nothing() {
    let one = noise(2, 3, 1);
    close(&one, &one.add_scalar(0.5), 0.6);
    for place in 0..6 {
        let mut other = one.clone();
        other[place] = f64::NAN;
        for (found, expected) in
            [(&one, &other), (&other, &one), (&other, &other)]
        {
            let compare = || close(found, expected, f64::INFINITY);
            assert!(catch_unwind(compare).is_err(), "{place}");
        }
        other[place] = one[place] + 0.7;
        let compare = || close(&one, &other, 0.6);
        assert!(catch_unwind(compare).is_err(), "{place}");
    }
}

#[test]
fn matrices_of_two_shapes_are_not_close() {
    let compare = || close(&noise(2, 3, 1), &noise(3, 2, 1), 1e300);
    assert!(catch_unwind(compare).is_err());
}

/// A generator whose every number is the largest.
pub struct Highest;

impl TryRng for Highest {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::MAX)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::MAX)
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        dst.fill(u8::MAX);
        Ok(())
    }
}

/// A number of a page, by its name in the output of the page's program.
pub fn said(output: &str, name: &str) -> f64 {
    let start = format!("{name} = ");
    let mut lines = output.lines();
    let number = lines.find_map(|line| line.strip_prefix(&start));
    number.expect(name).replace(',', "").parse().expect("a number")
}
