use all_you_need::quantization::QuantizedMatrix;
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

#[path = "../../exercises/checks/quantization.rs"]
mod check;

fn noise(seed: u64) -> Matrix<f32> {
    ChaCha8Rng::seed_from_u64(seed).noise(16, 128, 1.0)
}

// Exercise 1
//
// The levels stay the same, and the scale becomes three times as large. So
// does every error: compared with the numbers, the row is as exact as before.
// Only where a number is almost halfway between two levels may the rounding
// of an `f32` decide otherwise.
#[test]
fn a_row_three_times_as_large_has_the_same_levels() {
    let (once, thrice) = (noise(1), noise(1) * 3.0);
    let (once, thrice) =
        (QuantizedMatrix::new(&once), QuantizedMatrix::new(&thrice));
    let pairs = once.levels.iter().zip(&thrice.levels);
    let other = pairs.filter(|(a, b)| a != b).count();
    assert!(other <= 2, "{other}");
    for (a, b) in once.scales.iter().zip(&thrice.scales) {
        assert!((3.0 * a - b).abs() < 1e-6 * b);
    }
}

// Exercise 2
//
// Each row is cut into groups, and each group gets what the chapter gives to
// a row. With 4 bits the levels go from −7 to 7. Groups of 32 then need 4
// bits for each number and 32 for each scale, which is 5 bits a weight, and
// the error of the numbers below falls by about 15 per cent.

/// A matrix with each number rounded, and a scale for each group of a row.
pub fn in_groups(w: &Matrix, size: usize, highest: f64) -> Matrix {
    let mut rounded = w.clone();
    for mut row in rounded.row_iter_mut() {
        let columns = row.ncols();
        for start in (0..columns).step_by(size) {
            let width = size.min(columns - start);
            let mut group = row.columns_mut(start, width);
            let scale = (group.amax() / highest).max(f64::MIN_POSITIVE);
            group.apply(|x| *x = (*x / scale).round() * scale);
        }
    }
    rounded
}

#[test]
fn groups_of_32_have_smaller_errors() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let w: Matrix = (0..6).map(|_| rng.noise(64, 128, 1.0)).sum();
    let error = |size| (in_groups(&w, size, 7.0) - &w).norm();
    let ratio = error(32) / error(128);
    assert!((0.82..0.88).contains(&ratio), "{ratio}");
}

// Exercise 3
//
// With a scale of a 128th, the largest number should get the level 128, and
// an `i8` ends at 127. `as i8` gives the nearest number that there is, so no
// error appears, and this one number is off by a scale. If the largest number
// is negative, all is well, because −128 exists.

/// A row with each number rounded to a multiple of the scale.
pub fn rounded(row: &[f64]) -> Vec<f64> {
    let largest = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let scale = largest / 127.0;
    let level = |x: &f64| (x / scale).round() as i8;
    row.iter().map(|x| f64::from(level(x)) * scale).collect()
}

// Exercise 4
//
// Because a number is anywhere between two levels with about the same
// probability. Then the error is anywhere between −½ and ½ of a scale, and
// the mean of its square is $\int_{-1/2}^{1/2} x^2\,dx = 1/12$. The root of
// that is 0.29. With fewer and fewer levels it stops being true, because most
// numbers are then near level 0.
#[test]
fn the_root_mean_square_of_the_error_is_0_29_scales() {
    let matrix = noise(2);
    let quantized = QuantizedMatrix::new(&matrix);
    let errors = quantized.restored() - &matrix;
    let in_scales = errors
        .map_with_location(|i, _, x| f64::from(x / quantized.scales[i]));
    let square = in_scales.norm_squared() / in_scales.len() as f64;
    assert!((square.sqrt() - 12_f64.sqrt().recip()).abs() < 0.01);
}
