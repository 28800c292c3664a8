use all_you_need::quantization::QuantizedMatrix;
use all_you_need::tensor::{Init, Matrix};
use rand::{SeedableRng, rngs::ChaCha8Rng};

#[path = "../../exercises/checks/quantization.rs"]
mod check;

fn noise(seed: u64) -> Matrix<f32> {
    ChaCha8Rng::seed_from_u64(seed).uniform(16, 128, 1.0)
}

// Exercise 1
//
// The levels stay the same, and the scale becomes three times as large. So
// does every error: compared with the numbers, the row is as exact as before.
// (A number almost halfway between two levels may get the other one, because
// an `f32` rounds as well.)
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
// a row. With 4 bits the levels go from −7 to 7. One scale of 32 bits for
// 128 numbers makes 4¼ bits a weight, and groups of 32 make 5. With these ¾
// bits more, the error of the matrix in this test falls by about 15 per
// cent. But a fifth bit for each level, with one scale for the row as
// before, costs hardly more: 5¼ bits a weight. The levels go up to 15 then,
// and the error falls to less than half. So for numbers like these, small
// groups do not pay as long as a scale has 32 bits. (In the block formats of
// the newer hardware it has 8.)

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
    let w: Matrix = (0..6).map(|_| rng.uniform(64, 128, 1.0)).sum();
    let error = |size, highest| (in_groups(&w, size, highest) - &w).norm();
    let ratio = error(32, 7.0) / error(128, 7.0);
    assert!((0.82..0.88).contains(&ratio), "{ratio}");
    let ratio = error(128, 15.0) / error(128, 7.0);
    assert!((0.45..0.5).contains(&ratio), "{ratio}");
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
// probability. So the errors are spread evenly from −½ to ½ of a scale. Take
// ten that are: −0.45, −0.35, and so on up to 0.45. The mean of their squares
// is 0.0825. For a hundred it is 0.0833, and it comes closer and closer to
// 1/12, whose root is 0.29. With very few levels this stops being true,
// because most numbers are then near level 0.
#[test]
fn the_root_mean_square_of_the_error_is_0_29_scales() {
    let of_evenly_spread = |n: usize| {
        let error = |i| (i as f64 + 0.5) / n as f64 - 0.5;
        (0..n).map(|i| error(i).powi(2)).sum::<f64>() / n as f64
    };
    assert!((of_evenly_spread(10) - 0.0825).abs() < 1e-12);
    assert!((of_evenly_spread(100) - 1.0 / 12.0).abs() < 1e-5);
    let matrix = noise(2);
    let quantized = QuantizedMatrix::new(&matrix);
    let errors = quantized.restored() - &matrix;
    let in_scales = errors
        .map_with_location(|i, _, x| f64::from(x / quantized.scales[i]));
    let square = in_scales.norm_squared() / in_scales.len() as f64;
    assert!((square - of_evenly_spread(100)).abs() < 0.005, "{square}");
    assert!((square.sqrt() - 0.29).abs() < 0.01);
}
