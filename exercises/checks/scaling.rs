//! Checks the exercises of the chapter on scaling.

use super::{exponent, predicted};

checks! {
    exercise_2: the_exponent_is_a_slope_of_logarithms,
    exercise_3: the_middle_is_that_of_the_logarithms
}

fn near(found: f64, right: f64, hint: &str) {
    assert!((found - right).abs() < 1e-9, "{hint}: {found}, not {right}");
}

fn the_exponent_is_a_slope_of_logarithms() {
    let hint = "two points: y is halved when x is four times as large";
    near(exponent(&[(1.0, 8.0), (4.0, 4.0)]), -0.5, hint);
    let hint = "y = 5 x³ at three places";
    near(exponent(&[(1.0, 5.0), (2.0, 40.0), (10.0, 5000.0)]), 3.0, hint);
    let e = 1f64.exp();
    let hint = "with ln x = 0, 1, 2 and ln y = 0, 1, 0 the line is level";
    near(exponent(&[(1.0, 1.0), (e, e), (e * e, 1.0)]), 0.0, hint);
    let hint =
        "with ln x = 0, 1, 3 and ln y = 1, 0, 0 the slope is −1.3/4.67";
    let points = [(1.0, e), (e, 1.0), (e * e * e, 1.0)];
    near(exponent(&points), -4.0 / 14.0, hint);
}

fn the_middle_is_that_of_the_logarithms() {
    let hint = "a single point predicts itself";
    near(predicted(&[(2.0, 3.0)], -0.5, 2.0), 3.0, hint);
    let law = |x: f64| 6.0 * x.powf(-0.5);
    let points = [1.0, 4.0, 100.0].map(|x| (x, law(x)));
    let hint = "these points lie on a power law, and the next should, too. \
                Where is the middle of 1, 4 and 100 on a logarithmic axis?";
    near(predicted(&points, -0.5, 400.0), law(400.0), hint);
}
