//! Checks the exercises of the chapter on scaling.

use super::{best, predicted};

checks! {
    exercise_2: the_lowest_line_is_best,
    exercise_3: the_middle_is_that_of_the_logarithms
}

fn near(found: f64, right: f64, hint: &str) {
    assert!((found - right).abs() < 1e-9, "{hint}: {found}, not {right}");
}

fn the_lowest_line_is_best() {
    let small = vec![(1.0, 4.0), (100.0, 3.0)];
    let large = vec![(4.0, 3.8), (16.0, 3.2), (400.0, 2.0)];
    let lines = [small, large];
    let at = |work| best(&lines, work);
    assert_eq!(at(2.0), Some(0), "only the first line is here");
    assert_eq!(at(200.0), Some(1), "only the second line is here");
    assert_eq!(at(0.5), None, "no line begins so early");
    assert_eq!(at(500.0), None, "no line goes so far");
    assert_eq!(at(4.0), Some(0), "the second begins, and is higher");
    assert_eq!(at(16.0), Some(1), "3.2 is lower than 3.4");
    let hint = "half way from 4 to 16 on a logarithmic axis is 8, where the \
                second line is at 3.5, and the first at 3.55";
    assert_eq!(at(8.0), Some(1), "{hint}");
    let hint = "at 7 the first line is at 3.58, and the second at 3.56 over \
                the logarithm, but at 3.65 over the work";
    assert_eq!(at(7.0), Some(1), "{hint}");
    assert_eq!(at(6.0), Some(0), "at 6: 3.61 and 3.62");
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
