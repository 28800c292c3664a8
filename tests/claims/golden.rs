//! What the tests share: reproducible matrices, and a comparison.

use all_you_need::encoder::Config;
use all_you_need::tensor::Matrix;
use all_you_need::transformer::Transformer;
use rand::{SeedableRng, rngs::ChaCha8Rng};

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

/// Cell by cell within `tolerance`, and of one shape.
#[track_caller]
pub fn close(found: &Matrix, expected: &Matrix, tolerance: f64) {
    assert_eq!(found.shape(), expected.shape());
    let gap = (found - expected).amax();
    assert!(gap <= tolerance, "apart by {gap:e}:{found}{expected}");
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
    Transformer::new(&config, &mut ChaCha8Rng::seed_from_u64(1))
}
